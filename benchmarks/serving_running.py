"""A server that is compared: started with a model, asked, measured, ended."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import psutil

from serving.bench.usage import family_of

__all__ = ("MODELS", "Place", "Running", "Server", "Workload", "free_ports", "our_environment")

MODELS = Path(__file__).parent / "serving_peers"
"""What every compared server runs."""

_ROOT = Path(__file__).parents[1]
_START_S = 90.0


@dataclass(frozen=True)
class Workload:
    """One model with its batching.

    Attributes:
        case: name of the model in serving_peers/common.py.
        body: of every request.
        batch_size: most requests of a batch.
        delay_ms: longest wait for company, milliseconds.
        workers: processes that hold the model.
        threads: of a peer's process; None: as many as the peer takes by itself. This server shares
            the cores out among its workers.
    """

    case: str
    body: bytes
    batch_size: int = 8
    delay_ms: float = 5.0
    workers: int = 1
    threads: int | None = 1


@dataclass(frozen=True)
class Place:
    """Where a server is started: a folder of its own and four ports in a row."""

    folder: Path
    port: int


@dataclass(frozen=True)
class Server:
    """One server.

    Attributes:
        name: in the table.
        prepare: writes what it needs into its folder; gives its command line.
        path: where a model is asked, `{}` for its name.
        wrap: from a picture to body and headers of a request.
        environment: variables that it needs.
    """

    name: str
    prepare: Callable[[Place, Workload], Sequence[str]]
    path: str
    wrap: Callable[[bytes], tuple[bytes, dict[str, str]]]
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_ours(self) -> bool:
        """Whether it is the one that others are compared with."""
        return self.name.startswith("serving")


class Running:
    """A server at work; ended with all its processes.

    Args:
        server: which.
        work: what it serves.

    Attributes:
        port: where it is asked.
        start_s: from the command to the first good answer, seconds.
    """

    def __init__(self, server: Server, work: Workload) -> None:
        self.server = server
        self.path = server.path.format(work.case)
        self.body, self.headers = server.wrap(work.body)
        self._folder = Path(tempfile.mkdtemp(prefix="bench-"))
        self.port = free_ports()
        command = server.prepare(Place(self._folder, self.port), work)
        self._log = (self._folder / "log").open("wb")
        started = time.monotonic()
        self._process = subprocess.Popen(
            command,
            # A folder of its own for what each leaves in the temporary one: TorchServe starts
            # only once where it finds its process number there.
            env=our_environment(work.case)
            | {"TMPDIR": str(self._folder)}
            | ({} if server.is_ours or not work.threads else {"OMP_NUM_THREADS": str(work.threads)})
            | dict(server.environment),
            cwd=self._folder,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            self._await_answer()
        except BaseException:
            self.stop()
            raise
        self.start_s = time.monotonic() - started

    def cpu_s(self) -> float:
        """Processor time of all its processes so far, seconds."""
        return sum(sum(process.cpu_times()[:2]) for process in self._processes())

    def resident_mb(self) -> int:
        """Resident memory of all its processes; what they share is counted in each."""
        return round(sum(process.memory_info().rss for process in self._processes()) / 2**20)

    def proportional_mb(self) -> int:
        """Memory of all its processes; what they share is counted once (Linux)."""
        return round(sum(process.memory_full_info().pss for process in self._processes()) / 2**20)

    def metrics(self) -> str:
        """What this server tells at its metrics port."""
        connection = HTTPConnection("127.0.0.1", self.port + 2, timeout=10)
        try:
            connection.request("GET", "/metrics")
            return connection.getresponse().read().decode()
        finally:
            connection.close()

    def stop(self) -> None:
        """End it."""
        processes = self._processes()
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        psutil.wait_procs(processes, timeout=15)
        for process in processes:
            if process.is_running():
                process.kill()
        self._process.wait()
        self._log.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _processes(self) -> list[psutil.Process]:
        return family_of(self._process.pid)

    def _await_answer(self) -> None:
        until = time.monotonic() + _START_S
        while time.monotonic() < until and self._process.poll() is None:
            try:
                if self._ask() == 200:
                    return
            except (OSError, HTTPException):
                pass
            time.sleep(0.01)
        text = (self._folder / "log").read_text(errors="replace")
        msg = f"{self.server.name} does not answer: {text[-2000:]}"
        raise RuntimeError(msg)

    def _ask(self) -> int:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("POST", self.path, self.body, self.headers)
            answer = connection.getresponse()
            answer.read()
            return answer.status
        finally:
            connection.close()


def our_environment(case: str) -> dict[str, str]:
    """The variables that this server, and what it serves, need."""
    return {**os.environ, "BENCH_CASE": case, "PYTHONPATH": f"{MODELS}:{_ROOT}"}


def free_ports() -> int:
    """A port with four free ones above it."""
    while True:
        with socket.create_server(("127.0.0.1", 0)) as first:
            port: int = first.getsockname()[1]
            try:
                for offset in range(1, 5):
                    socket.create_server(("127.0.0.1", port + offset)).close()
            except (OSError, OverflowError):
                continue
            return port
