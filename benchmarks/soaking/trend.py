"""Trends: whether a number grows, told robustly from samples of processes that come and go.

Each process is a life of its own, and only samples of the same life are compared. The slope is the
median of the slopes of all such pairs, the interval that of the seasonal Kendall test (Hirsch,
Slack and Smith 1982, Water Resources Research 18(1), 107-121), with lives in place of seasons:
outliers, such as a process at its peak, do not move it. Samples near one another in time hang
together, so medians of slices stand for them.
"""

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import msgspec

__all__ = ("Point", "Trend", "fit", "slices")

_Z = 1.96
"""Of the normal distribution, for 95 % on both sides together."""

_FEWEST = 8
"""Pairs below which nothing is said."""

_HOUR = 3600.0

Verdict = Literal["flat", "grows", "unclear"]


class Point(NamedTuple):
    """One sample.

    Attributes:
        life: of which process.
        at: seconds since the beginning.
        value: in any unit.
    """

    life: str
    at: float
    value: float


class Trend(msgspec.Struct, frozen=True, kw_only=True):
    """How a number grows, in its unit an hour.

    Attributes:
        slope: the median.
        low: lower end of the interval that holds 95 %.
        high: upper end.
        level: the median of the number.
        lives: how many processes it is told from.
        slices: how many slices of time.
    """

    slope: float
    low: float
    high: float
    level: float
    lives: int
    slices: int

    def judge(self, tolerance: float) -> Verdict:
        """Whether it grows by more than is tolerated an hour: surely not, surely, or who knows."""
        if self.low > tolerance:
            return "grows"
        return "flat" if self.high <= tolerance else "unclear"


def slices(points: Iterable[Point], width: float, warm_up: float) -> list[Point]:
    """The medians of slices of time of each life, without its first seconds.

    Args:
        points: in any order.
        width: of a slice, seconds.
        warm_up: left out of each life, seconds.
    """
    lives: dict[str, list[Point]] = defaultdict(list)
    for point in points:
        lives[point.life].append(point)
    found = []
    for life, own in lives.items():
        born = min(point.at for point in own)
        slots: dict[int, list[Point]] = defaultdict(list)
        for point in own:
            if point.at - born >= warm_up:
                slots[int(point.at // width)].append(point)
        for slot in slots.values():
            at = statistics.fmean(point.at for point in slot)
            found.append(Point(life, at, statistics.median(point.value for point in slot)))
    return found


def fit(points: Sequence[Point]) -> Trend | None:
    """The trend of points, each standing for a slice; None where there are too few to tell."""
    lives: dict[str, list[Point]] = defaultdict(list)
    for point in points:
        lives[point.life].append(point)
    slopes = sorted(slope for own in lives.values() for slope in _slopes(own))
    if len(slopes) < _FEWEST:
        return None
    counts = [len(own) for own in lives.values()]
    half = _Z * math.sqrt(sum(n * (n - 1) * (2 * n + 5) / 18 for n in counts)) / 2
    middle = len(slopes) / 2
    low = max(math.floor(middle - half) - 1, 0)
    high = min(math.ceil(middle + half), len(slopes) - 1)
    return Trend(
        slope=statistics.median(slopes) * _HOUR,
        low=slopes[low] * _HOUR,
        high=slopes[high] * _HOUR,
        level=statistics.median(point.value for point in points),
        lives=sum(n > 1 for n in counts),
        slices=len(points),
    )


def _slopes(own: Sequence[Point]) -> Iterable[float]:
    """Of all pairs of one life, a second."""
    ordered = sorted(own, key=lambda point: point.at)
    for number, first in enumerate(ordered):
        for second in ordered[number + 1 :]:
            yield (second.value - first.value) / (second.at - first.at)
