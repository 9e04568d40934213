"""Intervals that may be looked at at any time: confidence sequences, and their p-values.

An interval for a sample of fixed size is too narrow for who looks again and again, and stops when
he likes what he sees. These hold at all times together, with the confidence that they state.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

__all__ = ("Difference", "Moments", "difference_of_means", "share_interval")

_LEAST_COUNT = 50
"""Values of each version before means are compared: the method is exact for many."""

_SHARPEST_AT = 1000.0
"""Number of values at which intervals of means are narrowest, compared with what is possible."""

_STEPS = 60


def share_interval(events: int, count: int, alpha: float) -> tuple[float, float]:
    """Where the true share of events lies, at all times with a confidence of 1 - alpha.

    The shares against which the likelihood, mixed over all shares (Beta(1/2, 1/2)), has not grown
    to 1/alpha: a test martingale for Bernoulli trials (Robbins, Statistical Methods Related to the
    Law of the Iterated Logarithm, 1970; Howard, Ramdas, McAuliffe and Sekhon, Time-uniform,
    Nonparametric, Nonasymptotic Confidence Sequences, Annals of Statistics 2021). Exact for any
    count.

    Args:
        events: in [0, count].
        count: of trials, >= 0.
        alpha: in (0, 1).

    Returns:
        The lower and the upper end, in [0, 1].
    """
    if count == 0:
        return 0.0, 1.0
    others = count - events
    mixed = _log_beta(events + 0.5, others + 0.5) - _log_beta(0.5, 0.5)

    def is_within(share: float) -> bool:
        likelihood = _times_log(events, share) + _times_log(others, 1 - share)
        return mixed - likelihood < -math.log(alpha)

    middle = events / count
    low = 0.0 if is_within(0.0) else _edge(is_within, middle, 0.0)
    high = 1.0 if is_within(1.0) else _edge(is_within, middle, 1.0)
    return low, high


class Moments:
    """Count, mean and spread of values, added one by one (Welford, Technometrics 1962)."""

    __slots__ = ("_squares", "count", "mean")

    def __init__(self) -> None:
        self.count = 0
        self.mean = 0.0
        self._squares = 0.0

    def add(self, value: float) -> None:
        """Count a value, finite."""
        self.count += 1
        distance = value - self.mean
        self.mean += distance / self.count
        self._squares += distance * (value - self.mean)

    @property
    def variance(self) -> float:
        """Of the values, >= 0; 0 for fewer than two."""
        return self._squares / (self.count - 1) if self.count > 1 else 0.0


class Difference(NamedTuple):
    """By how much one version's mean exceeds another's.

    Attributes:
        estimate: the difference.
        low: lower end of its interval.
        high: upper end.
        p_value: always valid, of there being none, in (0, 1].
    """

    estimate: float
    low: float
    high: float
    p_value: float


def difference_of_means(one: Moments, other: Moments, alpha: float) -> Difference | None:
    """Compare means; None for too few values.

    The mixture sequential probability ratio test of Johari, Koomen, Pekelis and Walsh (Always Valid
    Inference, Operations Research 2022), in the information 1 / (s1^2/n1 + s2^2/n2) that Welch's
    test has as well, with the variances as measured: asymptotically valid (Waudby-Smith, Arbour,
    Sinha, Kennedy and Ramdas, Time-uniform Central Limit Theory, Annals of Statistics 2024).

    Args:
        one: the version that is asked about.
        other: the version that it is compared with.
        alpha: one less the confidence, in (0, 1).
    """
    if min(one.count, other.count) < _LEAST_COUNT:
        return None
    estimate = one.mean - other.mean
    error = one.variance / one.count + other.variance / other.count
    if error <= 0:
        return Difference(estimate, estimate, estimate, 1.0 if estimate == 0 else 0.0)
    spread = (one.variance + other.variance) / 2
    grown = 1 + _prior(alpha) * spread / error
    half = math.sqrt(error * grown / (grown - 1) * math.log(grown / alpha**2))
    support = (grown - 1) / grown * estimate**2 / error / 2 - math.log(grown) / 2
    return Difference(
        estimate, estimate - half, estimate + half, math.exp(-max(min(support, 700.0), 0.0))
    )


def _prior(alpha: float) -> float:
    """Variance of the mixture, in units of the values', for which it is sharpest at that count."""
    sought = -2 * math.log(alpha)
    return (sought + math.log(sought + 1)) / _SHARPEST_AT


def _edge(is_within: Callable[[float], bool], inside: float, outside: float) -> float:
    """Where an interval ends between what is in it and what is not."""
    for _ in range(_STEPS):
        middle = (inside + outside) / 2
        if is_within(middle):
            inside = middle
        else:
            outside = middle
    return outside


def _log_beta(one: float, other: float) -> float:
    return math.lgamma(one) + math.lgamma(other) - math.lgamma(one + other)


def _times_log(count: int, share: float) -> float:
    if count == 0:
        return 0.0
    return count * math.log(share) if share > 0 else -math.inf
