"""A clock that leaps: time passes only while everybody waits, and then at once."""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest


class _LeapingSelector(selectors.DefaultSelector):
    def __init__(self) -> None:
        super().__init__()
        self.now = 1000.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        events = super().select(0)
        if not events and timeout is None:
            raise AssertionError("everybody waits, and nothing is about to happen")
        self.now += 0 if events or timeout is None else timeout
        return events


class LeapingLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self.leaping = _LeapingSelector()
        super().__init__(self.leaping)

    def time(self) -> float:
        return self.leaping.now


@pytest.fixture
def run_leaping(monkeypatch: pytest.MonkeyPatch) -> Callable[[Coroutine[Any, Any, None]], None]:
    """Runs a coroutine in a loop whose clock, the batcher's too, leaps over every wait."""

    def run(main: Coroutine[Any, Any, None]) -> None:
        with asyncio.Runner(loop_factory=LeapingLoop) as runner:
            loop = runner.get_loop()
            clock = SimpleNamespace(monotonic=loop.time)
            monkeypatch.setattr("serving.batching.batcher.time", clock)
            runner.run(main)

    return run


@pytest.fixture
def models_dir() -> Path:
    """The tiny models that the contract is tested with."""
    return Path(__file__).parents[2] / "contract" / "models"
