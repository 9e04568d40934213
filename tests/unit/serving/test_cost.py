"""What batches are expected to take, after what they took; times in seconds."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serving.batching.cost import BatchCost, Costs


def learned(sizes: list[int], fixed: float, each: float, spread: float = 0.0) -> BatchCost:
    """From batches of these sizes that take `fixed` + `each` * size, but for chance."""
    cost, chance = BatchCost(), random.Random(1)
    for size in sizes:
        cost.note(size, (fixed + each * size) * chance.lognormvariate(0, spread))
    return cost


def test_nothing_is_expected_before_the_first_batch() -> None:
    assert (BatchCost().seconds(8), BatchCost().count) == (0.0, 0)


def test_large_batches_are_expected_to_cost_in_proportion_while_all_were_alone() -> None:
    cost = learned([1] * 5, fixed=0.01, each=0.001)
    assert cost.seconds(1) == pytest.approx(0.011)
    assert cost.seconds(8) == pytest.approx(8 * 0.011)


def test_line_is_found_once_batches_differ() -> None:
    cost = learned([1, 4, 16, 32] * 10, fixed=0.01, each=0.001)
    assert cost.fixed_s == pytest.approx(0.01, rel=0.02)
    assert cost.each_s == pytest.approx(0.001, rel=0.02)


def test_line_is_found_through_noise() -> None:
    cost = learned([1, 3, 8, 20, 40] * 40, fixed=0.01, each=0.001, spread=0.2)
    for size in (1, 8, 40):
        assert cost.seconds(size) == pytest.approx(0.01 + 0.001 * size, rel=0.25)


def test_quiet_hour_of_lone_items_does_not_forget_what_large_batches_take() -> None:
    cost = learned([1, 8, 32] * 10 + [1] * 5000, fixed=0.01, each=0.001)
    assert cost.seconds(32) == pytest.approx(0.042, rel=0.05)


@pytest.mark.parametrize("factor", [0.5, 2.0, 3.0])
def test_change_that_all_share_is_followed_within_twenty_batches_of_any_size(
    factor: float,
) -> None:
    cost = learned([1, 8, 32] * 10, fixed=0.01, each=0.001)
    for _ in range(20):
        cost.note(1, 0.011 * factor)
    assert cost.seconds(1) == pytest.approx(0.011 * factor, rel=0.1)
    assert cost.seconds(32) == pytest.approx(0.042 * factor, rel=0.2)


def test_one_batch_that_was_held_up_for_a_second_changes_little() -> None:
    cost = learned([1, 8, 32] * 10, fixed=0.01, each=0.001)
    cost.note(8, 1.0)
    assert cost.seconds(8) <= 1.4 * 0.018


def test_fitting_is_the_largest_size_in_the_time() -> None:
    cost = learned([1, 4, 16, 32] * 10, fixed=0.01, each=0.001)
    assert [cost.fitting(seconds, 32) for seconds in (0.005, 0.0205, 1.0)] == [0, 10, 32]


def test_larger_batches_are_not_worthwhile_where_items_run_one_by_one() -> None:
    one_by_one = learned([1, 2, 4, 8] * 10, fixed=0.0, each=0.03)
    together = learned([1, 2, 4, 8] * 10, fixed=0.03, each=0.003)
    while one_by_one.count % 64 == 0 or together.count % 64 == 0:
        raise AssertionError("that is when it is looked again")
    assert one_by_one.worthwhile(16) == 1
    assert together.worthwhile(16) == 16


def test_what_is_worthwhile_is_looked_at_again_now_and_then() -> None:
    cost = learned([1, 2, 4, 8] * 10, fixed=0.0, each=0.03)
    sizes = []
    for _ in range(64):
        sizes.append(cost.worthwhile(16))
        cost.note(1, 0.03)
    assert sorted(sizes) == [1] * 63 + [16]


@given(
    st.lists(st.tuples(st.integers(1, 256), st.floats(1e-6, 1e3)), min_size=1, max_size=60),
    st.integers(1, 256),
)
def test_whatever_comes_costs_grow_with_size_and_fit(
    batches: list[tuple[int, float]], size: int
) -> None:
    cost = BatchCost()
    for count, seconds in batches:
        cost.note(count, seconds)
    assert cost.fixed_s >= 0
    assert cost.each_s >= 0
    assert 0 < cost.seconds(1) <= cost.seconds(size) < float("inf")
    fits = cost.fitting(cost.seconds(size) * 1.0001, 256)
    assert fits >= size
    assert 1 <= cost.worthwhile(256) <= 256


def test_kinds_are_told_apart_and_a_new_one_is_taken_for_the_average() -> None:
    costs = Costs()
    for _ in range(20):
        costs.note("small", 1, 0.01)
        costs.note("large", 1, 0.05)
    assert costs.of("small").seconds(1) == pytest.approx(0.01)
    assert costs.of("large").seconds(1) == pytest.approx(0.05)
    assert 0.01 < costs.of("new").seconds(1) < 0.05


def test_kinds_that_were_not_seen_for_long_are_forgotten() -> None:
    costs = Costs()
    for number in range(1000):
        costs.note(number, 1, 0.01)
    assert costs.of(0) is costs.overall
    assert costs.of(999) is not costs.overall
