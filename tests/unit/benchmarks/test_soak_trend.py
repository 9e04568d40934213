"""Whether a number grows, told from samples of processes that come and go."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.soaking.trend import Point, Trend, fit, slices

HOUR = 3600.0


def line(life: str, start: float, slope: float, count: int = 5, first: float = 0.0) -> list[Point]:
    """Points a quarter of an hour apart, whose value grows by so much an hour."""
    return [
        Point(life, first + number * HOUR / 4, start + slope * number / 4)
        for number in range(count)
    ]


def test_slope_of_a_straight_line_is_its_own_without_any_doubt() -> None:
    trend = fit(line("a", 100.0, 6.0))
    assert trend is not None
    assert (trend.slope, trend.low, trend.high) == pytest.approx((6.0, 6.0, 6.0))
    assert (trend.level, trend.lives, trend.slices) == (103.0, 1, 5)


def test_step_between_two_lives_is_no_growth() -> None:
    trend = fit([*line("a", 10.0, 0.0), *line("b", 90.0, 0.0, first=2 * HOUR)])
    assert trend is not None
    assert (trend.slope, trend.low, trend.high, trend.lives) == (0.0, 0.0, 0.0, 2)


def test_one_peak_does_not_move_the_slope() -> None:
    points = line("a", 50.0, 0.0, count=12)
    points[7] = Point("a", points[7].at, 5000.0)
    trend = fit(points)
    assert trend is not None
    assert trend.slope == 0.0
    assert trend.judge(tolerance=1.0) == "flat"


def test_interval_is_that_of_kendalls_test() -> None:
    # Values 1 3 2 4 5 at equal distances: slopes sorted 10; S has the variance 5*4*15/18 = 16.67,
    # so the interval goes from the (10 - 1.96 * 4.08) / 2 = 1st to the (10 + 8) / 2 + 1 = 10th.
    values = (1.0, 3.0, 2.0, 4.0, 5.0)
    trend = fit([Point("a", HOUR * n, value) for n, value in enumerate(values)])
    assert trend is not None
    assert (trend.slope, trend.low, trend.high) == (1.0, -1.0, 2.0)


def test_too_few_pairs_tell_nothing() -> None:
    assert fit(line("a", 1.0, 1.0, count=4)) is None
    assert fit([Point(str(n), float(n), 1.0) for n in range(50)]) is None


@pytest.mark.parametrize(
    ("low", "high", "verdict"), [(-5, 5, "flat"), (6, 9, "grows"), (4, 6, "unclear")]
)
def test_verdict_asks_both_ends_of_the_interval(low: float, high: float, verdict: str) -> None:
    trend = Trend(slope=0.0, low=low, high=high, level=1.0, lives=1, slices=9)
    assert trend.judge(tolerance=5.0) == verdict


def test_slices_are_medians_without_the_first_seconds_of_each_life() -> None:
    points = [Point("a", at, value) for at, value in ((0, 99), (10, 1), (11, 5), (12, 3), (25, 7))]
    points += [Point("b", at, 1.0) for at in (100, 109)]
    assert slices(points, width=10, warm_up=10) == [Point("a", 11.0, 3.0), Point("a", 25.0, 7.0)]


@given(
    st.lists(st.floats(-1e3, 1e3), min_size=5, max_size=12),
    st.floats(-1e6, 1e6),
    st.floats(-50, 50),
)
def test_level_of_a_life_does_not_matter_and_growth_adds_up(
    values: list[float], level: float, growth: float
) -> None:
    points = [Point("a", HOUR * n, value) for n, value in enumerate(values)]
    moved = [Point("a", HOUR * n, value + level + growth * n) for n, value in enumerate(values)]
    before, after = fit(points), fit(moved)
    assert before is not None
    assert after is not None
    for end in ("slope", "low", "high"):
        assert getattr(after, end) == pytest.approx(getattr(before, end) + growth, abs=1e-4)
