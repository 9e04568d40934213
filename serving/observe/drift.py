"""Drift: how far what a model sees and says has moved from its reference.

Two measures of the same bins. PSI, the population stability index, sums (p - q) ln(p / q) over
them, p being the live share and q the reference's: below 0.1 nothing to speak of, above 0.25
another population (Siddiqi, Credit Risk Scorecards, 2006). KS is the largest distance between the
two cumulative shares (Kolmogorov and Smirnov), here at the bins' bounds, in [0, 1].
"""

import math
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from serving.handlers.points import MetricPoint
from serving.observe.reference import Reference, Spread

__all__ = ("Drift", "DriftMonitor", "ks", "psi")

_WINDOW = 1000
_FEWEST = 100
"""Fewer values differ from any reference by chance: of 100 in 8 bins PSI is 0.07 on average."""

_LEAST = 1e-4
"""Share that stands for none: the logarithm of nothing is not finite."""


def psi(live: Sequence[float], reference: Sequence[float]) -> float:
    """The population stability index of counts in the same bins, >= 0."""
    pairs = zip(_shares(live), _shares(reference), strict=True)
    return sum((p - q) * math.log(max(p, _LEAST) / max(q, _LEAST)) for p, q in pairs)


def ks(live: Sequence[float], reference: Sequence[float]) -> float:
    """The largest distance between cumulative shares of counts in the same bins, in [0, 1]."""
    pairs = zip(accumulate(_shares(live)), accumulate(_shares(reference)), strict=True)
    return max(abs(p - q) for p, q in pairs)


class Drift(NamedTuple):
    """How one statistic stands.

    Attributes:
        samples: values in the window.
        mean: of them.
        reference_mean: of the reference's.
        psi: None: too few values yet.
        ks: likewise.
    """

    samples: int
    mean: float
    reference_mean: float
    psi: float | None
    ks: float | None


class _Window:
    """The last values of one statistic, as bins."""

    def __init__(self, spread: Spread) -> None:
        self._spread = spread
        self._values: deque[tuple[int, float]] = deque()
        self._counts = [0] * len(spread.counts)

    def add(self, value: float) -> None:
        place = self._spread.bin_of(value)
        self._values.append((place, value))
        self._counts[place] += 1
        if len(self._values) > _WINDOW:
            gone, _ = self._values.popleft()
            self._counts[gone] -= 1

    def drift(self) -> Drift:
        samples = len(self._values)
        mean = sum(value for _, value in self._values) / max(samples, 1)
        if samples < _FEWEST:
            return Drift(samples, mean, self._spread.mean, None, None)
        live, before = self._counts, self._spread.counts
        return Drift(samples, mean, self._spread.mean, psi(live, before), ks(live, before))


class DriftMonitor:
    """Counts what a handler measures of its inputs and outputs against a reference.

    Args:
        reference: what it was when the model was measured.
    """

    def __init__(self, reference: Reference) -> None:
        self._windows = {name: _Window(spread) for name, spread in reference.statistics.items()}

    def take(self, points: Sequence[MetricPoint]) -> None:
        """Count values; those that the reference does not know are passed over."""
        for point in points:
            window = self._windows.get(point.name)
            if window is not None and math.isfinite(point.value):
                window.add(point.value)

    def drifts(self) -> Iterator[tuple[str, Drift]]:
        """How each statistic stands, by name."""
        for name, window in self._windows.items():
            yield name, window.drift()


def _shares(counts: Sequence[float]) -> Sequence[float]:
    total = sum(counts)
    return [count / total for count in counts]
