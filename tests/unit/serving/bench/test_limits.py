import contextlib
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serving.bench.limits import InvalidLimit, excess, latency_limit_ms, parse_limit
from serving.bench.setting import Setting
from tests.unit.serving.bench.simulated import trial


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("p99=100ms", 100.0), ("p99.9 = 1.5s", 1500.0), ("errors=0.1%", 0.001),
        ("errors=0.02", 0.02), ("memory=2GB", 2048.0), ("throughput=50/s", 50.0), ("P50=7", 7.0),
    ],
)  # fmt: skip
def test_limits_are_read_in_their_units(text: str, bound: float) -> None:
    assert parse_limit(text).bound == pytest.approx(bound)


@pytest.mark.parametrize("text", ["", "p99", "p98=1ms", "p99=1.2.3ms", "p99=1%", "memory=1ms", "="])
def test_what_is_no_limit_is_told(text: str) -> None:
    with pytest.raises(InvalidLimit, match="is no limit"):
        parse_limit(text)


@given(st.text(max_size=30))
def test_any_text_is_a_limit_or_told(text: str) -> None:
    with contextlib.suppress(InvalidLimit):
        assert parse_limit(text).bound >= 0


def test_excess_is_the_worst_of_all_limits() -> None:
    slow = trial(Setting(), 10.0, throughput=50.0, p99_ms=120.0, errors=0.01)
    limits = [parse_limit(text) for text in ("p99=100ms", "errors=2%", "throughput=100")]
    assert excess(slow, limits) == pytest.approx(2.0)
    assert excess(slow, limits[:2]) == pytest.approx(1.2)
    assert excess(slow, [limits[1]]) == pytest.approx(0.5)


def test_no_error_at_all_can_be_asked_for() -> None:
    none = [parse_limit("errors=0")]
    assert excess(trial(Setting(), 1.0, 1.0, 1.0), none) == 1.0
    assert excess(trial(Setting(), 1.0, 1.0, 1.0, errors=0.01), none) == math.inf


def test_setting_that_mostly_fails_keeps_no_limit() -> None:
    assert excess(trial(Setting(), 10.0, 50.0, 5.0, errors=0.9), []) > 1


def test_goodput_is_counted_by_the_highest_percentile_that_is_bounded() -> None:
    limits = [parse_limit(text) for text in ("p99=100ms", "p50=20ms", "errors=1%")]
    assert latency_limit_ms(limits) == 100.0
    assert latency_limit_ms(limits[2:]) is None
