"""MetricAbstract: what every metric has."""

import abc
from collections.abc import Sequence

from serving.handlers.compat.metrics.metric_type_enum import MetricTypes
from serving.handlers.compat.metrics.unit import UNIT_NAMES

__all__ = ("MetricAbstract",)


class MetricAbstract(abc.ABC):
    """A metric: its name, its unit in full, its labels and its kind."""

    def __init__(
        self,
        metric_name: str,
        unit: str,
        dimension_names: Sequence[str] | None = None,
        metric_type: MetricTypes = MetricTypes.COUNTER,
    ) -> None:
        self.metric_name = metric_name
        self.unit = UNIT_NAMES.get(unit, unit)
        self.dimension_names = list(dimension_names or ())
        self.metric_type = metric_type

    @abc.abstractmethod
    def add_or_update(
        self, value: float, dimension_values: Sequence[object] = (), request_id: str = ""
    ) -> None:
        """Take a new value."""
