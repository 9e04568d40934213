import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from serving.releases.distance import MOST_VALUES, Sample, compare, ks_distance


def sample_of(values: list[float]) -> Sample:
    sample = Sample()
    for value in values:
        sample.add(value)
    return sample


def gaussian(count: int, mean: float, seed: int) -> Sample:
    return sample_of(np.random.default_rng(seed).normal(mean, 1, count).tolist())


def test_distance_is_the_largest_step_between_two_shares() -> None:
    # Up to 1: 1/2 and 0; up to 2: 1 and 1/2; up to 3: 1 and 1.
    assert ks_distance(np.array([1.0, 2.0]), np.array([2.0, 3.0])) == 0.5
    assert ks_distance(np.array([1.0, 2.0]), np.array([3.0])) == 1
    assert ks_distance(np.array([1.0, 2.0]), np.array([1.0, 1.0, 2.0, 2.0])) == 0


@given(
    st.lists(st.floats(-100, 100), min_size=1, max_size=30),
    st.lists(st.floats(-100, 100), min_size=1, max_size=30),
)
def test_distance_is_symmetric_and_at_most_one(one: list[float], other: list[float]) -> None:
    ours, theirs = np.sort(np.array(one)), np.sort(np.array(other))
    found = ks_distance(ours, theirs)
    assert 0 <= found <= 1
    assert found == ks_distance(theirs, ours)
    assert ks_distance(ours, ours) == 0


def test_few_values_are_not_compared() -> None:
    assert compare(gaussian(29, 0, 1), gaussian(100, 0, 2), 0.01) is None


def test_doubt_is_that_of_the_inequality_at_the_first_look() -> None:
    ones, twos = sample_of([1.0] * 30), sample_of([2.0] * 30)
    found = compare(ones, twos, 0.04)
    assert found is not None
    # Half of the doubt for each sample, and half of that for the first look: 0.01.
    doubt = math.sqrt(math.log(2 / 0.01) / 60)
    assert found.ks == 1
    assert found.at_least == pytest.approx(1 - 2 * doubt)
    assert found.counts == (30, 30)
    assert found.means == (1, 2)
    assert found.psi is None


def test_samples_end_where_they_are_large_enough() -> None:
    sample = sample_of([math.nan, math.inf, *[1.0] * (MOST_VALUES + 5)])
    assert len(sample.values) == MOST_VALUES


def test_what_is_told_for_certain_is_less_than_the_truth_at_all_looks() -> None:
    # Normal values that are one standard deviation apart: 2 Phi(1/2) - 1.
    truth = 0.3829
    wrong = 0
    for seed in range(60):
        source = np.random.default_rng(seed)
        candidate, stable = Sample(), Sample()
        for value, other in source.normal(0, 1, (1500, 2)):
            candidate.add(value + 1)
            stable.add(other)
            if len(stable.values) % 50 == 0:
                found = compare(candidate, stable, 0.1)
                if found is not None and found.at_least > truth:
                    wrong += 1
                    break
    assert wrong <= 6 + 3 * math.sqrt(60 * 0.1 * 0.9)


def test_population_that_is_another_one_is_told_from_one_that_is_not() -> None:
    far = compare(gaussian(500, 1.2, 1), gaussian(2000, 0, 2), 0.001)
    near = compare(gaussian(500, 0.1, 1), gaussian(2000, 0, 2), 0.001)
    assert far is not None
    assert near is not None
    assert far.at_least > 0.2
    assert near.at_least == 0
    assert far.psi is not None
    assert near.psi is not None
    assert far.psi > 0.25 > near.psi
