import os
import socket
from pathlib import Path

import psutil
import pytest

from serving.bench.usage import UsageWatch, family_of, listener_of, read_gpus


def test_listener_is_the_process_that_owns_the_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert listener_of(port) == os.getpid()
    assert listener_of(port) is None


def test_family_of_nobody_is_empty() -> None:
    assert family_of(2**22 + 1) == []
    assert family_of(os.getpid())[0].pid == os.getpid()


def test_cpu_is_shared_out_among_requests() -> None:
    now = iter([10.0, 12.0])
    watch = UsageWatch(lambda: [psutil.Process()], clock=lambda: next(now))
    with watch.watching():
        sum(n * n for n in range(200_000))
    usage = watch.sum_up(requests=10)
    assert usage.memory_mb > 1
    assert usage.cpu_ms == pytest.approx(usage.cpu_percent / 100 * 2.0 * 1000 / 10)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("0, 87, 1543, 143771\n", (87.0, 1543.0, 143771.0)),
        ("0, 40, 1000, 16000\n1, 0, 500, 16000\n", (20.0, 1500.0, 32000.0)),
        ("0, [N/A], 1543, 143771\n", (0.0, 1543.0, 143771.0)),  # divided into instances
        ("No devices were found\n", None),
        ("", None),
    ],
)
def test_gpus_are_read_from_what_nvidia_smi_says(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    told: str,
    expected: tuple[float, float, float] | None,
) -> None:
    program = tmp_path / "nvidia-smi"
    program.write_text(f"#!/bin/sh\nprintf '%s' '{told}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert read_gpus() == expected


def test_what_cannot_be_seen_is_nothing() -> None:
    usage = UsageWatch(lambda: []).sum_up(requests=0)
    assert (usage.cpu_ms, usage.cpu_percent, usage.memory_mb) == (0.0, 0.0, 0.0)
