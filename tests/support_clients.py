"""A server with the models of `tests/clients/models`, for the real clients of other servers."""

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support_contract import start_server, stop_server

MODELS = Path(__file__).parent / "clients" / "models"


@dataclass(frozen=True)
class Addresses:
    """Where it listens, each as host:port."""

    http: str
    management: str
    grpc: str
    grpc_management: str


@contextmanager
def server_for_clients(models: Path = MODELS, **environment: str) -> Iterator[Addresses]:
    """Start it, and end it."""
    with start_server(models, **environment) as process:
        try:
            yield wait_for_addresses(process)
        finally:
            stop_server(process)


def wait_for_addresses(process: subprocess.Popen[str], later: list[str] | None = None) -> Addresses:
    """Read the log until the models are loaded; what comes later goes into `later`, if given."""
    log: list[str] = []

    def drain() -> None:
        for line in process.stderr or ():
            if later is not None:
                later.append(line)

    for line in process.stderr or ():
        log.append(line)
        if "gRPC: inference" in line:
            # A pipe that nobody reads fills up and stops the server.
            threading.Thread(target=drain).start()
            http, management, _ = _ports(next(line for line in log if "metrics on" in line))
            return Addresses(http, management, *_ports(log[-1]))
    raise AssertionError("the server ended:\n" + "".join(log))


def _ports(line: str) -> list[str]:
    words = (word.strip(',"}') for word in line.split())
    return [f"127.0.0.1:{word}" for word in words if word.isdigit()]
