"""Drift from a reference: the measures by hand, and the way from a handler to the metrics."""

import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from serving.engine import Engine
from serving.handlers.points import MetricPoint
from serving.model_config import ModelConfig
from serving.observe.drift import DriftMonitor, ks, psi
from serving.observe.metrics import ServerMetrics
from serving.observe.reference import Reference, Spread, read_reference, spread_of
from serving.settings import ServerSettings

HALVES = Spread(bounds=(1.0,), counts=(50, 50), mean=1.0)
COUNTS = st.lists(st.integers(0, 1000), min_size=2, max_size=8).filter(any)

HANDLER = """
import numpy as np

class Measured:
    def load(self, context): pass
    def decode(self, body): return {"x": np.array([float(body)])}
    def infer(self, batch): return [{"y": 2 * item["x"]} for item in batch]
    def encode(self, outputs): return float(outputs["y"][0])
    def measure(self, item, outputs):
        if item["x"][0] < 0:
            raise ArithmeticError("negative")
        return {"input": item["x"][0], "output": outputs["y"][0]}
"""


def points(values: Sequence[float], name: str = "input") -> list[MetricPoint]:
    return [MetricPoint(name=name, value=value, kind="statistic") for value in values]


def test_psi_and_ks_by_hand() -> None:
    # (0.75 - 0.5) ln(0.75 / 0.5) + (0.25 - 0.5) ln(0.25 / 0.5) = 0.25 ln 3
    assert psi([75, 25], [50, 50]) == pytest.approx(0.25 * math.log(3))
    assert ks([75, 25], [50, 50]) == 0.25
    # 0.3 ln(0.4 / 0.1) + 0 + (-0.3) ln(0.1 / 0.4) = 0.6 ln 4; cumulative 0.4 - 0.1, 0.9 - 0.6
    assert psi([40, 50, 10], [10, 50, 40]) == pytest.approx(0.6 * math.log(4))
    assert ks([40, 50, 10], [10, 50, 40]) == pytest.approx(0.3)


def test_bin_that_is_empty_counts_as_one_in_ten_thousand() -> None:
    # 0.5 ln(1 / 0.5) + (-0.5) ln(0.0001 / 0.5) = 0.5 ln 2 + 0.5 ln 5000 = 0.5 ln 10000
    assert psi([100, 0], [50, 50]) == pytest.approx(0.5 * math.log(10_000))


@given(COUNTS)
def test_same_spread_is_no_drift_and_another_never_less(counts: list[int]) -> None:
    other = list(reversed(counts))
    assert psi(counts, counts) == ks(counts, counts) == 0
    assert psi([3 * count for count in counts], counts) == pytest.approx(0)
    assert psi(other, counts) >= 0
    assert 0 <= ks(other, counts) <= 1


def test_drift_is_told_once_there_are_a_hundred_values() -> None:
    monitor = DriftMonitor(Reference(statistics={"input": HALVES}))
    monitor.take(points([0.5] * 75 + [1.5] * 24))
    (_, before), *_ = monitor.drifts()
    assert (before.samples, before.psi, before.ks) == (99, None, None)
    monitor.take(points([1.5, math.nan]) + points([7], name="unknown"))
    (name, drift), *others = monitor.drifts()
    assert (name, others, drift.samples) == ("input", [], 100)
    assert drift.psi == pytest.approx(0.25 * math.log(3))
    assert drift.ks == 0.25
    assert (drift.mean, drift.reference_mean) == (0.75, 1.0)


def test_only_the_last_thousand_values_count() -> None:
    monitor = DriftMonitor(Reference(statistics={"input": HALVES}))
    monitor.take(points([0.5] * 5000))
    monitor.take(points([0.5, 1.5] * 500))
    (_, drift), *_ = monitor.drifts()
    assert (drift.samples, drift.psi, drift.ks, drift.mean) == (1000, 0, 0, 1.0)


def test_value_on_a_bound_falls_below_it() -> None:
    assert [HALVES.bin_of(value) for value in (0.5, 1.0, 1.1)] == [0, 0, 1]


def test_spread_has_bins_of_equal_counts() -> None:
    spread = spread_of([float(n) for n in range(1, 81)])
    assert spread.bounds == (10, 20, 30, 40, 50, 60, 70)
    assert spread.counts == (10,) * 8
    assert spread.mean == 40.5


def test_values_that_are_alike_share_a_bin() -> None:
    assert spread_of([3.0] * 20) == Spread(bounds=(), counts=(20,), mean=3.0)
    assert spread_of([0.0] * 15 + [1.0] * 5) == Spread(bounds=(0.0,), counts=(15, 5), mean=0.25)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=200))
def test_any_values_make_a_spread_that_holds_them_all(values: list[float]) -> None:
    spread = spread_of(values)
    assert sum(spread.counts) == len(values)
    assert len(spread.counts) <= 8


@pytest.mark.parametrize(
    "text",
    [
        "{",
        '{"statistics": {"x": {"bounds": [1], "counts": [1], "mean": 0}}}',
        '{"statistics": {"x": {"bounds": [2, 1], "counts": [1, 1, 1], "mean": 0}}}',
        '{"statistics": {"x": {"bounds": [1], "counts": [0, 0], "mean": 0}}}',
    ],
    ids=["no JSON", "too few counts", "descending", "empty"],
)
def test_reference_that_is_broken_is_passed_over(
    tmp_path: Path, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "reference.json").write_text(text)
    assert read_reference(tmp_path) is None
    assert "is no reference" in caplog.text


async def test_what_a_handler_measures_is_compared_with_the_reference(tmp_path: Path) -> None:
    folder = tmp_path / "measured"
    folder.mkdir()
    (folder / "manifest.json").write_text('{"name": "measured", "handler": "m.py:Measured"}')
    (folder / "m.py").write_text(HANDLER)
    spread = {"bounds": [1.0], "counts": [50, 50], "mean": 1.0}
    (folder / "reference.json").write_text(json.dumps({"statistics": {"output": spread}}))
    config = ModelConfig(device="cpu", batch_size=8)
    metrics = ServerMetrics()
    engine = Engine(ServerSettings(models_dir=str(tmp_path), defaults=config), metrics)
    await engine.start()
    try:
        for value in [0.25] * 75 + [1.0] * 25:
            await engine.infer("measured", {"x": np.array([value])})
        # What cannot be measured is answered all the same.
        assert (await engine.infer("measured", {"x": np.array([-1.0])}))["y"] == [-2]
    finally:
        await engine.stop(grace_s=0)
    lines = metrics.as_text().decode().splitlines()
    labels = 'model_name="measured",model_version="1",statistic="output"'
    assert f"serving_drift_samples{{{labels}}} 100.0" in lines
    assert f"serving_drift_ks{{{labels}}} 0.25" in lines
    assert f"serving_drift_mean{{{labels}}} 0.875" in lines
    (told,) = [line for line in lines if line.startswith("serving_drift_psi{")]
    assert float(told.split()[-1]) == pytest.approx(0.25 * math.log(3))
