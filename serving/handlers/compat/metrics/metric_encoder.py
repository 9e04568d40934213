"""MetricEncoder: writes metrics as JSON."""

import json
from typing import Any

from serving.handlers.compat.metrics.dimension import Dimension
from serving.handlers.compat.metrics.metric import Metric

__all__ = ("MetricEncoder",)


class MetricEncoder(json.JSONEncoder):
    """For `json.dumps(metrics, cls=MetricEncoder)`."""

    def default(self, o: Any) -> Any:
        """Write a metric or a label."""
        return o.to_dict() if isinstance(o, Metric | Dimension) else super().default(o)
