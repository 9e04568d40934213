"""The kinds of metrics."""

import enum

__all__ = ("MetricTypes",)


class MetricTypes(enum.Enum):
    """What a new value does: add up, replace, or join a distribution."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"
