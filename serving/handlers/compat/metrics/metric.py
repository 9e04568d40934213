"""Metric: one metric with its labels, as handlers of older versions make it."""

import socket
import time
from collections.abc import Sequence
from typing import Any

from serving.handlers.compat.metrics.caching_metric import CachingMetric
from serving.handlers.compat.metrics.dimension import Dimension
from serving.handlers.compat.metrics.metric_type_enum import MetricTypes

__all__ = ("Metric",)


class Metric:
    """A counter with fixed labels."""

    def __init__(
        self,
        name: str,
        value: float,
        unit: str,
        dimensions: Sequence[Dimension],
        request_id: str | None = None,
        metric_method: str | None = None,
    ) -> None:
        self._metric = CachingMetric(name, unit, [d.name for d in dimensions], MetricTypes.COUNTER)
        self.metric_type = MetricTypes.COUNTER
        self.name = name
        self.unit = self._metric.unit
        self.value = value
        self.dimensions = dimensions
        self.request_id = request_id
        self.metric_method = metric_method

    def update(self, value: float) -> None:
        """Take a new value."""
        values = [dimension.value for dimension in self.dimensions]
        self._metric.add_or_update(value, values, self.request_id or "")

    def reset(self) -> None:
        """Take the value 0."""
        self.update(0)

    def __str__(self) -> str:
        labels = ",".join(str(dimension) for dimension in self.dimensions)
        text = f"{self.name}.{self.unit}:{self.value}|#{labels}"
        text += f"|#hostname:{socket.gethostname()},{int(time.time())}"
        return f"{text},{self.request_id}" if self.request_id else text

    def to_dict(self) -> dict[str, Any]:
        """Give it as what JSON can hold, its labels apart."""
        return {
            "MetricName": self.name,
            "Value": self.value,
            "Unit": self.unit,
            "Dimensions": self.dimensions,
            "Timestamp": int(time.time()),
            "HostName": socket.gethostname(),
            "RequestId": self.request_id,
        }
