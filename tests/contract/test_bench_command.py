"""The command, on real servers with a model that does nothing; how fast it is does not matter."""

import csv
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from serving.__main__ import main
from serving.bench.management import Management
from serving.bench.ports import free_ports
from serving.bench.results import read_trials
from serving.bench.running_server import RunningServer
from serving.bench.setting import Setting
from serving.settings import read_settings
from tests.support_serve import wait_until

HANDLER = """
import numpy as np


class Count:
    def load(self, context):
        pass

    def decode(self, body):
        return {"body": np.frombuffer(body, np.uint8)}

    def infer(self, batch):
        return [{"size": np.asarray(len(item["body"]))} for item in batch]

    def encode(self, outputs):
        return {"size": int(outputs["size"])}
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a model, a body and an archive of the same model."""
    folder = tmp_path / "models" / "count"
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text('{"name": "count", "handler": "handler.py:Count"}')
    (folder / "handler.py").write_text(HANDLER)
    (tmp_path / "body").write_bytes(b"12345")
    monkeypatch.chdir(tmp_path)
    return tmp_path


BRIEF = ["--seconds", "0.1", "--repeats", "1", "--warmup", "0", "--data", "body"]
SMALL = ["--batch-size", "1,4", "--workers", "1", "--concurrency", "2"]


def test_sweep_of_a_started_server_leaves_what_can_be_read_and_served(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["bench", "--model", "count", *BRIEF, *SMALL, "--search", "grid"]
    assert main([*flags, "--slo", "p99=60s"]) == 0
    assert "best: batch" in capsys.readouterr().out
    trials = read_trials(home / "bench")
    assert [trial.setting.batch_size for trial in trials] == [1, 4]
    assert all(trial.repeats[0].statuses.keys() == {"200"} for trial in trials)
    assert all(trial.usage.memory_mb > 0 for trial in trials)
    assert all(trial.stages.batch_mean >= 1 for trial in trials)
    config = read_settings(home / "bench" / "tuned.toml", {}).config_of("count")
    assert (config.min_workers, config.batch_size in {1, 4}, config.slo_p99_ms) == (1, True, None)
    tuned = (home / "bench" / "tuned.toml").read_text()
    (home / "kept.toml").write_text(tuned.replace("# slo_p99_ms", "slo_p99_ms"))
    assert read_settings(home / "kept.toml", {}).config_of("count").slo_p99_ms == 60_000
    rows = csv.DictReader((home / "bench" / "ab_report.csv").read_text().splitlines())
    assert [row["Batch size"] for row in rows] == ["1", "4"]
    assert "<svg" in (home / "bench" / "report.html").read_text()
    # The same again is done already, and nothing that was kept is lost.
    assert main([*flags, "--resume", "--slo", "p99=0.000001ms"]) == 1
    assert read_trials(home / "bench") == trials
    assert not (home / "bench" / "tuned.toml").exists()


def test_bench_that_is_told_to_end_takes_its_server_along_and_keeps_what_it_has(
    home: Path,
) -> None:
    flags = ["--model", "count", "--data", "body", "--seconds", "60", "--repeats", "1"]
    sweep = ["--search", "grid", "--warmup", "0", "--workers", "1", "--concurrency", "1"]
    environment = os.environ | {"TMPDIR": str(home)}
    bench = subprocess.Popen(
        [sys.executable, "-m", "serving", "bench", *flags, *sweep], env=environment
    )
    try:
        wait_until(lambda: any(home.glob("bench-*/log")), 60, "the start of its server")
    finally:
        bench.terminate()
    assert bench.wait(30) == 130
    assert not list(home.glob("bench-*"))
    assert "interrupted" in (home / "bench" / "report.html").read_text()


@pytest.fixture
def running(home: Path) -> Iterator[tuple[int, ...]]:
    """A server that runs, with an archive that may be registered anew; its ports."""
    (home / "store").mkdir()
    (home / "handler.py").write_text(
        "def handle(data, context):\n    return data and ['ok'] * len(data)\n"
    )
    archive = ["--model-name", "echo", "--version", "1", "--handler", "handler.py:handle"]
    assert main(["archive", *archive, "--export-path", "store"]) == 0
    ports = free_ports(3)
    kinds = ("inference", "management", "metrics")
    flags = [f"--{kind}-port={port}" for kind, port in zip(kinds, ports, strict=True)]
    flags += ["--grpc-inference-port=0", "--grpc-management-port=0", "--disable-token-auth"]
    command = [sys.executable, "-m", "serving", "start", "--model-store", "store", *flags]
    server = subprocess.Popen([*command, "--models", "echo.mar", "--enable-model-api"])
    try:
        _await(f"http://127.0.0.1:{ports[0]}/ping", server)
        yield ports
    finally:
        server.terminate()
        server.wait()


def _await(url: str, server: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + 60
    while server.poll() is None and time.monotonic() < until:
        try:
            if httpx.get(url).is_success:
                return
        except httpx.HTTPError:
            time.sleep(0.05)
    raise AssertionError("the server does not start")


def test_running_server_is_set_for_each_trial_and_put_back(
    home: Path, running: tuple[int, ...]
) -> None:
    inference, management, metrics = (f"http://127.0.0.1:{port}" for port in running)
    urls = ["--url", inference, "--management-url", management, "--metrics-url", metrics]
    flags = ["bench", "--model", "echo", *urls, *BRIEF, "--workers", "1,2"]
    assert main([*flags, "--batch-size", "2", "--concurrency", "1", "--search", "grid"]) == 0
    trials = read_trials(home / "bench")
    assert [(t.setting.batch_size, t.setting.workers, t.problem) for t in trials] == [
        (2, 1, ""), (2, 2, ""),
    ]  # fmt: skip
    assert all(trial.usage.memory_mb > 0 for trial in trials)
    (now,) = httpx.get(f"{management}/models/echo").json()
    assert (now["batchSize"], now["minWorkers"]) == (1, 1)


def test_model_that_a_change_left_unserved_is_set_and_put_back(running: tuple[int, ...]) -> None:
    inference, *others = (f"http://127.0.0.1:{port}" for port in running)
    echo = f"{others[0]}/models/echo"
    server = RunningServer(inference, Management(others[0], others[1], ""), "echo")
    httpx.delete(echo).raise_for_status()
    server.prepare(Setting(batch_size=4))
    assert httpx.get(echo).json()[0]["batchSize"] == 4
    httpx.delete(echo).raise_for_status()
    server.close()
    assert httpx.get(echo).json()[0]["batchSize"] == 1


def test_search_that_was_gone_on_with_is_not_set_beside_a_grid(home: Path) -> None:
    flags = ["bench", "--model", "count", *BRIEF, "--workers", "1", "--concurrency", "2"]
    beside = "beside a full grid"
    assert main([*flags, "--batch-size", "1"]) == 0
    assert beside in (home / "bench" / "report.html").read_text()
    assert main([*flags, "--batch-size", "1,4", "--resume"]) == 0
    assert beside not in (home / "bench" / "report.html").read_text()


def test_wrong_flags_are_told(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench"]) == 1
    assert "--model" in capsys.readouterr().err
    assert main(["bench", "--model", "count"]) == 1
    assert "--data" in capsys.readouterr().err
    assert main(["bench", "--model", "dog", "--data", "body"]) == 1
    assert "no folder dog" in capsys.readouterr().err
    assert main(["bench", "--model", "count", "--data", "body", "--batch-size", "0"]) == 1
    assert "batch_size" in capsys.readouterr().err
    assert main(["bench", "--model", "count", "--data", "body", "--slo", "p98=1"]) == 1
    assert "is no limit" in capsys.readouterr().err
