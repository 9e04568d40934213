"""Two servers side by side: the real TorchServe and ours, given the same archives."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from serving.bench.ports import free_ports

__all__ = ("Archiver", "Server", "our_server", "real_torchserve")

PEER = "TORCHSERVE_PYTHON"
"""The variable that names the interpreter of an environment with torchserve 0.12 in it."""

_START_S = 120.0


@dataclass(frozen=True, slots=True)
class Server:
    """One that runs.

    Attributes:
        inference: its address.
        management: likewise.
        metrics: likewise.
    """

    inference: str
    management: str
    metrics: str

    def register(self, name: str, **parameters: Any) -> None:
        """Serve an archive of the store, one worker, ready when this returns."""
        asked = {"url": f"{name}.mar", "initial_workers": 1, "synchronous": "true", **parameters}
        answer = httpx.post(f"{self.management}/models", params=asked, timeout=180)
        assert answer.status_code == 200, answer.text

    def unregister(self, name: str) -> None:
        """Serve it no more."""
        httpx.delete(f"{self.management}/models/{name}", timeout=60).raise_for_status()


class Archiver:
    """Packs archives with the real torch-model-archiver.

    Args:
        folder: for the store and the files that go into archives.
    """

    def __init__(self, folder: Path) -> None:
        self.store = folder / "store"
        self.store.mkdir(parents=True)
        self._folder = folder

    def pack(self, name: str, files: Mapping[str, str | bytes], **said: str) -> None:
        """Pack a model.

        Args:
            name: of the model.
            files: name to content; all that no flag names are extra files.
            said: flags with a value that is one of the files, or a handler's name.
        """
        folder = self._folder / f"{name}-files"
        folder.mkdir()
        for file, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            (folder / file).write_bytes(data)
        command = [str(Path(sys.executable).with_name("torch-model-archiver"))]
        command += ["--model-name", name, "--version", "1.0", "--export-path", str(self.store)]
        for flag, value in said.items():
            path = folder / value
            command += [f"--{flag.replace('_', '-')}", str(path) if path.is_file() else value]
        extra = [file for file in files if file not in said.values()]
        if extra:
            command += ["--extra-files", ",".join(str(folder / file) for file in extra)]
        scratch = self._folder / "scratch"
        scratch.mkdir(exist_ok=True)
        subprocess.run(command, check=True, env=os.environ | {"TMPDIR": str(scratch)}, cwd=folder)


@contextmanager
def real_torchserve(folder: Path, store: Path, **config: str) -> Iterator[Server]:
    """Run the real TorchServe; the test is skipped where there is none."""
    python = os.environ.get(PEER)
    if not python:
        pytest.skip(f"{PEER} names no interpreter with torchserve")
    folder.mkdir(parents=True)
    ports = free_ports(5)
    addresses = [f"http://127.0.0.1:{port}" for port in ports[:3]]
    lines = {
        "inference_address": addresses[0],
        "management_address": addresses[1],
        "metrics_address": addresses[2],
        "grpc_inference_port": ports[3],
        "grpc_management_port": ports[4],
        "disable_token_authorization": "true",
        "enable_model_api": "true",
        "default_workers_per_model": 1,
        **config,
    }
    properties = folder / "config.properties"
    properties.write_text("".join(f"{key}={value}\n" for key, value in lines.items()))
    command = [str(Path(python).with_name("torchserve")), "--start", "--foreground", "--ncs"]
    command += ["--ts-config", str(properties), "--model-store", str(store)]
    environment = os.environ | {
        "TMPDIR": str(folder),
        "TEMP": str(folder),
        "LOG_LOCATION": str(folder),
        "METRICS_LOCATION": str(folder),
        "PATH": f"{Path(python).parent}:{os.environ['PATH']}",
    }
    with _running(command, environment, folder, addresses) as server:
        yield server


@contextmanager
def our_server(folder: Path, store: Path, **config: str) -> Iterator[Server]:
    """Run ours with the same archives and the same settings."""
    folder.mkdir(parents=True)
    ports = free_ports(5)
    addresses = [f"http://127.0.0.1:{port}" for port in ports[:3]]
    command = [sys.executable, "-m", "serving", "start", "--models-dir", str(store)]
    settings = {
        "INFERENCE_PORT": ports[0],
        "MANAGEMENT_PORT": ports[1],
        "METRICS_PORT": ports[2],
        "GRPC_INFERENCE_PORT": ports[3],
        "GRPC_MANAGEMENT_PORT": ports[4],
        "LOAD_MODELS": "",
        "ENABLE_MODEL_API": "true",
        "TOKEN_AUTHORIZATION": "off",
        "DEVICE": "cpu",
        **{key.upper(): value for key, value in config.items()},
    }
    environment = {f"SERVING_{key}": str(value) for key, value in settings.items()}
    root = str(Path(__file__).parents[1])
    environment = os.environ | environment | {"PYTHONPATH": root, "TMPDIR": str(folder)}
    with _running(command, environment, folder, addresses) as server:
        yield server


@contextmanager
def _running(
    command: Sequence[str], environment: Mapping[str, str], folder: Path, addresses: Sequence[str]
) -> Iterator[Server]:
    with (folder / "output.txt").open("wb") as output:
        process = subprocess.Popen(
            command,
            stdout=output,
            stderr=output,
            env=environment,
            cwd=folder,
            start_new_session=True,
        )
    try:
        _wait(f"{addresses[1]}/models", process, folder)
        yield Server(*addresses)
    finally:
        _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _wait(url: str, process: "subprocess.Popen[bytes]", folder: Path) -> None:
    until = time.monotonic() + _START_S
    while time.monotonic() < until and process.poll() is None:
        try:
            if httpx.get(url, timeout=5).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.2)
    pytest.fail(f"the server did not start:\n{(folder / 'output.txt').read_text()[-3000:]}")
