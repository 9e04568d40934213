"""What a long command is doing, on one line of the terminal that is written over."""

import sys
import time
from collections.abc import Iterator, Sequence
from typing import TypeVar

__all__ = ("ProgressLine", "counted")

Thing = TypeVar("Thing")

_BAR = 24


class ProgressLine:
    """One line on stderr; nothing where that is no terminal."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._shown = ""

    def show(self, step: str, share: float) -> None:
        """Say what is being done, and how much of the whole is done, in [0, 1]."""
        text = f"{self._name}: {step} {share:4.0%}"
        if sys.stderr.isatty() and text != self._shown:
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
            self._shown = text

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
            self._shown = ""


def counted(things: Sequence[Thing], name: str) -> Iterator[Thing]:
    """Pass things on, with a bar, their count and the time that is left."""
    line, began = ProgressLine(name), time.monotonic()
    try:
        for place, thing in enumerate(things):
            line.show(_bar(place, len(things), time.monotonic() - began), place / len(things))
            yield thing
    finally:
        line.clear()


def _bar(done: int, total: int, seconds: float) -> str:
    full = _BAR * done // total
    text = f"[{'#' * full}{'.' * (_BAR - full)}] {done} of {total}"
    if not done:
        return text
    left = round(seconds / done * (total - done))
    return f"{text}, {left // 60}:{left % 60:02d} left,"
