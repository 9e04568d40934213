"""Our model server in a process of its own, with the contract's tiny models."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from serving.protocol.tensors import Tensors

MODELS = Path(__file__).parent / "contract" / "models"


def seconds(value: float) -> Tensors:
    """An item that the model `fragile` sleeps over for so long."""
    return {"seconds": np.array([value], np.float32)}


@dataclass(frozen=True)
class Server:
    """The URLs of its three listeners."""

    inference: str
    management: str
    metrics: str


def start_server(models: Path, *flags: str, **environment: str) -> subprocess.Popen[str]:
    """Start it, on free ports unless told otherwise; the caller ends it."""
    kinds = ("INFERENCE", "MANAGEMENT", "METRICS", "GRPC_INFERENCE", "GRPC_MANAGEMENT")
    ports = {f"SERVING_{kind}_PORT": "0" for kind in kinds}
    return subprocess.Popen(
        [sys.executable, "-m", "serving", "start", f"--models-dir={models}", *flags],
        env={
            **os.environ,
            "SERVING_DEVICE": "cpu",
            # No file of keys beside the tests; tokens have tests of their own.
            "SERVING_TOKEN_AUTHORIZATION": "off",
            **ports,
            **environment,
        },
        stderr=subprocess.PIPE,
        text=True,
        # A group of its own, to which a test can send what Ctrl-C sends.
        process_group=0,
    )


def wait_for_server(process: subprocess.Popen[str]) -> Server:
    """Read the log until the models are loaded, and drain it from then on."""
    log: list[str] = []
    for line in process.stderr or ():
        log.append(line)
        if "inference on port" in line:
            # A pipe that nobody reads fills up and stops the server.
            drain = threading.Thread(target=lambda: process.stderr and process.stderr.read())
            drain.start()
            ports = [word.strip(",") for word in line.split() if word.strip(",").isdigit()]
            return Server(*(f"http://127.0.0.1:{port}" for port in ports))
    raise AssertionError("the server ended:\n" + "".join(log))


@contextmanager
def running_server(**environment: str) -> Iterator[tuple[subprocess.Popen[str], Server]]:
    """Start it, and end it if the test has not."""
    with start_server(MODELS, **environment) as process:
        try:
            yield process, wait_for_server(process)
        finally:
            stop_server(process)


def stop_server(process: subprocess.Popen[str]) -> None:
    """End it if it has not ended; it may take ten seconds."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
