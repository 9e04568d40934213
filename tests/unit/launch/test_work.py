"""The process of a job worker at its start."""

import logging

import pytest

from animator.launch import work
from animator.settings import Settings
from serving.bench.ports import free_ports


def test_worker_without_redis_says_so_and_ends(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(work, "_REDIS_PATIENCE", 0.1)
    (port,) = free_ports(1)
    with caplog.at_level(logging.WARNING), pytest.raises(SystemExit) as ended:
        work.run_worker(Settings(redis_url=f"redis://127.0.0.1:{port}"))
    assert ended.value.code == 1
    waiting, gone = caplog.messages
    assert waiting.startswith("Redis does not answer: ")
    assert waiting.endswith("Is redis_url right? Waiting for it.")
    assert gone == "Redis did not come within 0 s."
