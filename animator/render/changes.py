"""Frames to what changes from one to the next, for formats that store pictures in a row."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ("Change", "ChangeStream", "ChangeWriter")

SHORTEST = 11
"""Least time that a frame shows, milliseconds: browsers slow down what is shorter."""

LONGEST = 60_000
"""Most time in one piece, milliseconds: APNG counts to 65,535."""


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """A rectangle that takes the place of what was there, and how long it shows.

    Attributes:
        pixels: (h, w, 4) uint8 RGBA, straight alpha.
        left: column of its corner, even.
        top: row of its corner, even.
        milliseconds: > 0.
    """

    pixels: NDArray[np.uint8]
    left: int
    top: int
    milliseconds: int


class ChangeStream(Protocol):
    """A format that stores changes: made with its file and the frames' (width, height)."""

    def put(self, change: Change) -> None:
        """Add a change; the first is a whole frame."""

    def end(self) -> None:
        """Write what is left; the file is closed by the caller."""


class ChangeWriter:
    """A file of changes that takes frames one by one; see `FrameWriter`.

    Frames are left out above 90 a second, and where nothing moves; the length stays.

    Args:
        path: of the file.
        fps: frames a second, > 0.
        start: begins a stream in an open file, given the frames' (width, height).
    """

    def __init__(
        self,
        path: Path,
        fps: float,
        start: Callable[[BinaryIO, tuple[int, int]], ChangeStream],
    ) -> None:
        self._path = path
        self._fps = fps
        self._start = start
        self._open: tuple[BinaryIO, ChangeStream] | None = None
        self._count = 0
        self._since = 0
        self._held = np.zeros((0, 0, 4), np.uint8)
        self._shown: NDArray[np.uint8] | None = None

    def write(self, frame: NDArray[np.uint8]) -> None:
        """Add a frame: (H, W, 4) uint8 RGBA, straight alpha."""
        now = self._now()
        self._count += 1
        if self._open is None:
            file = self._path.open("wb")
            self._open = file, self._start(file, (frame.shape[1], frame.shape[0]))
            self._held = frame
            return
        shown_for = now - self._since
        if shown_for < SHORTEST or (shown_for < LONGEST and np.array_equal(frame, self._held)):
            return
        self._put(self._open[1], now)
        self._held, self._since = frame, now

    def close(self) -> None:
        """Write what is left, and the end."""
        if self._open is not None:
            file, stream = self._open
            self._put(stream, max(self._now(), self._since + 1))
            stream.end()
            file.close()

    def abort(self) -> None:
        """Let go of the file, whole or not."""
        if self._open is not None:
            self._open[0].close()

    def _now(self) -> int:
        """When the next frame begins, milliseconds."""
        return round(1000 * self._count / self._fps)

    def _put(self, stream: ChangeStream, until: int) -> None:
        rows, columns = _changed(self._shown, self._held)
        part = np.ascontiguousarray(self._held[rows, columns])
        stream.put(Change(part, columns.start, rows.start, until - self._since))
        self._shown = self._held


def _changed(before: NDArray[np.uint8] | None, after: NDArray[np.uint8]) -> tuple[slice, slice]:
    """Rows and columns around all that differs, at least one pixel; they start at even numbers."""
    if before is None:
        return slice(0, after.shape[0]), slice(0, after.shape[1])
    differs = (before != after).any(axis=2)
    rows, columns = (np.flatnonzero(differs.any(axis=axis)) for axis in (1, 0))
    if not len(rows):
        return slice(0, 1), slice(0, 1)
    return (
        slice(int(rows[0]) // 2 * 2, int(rows[-1]) + 1),
        slice(int(columns[0]) // 2 * 2, int(columns[-1]) + 1),
    )
