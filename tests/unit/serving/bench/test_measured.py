import math
from collections import Counter

import msgspec
import pytest

from serving.bench.measured import Measured, Slice, Spread, Trial, measure, slices_of, spread
from serving.bench.records import Record, Result, percentile
from serving.bench.setting import Setting


def result(latencies_ms: list[float], status: int = 200) -> Result:
    """Answers that come one after the other, in two seconds."""
    step = 2.0 / len(latencies_ms)
    records = [
        Record(number * step, latency, status) for number, latency in enumerate(latencies_ms)
    ]
    done = len(records) if status == 200 else 0
    return Result(2.0, records, done, Counter({status: len(records)}))


@pytest.mark.parametrize(
    ("share", "expected"),
    [(50, 50), (90, 90), (95, 95), (99, 99), (99.9, 100), (100, 100)],
)
def test_percentile_is_a_value_that_was_measured(share: float, expected: float) -> None:
    assert percentile([float(value) for value in range(100, 0, -1)], share) == expected


def test_percentile_of_nothing_is_no_number() -> None:
    assert math.isnan(percentile([], 99))


def test_measure_of_ten_answers() -> None:
    measured = measure(result([10, 20, 30, 40, 50, 60, 70, 80, 90, 100]), limit_ms=75)
    assert measured.throughput == 5.0
    assert measured.goodput == pytest.approx(3.5)  # seven of ten kept the limit
    assert (measured.p50_ms, measured.p90_ms, measured.p99_ms) == (50, 90, 100)
    assert measured.mean_ms == 55
    assert (measured.errors, measured.statuses) == (0.0, {"200": 10})


def test_measure_without_good_answers_has_no_latency_and_crosses_a_file() -> None:
    measured = measure(result([5.0], status=503), limit_ms=None)
    assert (measured.throughput, measured.errors, measured.p99_ms) == (0.0, 1.0, None)
    trial = Trial(setting=Setting(), seconds=2.0, repeats=(measured,))
    assert msgspec.json.decode(msgspec.json.encode(trial), type=Trial) == trial
    assert math.isnan(trial.median("p99_ms"))


def test_slices_take_answers_where_they_come() -> None:
    # Starts at 0, 0.5, 1, 1.5 s; answers at 0.4, 0.9, 1.9 and, too late to count, 2.1 s.
    parts = slices_of(result([400.0, 400.0, 900.0, 600.0]), 2)
    assert parts == (Slice(2.0, 400.0), Slice(1.0, 900.0))


def test_spread_is_middle_least_most() -> None:
    assert spread([3.0, 1.0, 2.0]) == Spread(2.0, 1.0, 3.0)


def test_trial_sums_its_repeats_up() -> None:
    good = measure(result([10.0, 20.0]), None)
    bad: Measured = measure(result([5.0, 5.0], status=500), None)
    trial = Trial(setting=Setting(), seconds=4.0, repeats=(good, bad))
    assert (trial.requests, trial.failed) == (4, 2)
    assert trial.spread("throughput") == Spread(0.5, 0.0, 1.0)
    assert len(trial.slices) == 10
