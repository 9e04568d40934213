"""Interruption: who is told to end puts everything back first, as after Ctrl-C."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ("ended_like_ctrl_c",)


@contextmanager
def ended_like_ctrl_c() -> Iterator[None]:
    """Let SIGTERM raise KeyboardInterrupt meanwhile; for the main thread."""
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(_: int, __: FrameType | None) -> None:
    raise KeyboardInterrupt
