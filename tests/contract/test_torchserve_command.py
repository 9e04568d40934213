"""`serving torchserve` as TorchServe's own command: it leaves a server behind, and ends it."""

import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest


def test_server_is_started_in_the_background_and_stopped(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "store").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TEMP", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    Path("config.properties").write_text(
        "".join(f"{kind}_address=http://127.0.0.1:0\n" for kind in ("inference", "management"))
        + "metrics_address=unix:m.sock\n".replace("unix:", f"unix:{tmp_path}/")
        + "grpc_inference_port=0\ngrpc_management_port=0\n"
    )
    command = [sys.executable, "-m", "serving", "torchserve"]
    flags = ["--model-store", "store"]
    with Path("out").open("w") as out:
        assert (
            subprocess.run([*command, "--start", *flags], stdout=out, check=False).returncode == 0
        )
        pid_file = tmp_path / ".model_server.pid"
        process = psutil.Process(int(pid_file.read_text()))
        try:
            for _ in range(200):
                if "Model server started" in Path("out").read_text():
                    break
                time.sleep(0.1)
            again = subprocess.run(
                [*command, "--start", *flags], capture_output=True, text=True, check=False
            )
            assert again.returncode == 1
            assert "already running" in again.stdout
            assert Path("key_file.json").exists()
        finally:
            stopped = subprocess.run([*command, "--stop", "--foreground"], check=False)
    assert stopped.returncode == 0
    assert not process.is_running()
    assert not pid_file.exists()
    assert not Path("key_file.json").exists()
    written = {path.name for path in Path("logs").iterdir()}
    assert written == {
        "access_log.log", "config", "model_log.log", "model_metrics.log", "ts_log.log",
        "ts_metrics.log",
    }  # fmt: skip
    kinds = sorted(path.name.rpartition("-")[2] for path in (Path("logs") / "config").iterdir())
    assert kinds == ["shutdown.cfg", "startup.cfg"]
