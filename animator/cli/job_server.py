"""A whole Animator of its own for a measurement, with nobody's limits, in a folder that goes."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from animator.core.errors import AnimatorError
from serving.bench.ports import free_ports

__all__ = ("started_server",)

_START_S = 120.0
_STOP_S = 30.0
_UNLIMITED = ("UPLOADS_A_MINUTE", "ANIMATIONS_A_MINUTE", "REQUESTS_A_MINUTE")


class ServerNotStarted(AnimatorError):
    """The server that shall be measured does not start."""

    code = "server_not_started"


@contextmanager
def started_server(folder: Path) -> Iterator[str]:
    """Run `animator serve` meanwhile.

    Args:
        folder: of its data and its log.

    Yields:
        Its address.

    Raises:
        ServerNotStarted: with the end of its log.
    """
    flags = ("--port", "--inference-port", "--management-port", "--metrics-port")
    ports = free_ports(len(flags))
    command = [sys.executable, "-m", "animator", "serve", "--data-dir", str(folder / "data")]
    command += [text for pair in zip(flags, map(str, ports), strict=True) for text in pair]
    environment = {**os.environ, **{f"ANIMATOR_{name}": "0" for name in _UNLIMITED}}
    log = folder / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
    try:
        url = f"http://127.0.0.1:{ports[0]}"
        _await(url, process, log)
        yield url
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _await(url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    """Wait until all its parts are ready, which it says itself."""
    until = time.monotonic() + _START_S
    while time.monotonic() < until and process.poll() is None:
        if b"is ready" in log.read_bytes():
            try:
                if httpx.get(f"{url}/api/health", timeout=5).is_success:
                    return
            except httpx.HTTPError:
                pass
        time.sleep(0.1)
    msg = f"The server does not start: {log.read_text(errors='replace')[-500:]}"
    raise ServerNotStarted(msg)
