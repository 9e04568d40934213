"""The contract: what any server with these models must answer.

`SERVING_CONTRACT_URL` (and `_MANAGEMENT_URL`, `_METRICS_URL`) names a server that already runs with
the models of this folder; without it ours is started.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support_contract import Server

MODELS = Path(__file__).parent / "models"


def _ports_from_log(process: subprocess.Popen[str]) -> list[str]:
    log: list[str] = []
    for line in process.stderr or ():
        log.append(line)
        if "inference on port" in line:
            return [word.strip(",") for word in line.split() if word.strip(",").isdigit()]
    raise AssertionError("the server ended:\n" + "".join(log))


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    url = os.environ.get("SERVING_CONTRACT_URL")
    if url:
        names = ("SERVING_CONTRACT_MANAGEMENT_URL", "SERVING_CONTRACT_METRICS_URL")
        yield Server(url, *(os.environ[name] for name in names))
        return
    ports = [f"--{kind}-port=0" for kind in ("inference", "management", "metrics")]
    process = subprocess.Popen(
        [sys.executable, "-m", "serving", "start", f"--models-dir={MODELS}", *ports],
        env={**os.environ, "SERVING_DEVICE": "cpu", "SERVING_MAX_REQUEST_BYTES": "2000000"},
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        found = _ports_from_log(process)
        # Nobody reads the log from here on, and a full pipe would stop the server.
        drain = threading.Thread(target=lambda: process.stderr and process.stderr.read())
        drain.start()
        yield Server(*(f"http://127.0.0.1:{port}" for port in found))
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=5) == 0
        drain.join()


@pytest.fixture
def http(server: Server) -> Iterator[httpx.Client]:
    """Speaks with the inference port."""
    with httpx.Client(base_url=server.inference, timeout=20) as client:
        yield client
