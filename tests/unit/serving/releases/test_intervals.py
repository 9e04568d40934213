import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from serving.releases.intervals import Difference, Moments, difference_of_means, share_interval


def moments_of(values: list[float]) -> Moments:
    moments = Moments()
    for value in values:
        moments.add(value)
    return moments


def test_interval_of_one_trial_is_what_a_beta_function_says() -> None:
    # Mixed over all shares one trial has likelihood 1/2; a share p without an event has 1 - p.
    # The ratio reaches 20 at p = 1 - 1/40.
    assert share_interval(0, 1, 0.05) == pytest.approx((0, 0.975))
    assert share_interval(1, 1, 0.05) == pytest.approx((0.025, 1))
    assert share_interval(0, 0, 0.05) == (0, 1)


@given(st.integers(0, 10_000), st.integers(0, 10_000), st.sampled_from([0.5, 0.05, 0.001]))
def test_interval_holds_the_measured_share_and_shrinks_with_confidence(
    events: int, others: int, alpha: float
) -> None:
    count = events + others
    low, high = share_interval(events, count, alpha)
    assert 0 <= low <= high <= 1
    if count:
        assert low <= events / count <= high
    wider = share_interval(events, count, alpha / 10)
    assert wider[0] <= low <= high <= wider[1]


def test_interval_covers_the_share_at_all_times_together() -> None:
    missed = 0
    for seed in range(200):
        source, events = random.Random(seed), 0
        for count in range(1, 1001):
            events += source.random() < 0.05
            if count % 20 == 0:
                low, high = share_interval(events, count, 0.1)
                if not low <= 0.05 <= high:
                    missed += 1
                    break
    assert missed <= 20 + 3 * math.sqrt(200 * 0.1 * 0.9)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=50))
def test_moments_are_those_of_numpy(values: list[float]) -> None:
    moments = moments_of(values)
    assert moments.count == len(values)
    assert moments.mean == pytest.approx(np.mean(values), abs=1e-6)
    assert moments.variance == pytest.approx(np.var(values, ddof=1), rel=1e-6, abs=1e-3)


def test_moments_of_too_few_values_have_no_variance() -> None:
    assert moments_of([]).variance == 0
    assert moments_of([3.0]).variance == 0


def gaussian(count: int, mean: float, seed: int) -> list[float]:
    return [float(value) for value in np.random.default_rng(seed).normal(mean, 1, count)]


def test_p_value_is_the_mixture_of_likelihoods() -> None:
    one, other = moments_of(gaussian(300, 0.3, 1)), moments_of(gaussian(200, 0.0, 2))
    found = difference_of_means(one, other, 0.05)
    assert found is not None
    error = one.variance / 300 + other.variance / 200
    estimate = one.mean - other.mean
    # By summing up the likelihood ratios of a thousand effects, each weighted by its prior.
    prior = (-2 * math.log(0.05) + math.log(-2 * math.log(0.05) + 1)) / 1000
    spread = math.sqrt(prior * (one.variance + other.variance) / 2)
    effects = np.linspace(-8 * spread, 8 * spread, 4001)
    weights = np.exp(-((effects / spread) ** 2) / 2)
    ratios = np.exp((effects * estimate - effects**2 / 2) / error)
    mixed = float((weights * ratios).sum() / weights.sum())
    assert found.p_value == pytest.approx(min(1, 1 / mixed), rel=1e-6)


def test_interval_ends_where_the_p_value_would_be_alpha() -> None:
    one, other = moments_of(gaussian(300, 0.3, 1)), moments_of(gaussian(200, 0.0, 2))
    found = difference_of_means(one, other, 0.05)
    assert found is not None
    shifted = moments_of([value - found.low for value in gaussian(300, 0.3, 1)])
    at_the_end = difference_of_means(shifted, other, 0.05)
    assert at_the_end is not None
    assert at_the_end.p_value == pytest.approx(0.05, rel=1e-6)


def test_means_of_few_values_are_not_compared() -> None:
    assert difference_of_means(moments_of([1.0] * 49), moments_of([1.0] * 50), 0.05) is None


def test_values_that_never_vary_are_equal_or_not() -> None:
    ones, twos = moments_of([1.0] * 50), moments_of([2.0] * 50)
    assert difference_of_means(ones, ones, 0.05) == Difference(0, 0, 0, 1)
    assert difference_of_means(twos, ones, 0.05) == Difference(1, 1, 1, 0)


def test_clear_difference_is_found_and_its_p_value_is_a_number() -> None:
    found = difference_of_means(
        moments_of(gaussian(1000, 50, 1)), moments_of(gaussian(1000, 0, 2)), 0.05
    )
    assert found is not None
    assert 0 <= found.p_value < 1e-100
    assert found.low > 49


def looked_at(seed: int) -> tuple[bool, bool]:
    """Two equal versions with skewed times: whether this test, and Welch's, ever says otherwise."""
    source = np.random.default_rng(seed)
    values = source.exponential(1.0, (2, 2000))
    ours = welch = False
    one, other = Moments(), Moments()
    for index in range(2000):
        one.add(values[0, index])
        other.add(values[1, index])
        if index >= 100 and index % 50 == 0:
            found = difference_of_means(one, other, 0.05)
            ours |= found is not None and found.p_value < 0.05
            error = one.variance / one.count + other.variance / other.count
            welch |= abs(one.mean - other.mean) > 1.96 * math.sqrt(error)
    return ours, welch


def test_peeking_makes_a_test_of_fixed_size_wrong_and_this_one_not() -> None:
    found = [looked_at(seed) for seed in range(150)]
    ours, welch = (sum(each) for each in zip(*found, strict=True))
    assert ours <= 7.5 + 3 * math.sqrt(150 * 0.05 * 0.95)
    assert welch > 30, "four times as many as it promises"
