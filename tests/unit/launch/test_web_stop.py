"""What the web process still does when it is told to stop."""

import os
import subprocess
import sys
from pathlib import Path

import httpx

from serving.bench.ports import free_ports
from tests.support_serve import wait_until
from tests.support_traces import collector


def start(port: int, folder: Path, traces: str) -> subprocess.Popen[bytes]:
    environment = {
        "ANIMATOR_PORT": str(port),
        "ANIMATOR_APP_METRICS_PORT": "0",
        "ANIMATOR_DATA_DIR": str(folder),
        "ANIMATOR_TRACE_ENDPOINT": traces,
        "OTEL_BSP_SCHEDULE_DELAY": "600000",  # nothing is sent before the end
    }
    command = [sys.executable, "-m", "animator.launch", "web"]
    return subprocess.Popen(command, env={**os.environ, **environment})


def is_up(url: str) -> bool:
    try:
        return httpx.get(f"{url}/api/health").is_success
    except httpx.HTTPError:
        return False


def test_what_was_asked_last_is_seen_in_traces(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    url = f"http://127.0.0.1:{port}"
    with collector() as taken, start(port, tmp_path, taken.url) as web:
        try:
            wait_until(lambda: is_up(url), 60, "the start of the page")
            assert httpx.get(f"{url}/api/motions").is_success
            web.terminate()
            web.wait(timeout=30)
        finally:
            web.kill()
    assert [span.name for span in taken.spans] == ["GET /api/motions"]
