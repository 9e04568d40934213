"""MetricCacheAbstract: `context.metrics`, by which a handler measures."""

import abc
from collections.abc import Mapping
from typing import Any

from serving.handlers.compat.metrics import metric_cache_errors as errors
from serving.handlers.compat.metrics.dimension import Dimension
from serving.handlers.compat.metrics.metric_abstract import MetricAbstract
from serving.handlers.compat.metrics.metric_type_enum import MetricTypes

__all__ = ("MetricCacheAbstract",)

_TIME_UNITS = ("ms", "s")
_SIZE_UNITS = ("MB", "kB", "GB", "B")


class MetricCacheAbstract(abc.ABC):
    """The metrics of one model.

    Every value without labels of its own is labelled with the model's name and a level: "Model",
    or "Error" for one that belongs to no request.
    """

    def __init__(self, config_file_path: str | None) -> None:
        self.config_file_path = config_file_path
        self.cache: dict[MetricTypes, dict[str, Any]] = {}
        self.store: list[Any] = []
        self.request_ids: Any = None
        self.model_name: str | None = None

    def set_request_ids(self, request_ids: Any) -> None:
        """Say which requests the handler works on."""
        self.request_ids = request_ids

    def add_metric(
        self,
        name: str,
        value: float,
        unit: str,
        idx: int | None = None,
        dimensions: list[Dimension] | None = None,
        metric_type: MetricTypes = MetricTypes.COUNTER,
    ) -> None:
        """Add a value of any metric.

        Args:
            name: of the metric.
            value: to add, or to set.
            unit: in short or in full.
            idx: place in the batch of the request that it belongs to; None: all of them.
            dimensions: labels with their values.
            metric_type: its kind, when it is new.
        """
        request_id = self._get_req(idx)
        labels = self._add_default_dims(request_id, list(dimensions or ()))
        metric = self._get_or_add_metric(name, unit, labels, metric_type)
        metric.add_or_update(value, [label.value for label in labels], request_id or "")

    def add_counter(
        self,
        name: str,
        value: float,
        idx: int | None = None,
        dimensions: list[Dimension] | None = None,
    ) -> None:
        """Add to a counter."""
        self.add_metric(name, value, "count", idx, dimensions, MetricTypes.COUNTER)

    def add_time(
        self,
        name: str,
        value: float,
        idx: int | None = None,
        unit: str = "ms",
        dimensions: list[Dimension] | None = None,
        metric_type: MetricTypes = MetricTypes.GAUGE,
    ) -> None:
        """Add a time, in "ms" or "s"."""
        if unit not in _TIME_UNITS:
            msg = f"the unit of a time is one of {list(_TIME_UNITS)}"
            raise errors.MetricsCacheValueError(msg)
        self.add_metric(name, value, unit, idx, dimensions, metric_type)

    def add_size(
        self,
        name: str,
        value: float,
        idx: int | None = None,
        unit: str = "MB",
        dimensions: list[Dimension] | None = None,
        metric_type: MetricTypes = MetricTypes.GAUGE,
    ) -> None:
        """Add a size, in "MB", "kB", "GB" or "B"."""
        if unit not in _SIZE_UNITS:
            msg = f"the unit of a size is one of {list(_SIZE_UNITS)}"
            raise ValueError(msg)
        self.add_metric(name, value, unit, idx, dimensions, metric_type)

    def add_percent(
        self,
        name: str,
        value: float,
        idx: int | None = None,
        dimensions: list[Dimension] | None = None,
        metric_type: MetricTypes = MetricTypes.GAUGE,
    ) -> None:
        """Add a percentage."""
        self.add_metric(name, value, "percent", idx, dimensions, metric_type)

    def add_error(self, name: str, value: float, dimensions: list[Dimension] | None = None) -> None:
        """Count an error that belongs to no request."""
        labels = self._add_default_dims(None, list(dimensions or ()))
        metric = self._get_or_add_metric(name, "", labels, MetricTypes.COUNTER)
        metric.add_or_update(value, [label.value for label in labels])

    @abc.abstractmethod
    def initialize_cache(self) -> None:
        """Make the metrics that the file names."""

    @abc.abstractmethod
    def get_metric(
        self, metric_name: str, metric_type: MetricTypes = MetricTypes.COUNTER
    ) -> MetricAbstract:
        """Find a metric, or raise MetricsCacheKeyError."""

    @abc.abstractmethod
    def add_metric_to_cache(
        self,
        metric_name: str,
        unit: str,
        dimension_names: list[str] | None = None,
        metric_type: MetricTypes = MetricTypes.COUNTER,
    ) -> MetricAbstract:
        """Make a metric."""

    def _get_req(self, idx: int | None) -> str | None:
        ids = self.request_ids
        if not isinstance(ids, Mapping):
            return None if ids is None else str(ids)
        return ids[idx] if idx in ids else ",".join(ids.values())

    def _add_default_dims(
        self, request_id: str | None, dimensions: list[Dimension]
    ) -> list[Dimension]:
        names = {dimension.name for dimension in dimensions}
        if request_id is not None and "ModelName" not in names:
            dimensions.append(Dimension("ModelName", self.model_name))
        if "Level" not in names:
            dimensions.append(Dimension("Level", "Error" if request_id is None else "Model"))
        return dimensions

    def _get_or_add_metric(
        self, name: str, unit: str, dimensions: list[Dimension], metric_type: MetricTypes
    ) -> MetricAbstract:
        try:
            return self.get_metric(name, metric_type)
        except errors.MetricsCacheKeyError:
            names = [dimension.name for dimension in dimensions]
            return self.add_metric_to_cache(name, unit, names, metric_type)
