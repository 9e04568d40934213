"""Frames to what changes from one to the next, for formats that store pictures in a row."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

import numpy as np
from numpy.typing import NDArray

from animator.render.areas import Area, changed_area
from animator.render.pace import Pace

__all__ = ("PACE", "Change", "ChangeStream", "ChangeWriter")

PACE = Pace(ticks=1000, shortest=11)
"""Time is counted in milliseconds."""

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
        self._kept = PACE.kept(fps)
        self._next = next(self._kept)
        self._seen = 0
        self._since = 0
        self._held = np.zeros((0, 0, 4), np.uint8)
        self._area: Area = (slice(0, 0), slice(0, 0))

    def write(self, frame: NDArray[np.uint8]) -> None:
        """Add a frame: (H, W, 4) uint8 RGBA, straight alpha."""
        if self._seen == self._next:
            self._take(frame, PACE.at(self._seen, self._fps))
            self._next = next(self._kept)
        self._seen += 1

    def close(self) -> None:
        """Write what is left, and the end."""
        if self._open is not None:
            file, stream = self._open
            self._put(stream, max(PACE.at(self._seen, self._fps), self._since + 1))
            stream.end()
            file.close()

    def abort(self) -> None:
        """Let go of the file, whole or not."""
        if self._open is not None:
            self._open[0].close()

    def _take(self, frame: NDArray[np.uint8], now: int) -> None:
        """Hold a frame until it is known how long it shows."""
        if self._open is None:
            file = self._path.open("wb")
            self._open = file, self._start(file, (frame.shape[1], frame.shape[0]))
            self._held = frame
            self._area = slice(0, frame.shape[0]), slice(0, frame.shape[1])
            return
        area = changed_area(self._held, frame)
        if area is None and now - self._since < LONGEST:
            return
        self._put(self._open[1], now)
        self._held, self._since = frame, now
        self._area = area or (slice(0, 1), slice(0, 1))

    def _put(self, stream: ChangeStream, until: int) -> None:
        rows, columns = self._area
        part = np.ascontiguousarray(self._held[rows, columns])
        stream.put(Change(part, columns.start, rows.start, until - self._since))
