"""Distance: how far what a version's handler measures is from another version's, for certain.

The Kolmogorov-Smirnov distance of two samples is never nothing. What is told here is how large it
is at least: less what each sample may be from what it was drawn of, by the inequality of Dvoretzky,
Kiefer and Wolfowitz with Massart's constant (Annals of Probability 1990). That holds for a sample
of one size; the samples are looked at whenever they have grown by a quarter, and what may go wrong
is shared out among these looks.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serving.observe.drift import psi

__all__ = ("MOST_VALUES", "Distance", "Sample", "compare")

MOST_VALUES = 4000
_FIRST_LOOK = 30
_GROWTH = 1.25
_BINS = 8
_FEWEST_FOR_PSI = 100


def _looks() -> tuple[int, ...]:
    sizes = [_FIRST_LOOK]
    while sizes[-1] < MOST_VALUES:
        sizes.append(min(math.ceil(sizes[-1] * _GROWTH), MOST_VALUES))
    return tuple(sizes)


_LOOKS = _looks()
"""Sizes at which samples are looked at."""


class Distance(NamedTuple):
    """How far apart two samples are.

    Attributes:
        ks: the Kolmogorov-Smirnov distance of the samples, in [0, 1].
        at_least: what it is in truth at least, in [0, 1].
        psi: the population stability index in bins of equal counts; None: too few values.
        counts: values of each.
        means: of each.
    """

    ks: float
    at_least: float
    psi: float | None
    counts: tuple[int, int]
    means: tuple[float, float]


class Sample:
    """The first values of one statistic, no more than `MOST_VALUES`."""

    __slots__ = ("values",)

    def __init__(self) -> None:
        self.values: list[float] = []

    def add(self, value: float) -> None:
        """Take a value, if it is a number and there is room."""
        if math.isfinite(value) and len(self.values) < MOST_VALUES:
            self.values.append(value)

    @property
    def look(self) -> int:
        """The number of the present look, from 0; -1: there are too few values for any."""
        return sum(size <= len(self.values) for size in _LOOKS) - 1


def compare(candidate: Sample, stable: Sample, alpha: float) -> Distance | None:
    """Look at two samples; None: there are too few values.

    Args:
        candidate: of the one version.
        stable: of the other.
        alpha: how likely `at_least` is ever wrong, at any look, in (0, 1).
    """
    looks = (candidate.look, stable.look)
    if min(looks) < 0:
        return None
    ours, theirs = (
        np.sort(np.array(sample.values[: _LOOKS[look]], np.float64))
        for sample, look in zip((candidate, stable), looks, strict=True)
    )
    ks = ks_distance(ours, theirs)
    doubt = sum(_doubt(look, alpha / 2) for look in looks)
    return Distance(
        ks=ks,
        at_least=max(ks - doubt, 0.0),
        psi=_psi(ours, theirs),
        counts=(len(ours), len(theirs)),
        means=(float(ours.mean()), float(theirs.mean())),
    )


def ks_distance(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """The largest distance between the two shares of values up to a point, in [0, 1].

    Args:
        one: (n,) float64, ascending, n >= 1.
        other: (m,) float64, ascending, m >= 1.
    """
    points = np.concatenate([one, other])
    ours = np.searchsorted(one, points, side="right") / len(one)
    theirs = np.searchsorted(other, points, side="right") / len(other)
    return float(np.abs(ours - theirs).max())


def _doubt(look: int, alpha: float) -> float:
    """How far a sample may be from what it was drawn of, at this look, and still be chance."""
    spent = alpha / ((look + 1) * (look + 2))
    return math.sqrt(math.log(2 / spent) / (2 * _LOOKS[look]))


def _psi(ours: Sequence[float] | NDArray[np.float64], theirs: NDArray[np.float64]) -> float | None:
    if min(len(ours), len(theirs)) < _FEWEST_FOR_PSI:
        return None
    bounds = np.unique(np.quantile(theirs, np.arange(1, _BINS) / _BINS, method="lower"))
    counts = [
        np.bincount(np.searchsorted(bounds, values), minlength=len(bounds) + 1).tolist()
        for values in (ours, theirs)
    ]
    return psi(*counts)
