import os
import socket

import psutil
import pytest

from serving.bench.usage import UsageWatch, family_of, listener_of


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


def test_what_cannot_be_seen_is_nothing() -> None:
    usage = UsageWatch(lambda: []).sum_up(requests=0)
    assert (usage.cpu_ms, usage.cpu_percent, usage.memory_mb) == (0.0, 0.0, 0.0)
