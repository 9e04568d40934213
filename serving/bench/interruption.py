"""Interruption: who is told to end puts everything back first, as after Ctrl-C."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ("ended_like_ctrl_c",)


class _Ended(KeyboardInterrupt):
    """SIGTERM came.

    A class of its own: one that is KeyboardInterrupt itself, and goes through an exec of text, has
    Python end itself by SIGINT in the end, whatever was made of it.
    """


@contextmanager
def ended_like_ctrl_c() -> Iterator[None]:
    """Let SIGTERM raise KeyboardInterrupt meanwhile; for the main thread."""
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(_: int, __: FrameType | None) -> None:
    raise _Ended
