"""The bench on the real TorchServe, by flags and by auto_benchmark's own file.

TORCHSERVE_PYTHON=/path/to/venv/bin/python pytest -m peer tests/peers/test_bench.py
"""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from serving.__main__ import main
from serving.bench.results import read_trials
from tests.support_torchserve import Archiver, Server, real_torchserve

pytestmark = [pytest.mark.peer, pytest.mark.timeout(600)]

HANDLER = """
class Length:
    def initialize(self, context):
        pass

    def handle(self, data, context):
        return [str(len(row.get("data") or row.get("body") or b"")) for row in data]
"""

# As those of TorchServe's repository, with keys that only its own scripts follow.
MODEL_YAML = """
---
len:
    eager_mode:
        benchmark_engine: "ab"
        url: file://{archive}
        workers:
            - 2
        batch_delay: 10
        batch_size:
            - 1
            - 4
        requests: 200
        concurrency: 8
        input: "{body}"
        backend_profiling: False
        exec_env: "local"
        processors:
            - "cpu"
"""

LIST_YAML = """
ts_version:
    release: "0.12.0"
models:
    - "{model}"
hardware: &hardware "cpu"
report_cmd:
    - "cmd": "aws s3 cp --recursive"
    - "dest": ['s3://torchserve-benchmark/nightly', "today()", *hardware]
"""


@pytest.fixture(scope="module")
def archiver(tmp_path_factory: pytest.TempPathFactory) -> Archiver:
    made = Archiver(tmp_path_factory.mktemp("archives"))
    made.pack("len", {"handler.py": HANDLER}, handler="handler.py")
    return made


@pytest.fixture(scope="module")
def torchserve(archiver: Archiver, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("peer") / "run"
    with real_torchserve(folder, archiver.store, metrics_mode="prometheus") as server:
        yield server


def flags_of(server: Server) -> list[str]:
    flags = ["bench", "--url", server.inference, "--management-url", server.management]
    return [*flags, "--metrics-url", server.metrics]


def served(server: Server) -> list[dict[str, Any]]:
    """What the server says of the model."""
    found: list[dict[str, Any]] = httpx.get(f"{server.management}/models/len").json()
    return found


def test_settings_are_tried_and_the_model_is_served_as_before(
    torchserve: Server, tmp_path: Path
) -> None:
    (tmp_path / "body").write_bytes(b"0123456789")
    torchserve.register("len", batch_size=2, max_batch_delay=20)
    flags = ["--model", "len", "--data", str(tmp_path / "body"), "--output", str(tmp_path / "out")]
    brief = ["--seconds", "0.5", "--repeats", "1", "--warmup", "0.2", "--concurrency", "4"]
    sweep = ["--search", "grid", "--batch-size", "1,4", "--max-batch-delay", "10"]
    try:
        assert main([*flags_of(torchserve), *flags, *brief, *sweep, "--workers", "1,2"]) == 0
        trials = read_trials(tmp_path / "out")
        tried = [(t.setting.batch_size, t.setting.workers, t.problem) for t in trials]
        assert tried == [(1, 1, ""), (4, 1, ""), (1, 2, ""), (4, 2, "")]
        assert all(trial.failed == 0 and trial.usage.memory_mb > 0 for trial in trials)
        assert all(trial.stages.queue_mean > 0 for trial in trials)
        (now,) = served(torchserve)
        assert (now["batchSize"], now["maxBatchDelay"], now["minWorkers"]) == (2, 20, 1)
    finally:
        torchserve.unregister("len")


def test_file_of_auto_benchmark_is_followed_and_answered_in_its_columns(
    torchserve: Server, archiver: Archiver, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body, model, listed = (tmp_path / name for name in ("body", "len.yaml", "cpu.yaml"))
    body.write_bytes(b"0123456789")
    model.write_text(MODEL_YAML.format(archive=archiver.store / "len.mar", body=body))
    listed.write_text(LIST_YAML.format(model=model))
    out = tmp_path / "out"
    assert main([*flags_of(torchserve), "--input", str(listed), "--output", str(out)]) == 0
    assert "not followed: backend_profiling, benchmark_engine" in capsys.readouterr().err
    rows = list(csv.DictReader((out / "ab_report.csv").read_text().splitlines()))
    told = [(r["Batch size"], r["Batch delay"], r["Workers"], r["Requests"]) for r in rows]
    # A batch of one waits for nobody, so that its delay is none.
    assert told == [("1", "0", "2", "200"), ("4", "10", "2", "200")]
    assert all(row["TS failed requests"] == "0" and row["TS error rate"] == "0" for row in rows)
    assert all(float(row["TS throughput"]) > 0 and row["waiting_time_mean"] for row in rows)
    assert rows[0]["Model"] == f"[.mar](file://{archiver.store / 'len.mar'})"
    assert "# TorchServe Version: 0.12.0" in (out / "report.md").read_text()
    assert httpx.get(f"{torchserve.management}/models").json() == {"models": []}
