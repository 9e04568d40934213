"""What a handler measures itself: noted in the worker, counted by the server."""

from collections.abc import Mapping
from typing import Literal

import msgspec

__all__ = ("MetricPoint", "PointKind", "emit", "take_points")

PointKind = Literal["counter", "gauge", "histogram", "statistic"]

_MOST = 10_000
"""Points that wait for an answer to travel with; later ones are dropped."""


class MetricPoint(msgspec.Struct, frozen=True, kw_only=True):
    """One value that a handler measured.

    Attributes:
        name: of the metric.
        value: to add to a counter, to set a gauge to, or to observe.
        kind: of the metric; a statistic is one of an item or its result, which may drift.
        unit: as the handler names it; "" without one.
        dimensions: label to value.
        request_id: of the request that it belongs to; "" for none.
    """

    name: str
    value: float
    kind: PointKind = "gauge"
    unit: str = ""
    dimensions: Mapping[str, str] = {}
    request_id: str = ""


_points: list[MetricPoint] = []


def emit(point: MetricPoint) -> None:
    """Send a point to the server with the answer to the present batch, or to the next one."""
    if len(_points) < _MOST:
        _points.append(point)


def take_points() -> tuple[MetricPoint, ...]:
    """Take what was emitted since the last call."""
    points = tuple(_points)
    _points.clear()
    return points
