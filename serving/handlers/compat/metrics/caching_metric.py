"""CachingMetric: a metric whose values go to the server with the answer to the batch."""

import logging
from collections.abc import Sequence

from serving.handlers.compat.metrics.dimension import Dimension
from serving.handlers.compat.metrics.metric_abstract import MetricAbstract
from serving.handlers.compat.metrics.metric_type_enum import MetricTypes
from serving.handlers.points import MetricPoint, emit

__all__ = ("CachingMetric",)

_log = logging.getLogger(__name__)


class CachingMetric(MetricAbstract):
    """A metric; a value that cannot be is logged and dropped, it never fails a request."""

    def add_or_update(
        self, value: float, dimension_values: Sequence[object] = (), request_id: str = ""
    ) -> None:
        """Take a new value, with a value for each of the metric's labels."""
        if len(dimension_values or ()) != len(self.dimension_names):
            _log.error(
                "%s takes values for %s, got %s",
                self.metric_name,
                self.dimension_names,
                dimension_values,
            )
        elif self.metric_type is MetricTypes.COUNTER and value < 0:
            _log.error("%s only counts up, got %s", self.metric_name, value)
        else:
            self.emit_metrics(request_id, value, dimension_values)

    def emit_metrics(
        self, request_id: str, value: float, dimension_values: Sequence[object]
    ) -> None:
        """Send a value on its way."""
        values = [str(value) for value in dimension_values]
        emit(
            MetricPoint(
                name=self.metric_name,
                value=float(value),
                kind=self.metric_type.value,
                unit=self.unit,
                dimensions=dict(zip(self.dimension_names, values, strict=True)),
                request_id=request_id or "",
            )
        )

    def update(
        self, value: float, request_id: str = "", dimensions: Sequence[Dimension] = ()
    ) -> None:
        """Take a new value and new labels, as handlers of older versions do."""
        self.dimension_names = [dimension.name for dimension in dimensions]
        self.add_or_update(value, [dimension.value for dimension in dimensions], request_id)
