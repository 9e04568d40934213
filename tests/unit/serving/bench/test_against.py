import random
from collections.abc import Iterable

import msgspec
import numpy as np
import pytest

from serving.bench.against import Change, compare, interval, told
from serving.bench.measured import Measured, Slice, Trial
from serving.bench.setting import Setting
from tests.unit.serving.bench.simulated import trial


def noisy(rate: float, p99_ms: float, noise: float, seed: int, errors: float = 0.0) -> Trial:
    """Three repeats of five slices each, with noise of so large a share."""
    chance = random.Random(seed)
    slices = tuple(
        Slice(rate * chance.gauss(1, noise), p99_ms * chance.gauss(1, noise)) for _ in range(15)
    )
    one: Measured = trial(Setting(), 15.0, rate, p99_ms, errors).repeats[0]
    fields = {name: getattr(one, name) for name in one.__struct_fields__} | {"slices": slices}
    return Trial(setting=Setting(), seconds=15.0, repeats=(Measured(**fields),))


def worse(changes: Iterable[Change]) -> list[Change]:
    return [change for change in changes if change.is_worse]


def found(before: Trial, now: Trial) -> list[str]:
    return [change.what for change in worse(compare([before], [now]))]


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ((100.0, 50.0), []),
        ((94.0, 50.0), ["throughput"]),
        ((96.0, 50.0), []),  # sure, but too little
        ((100.0, 56.0), ["p99"]),
        ((110.0, 40.0), []),  # better
        ((80.0, 80.0), ["throughput", "p99"]),
    ],
)
def test_without_noise_five_percent_decides(now: tuple[float, float], expected: list[str]) -> None:
    assert found(noisy(100.0, 50.0, 0.0, 1), noisy(*now, 0.0, 2)) == expected


def test_change_within_the_noise_is_none() -> None:
    # Slices differ by 30 %: their mean is known to 30 % / sqrt(15) = 8 %, so 8 % less is no news.
    assert found(noisy(100.0, 50.0, 0.3, 1), noisy(92.0, 50.0, 0.3, 2)) == []
    assert "throughput" in found(noisy(100.0, 50.0, 0.3, 1), noisy(50.0, 50.0, 0.3, 2))


def test_same_server_is_hardly_ever_called_worse() -> None:
    wrong = sum(
        bool(found(noisy(100.0, 50.0, 0.1, 2 * n), noisy(100.0, 50.0, 0.1, 2 * n + 1)))
        for n in range(200)
    )
    assert wrong <= 4  # two percent


def test_fifth_less_is_always_found_in_noise_of_a_tenth() -> None:
    pairs = [(noisy(100.0, 50.0, 0.1, n), noisy(80.0, 50.0, 0.1, n + 500)) for n in range(50)]
    assert all("throughput" in found(*pair) for pair in pairs)


def test_more_failures_count() -> None:
    before = noisy(100.0, 50.0, 0.0, 1)
    assert found(before, noisy(100.0, 50.0, 0.0, 1, errors=0.02)) == ["errors"]
    assert found(before, noisy(100.0, 50.0, 0.0, 1, errors=0.001)) == []


def test_setting_that_no_longer_works_is_worse() -> None:
    broken = Trial(setting=Setting(), seconds=15.0, problem="it does not start")
    (change,) = worse(compare([noisy(100.0, 50.0, 0.0, 1)], [broken]))
    assert "it does not start" in change.sentence
    assert change.sentence.startswith("WORSE: throughput 100 -> 0 (-100%)")


def test_only_what_both_tried_is_compared_by_its_longest_trial() -> None:
    other = trial(Setting(workers=9), 15.0, 1.0, 1.0)
    short = trial(Setting(), 1.0, 1.0, 999.0)
    assert compare([noisy(100.0, 50.0, 0.0, 1)], [other]) == []
    assert worse(compare([noisy(100.0, 50.0, 0.0, 1)], [short, noisy(100.0, 50.0, 0.0, 1)])) == []


def test_interval_of_equal_values_is_the_value() -> None:
    assert interval([3.0, 3.0, 3.0], np.mean) == (3.0, 3.0)


def test_what_did_not_change_is_told_as_one_number() -> None:
    def change(now: float, *, is_worse: bool = False) -> Change:
        return Change("batch 1", "p99", 100.0, now, is_worse)

    changes = [change(101.0), change(80.0), change(150.0, is_worse=True), change(99.0)]
    assert told(changes, 0.05) == [
        "WORSE: p99 100 -> 150 (+50%), batch 1",
        "not beyond noise: p99 100 -> 80 (-20%), batch 1",
        "2 numbers are as before",
    ]


def test_trials_of_too_few_slices_are_not_compared() -> None:
    short = noisy(100.0, 50.0, 0.0, 1)
    few = msgspec.structs.replace(short.repeats[0], slices=short.repeats[0].slices[:3])
    brief = msgspec.structs.replace(short, repeats=(few,))
    assert [change.what for change in compare([brief], [short])] == ["errors"]
