"""Animated GIF, written frame by frame (specification: GIF89a, CompuServe 1990).

Only what changed is stored, delays are spread so that the clip keeps its length to a hundredth of
a second, and it plays for ever.
"""

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray
from PIL import GifImagePlugin, Image

from animator.render.palette import (
    CLEAR,
    COLOURS,
    Palette,
    index_frame,
    palette_from_frames,
)

__all__ = ("GifSettings", "GifWriter", "TooManyBytes")

Indices = NDArray[np.uint8]

SAMPLED = 8
"""Frames that are looked at before the colours are chosen."""

SHORTEST = 2
"""Least delay in hundredths of a second: browsers slow down what is shorter."""

KEEP, ERASE = 1, 2
"""Disposal methods: leave the frame standing; clear its rectangle."""


class TooManyBytes(Exception):
    """The file has grown over its limit, and is of no use."""


@dataclass(frozen=True, slots=True)
class GifSettings:
    """How small a GIF is made.

    Attributes:
        colours: at most, 2..255.
        every: of so many frames one is kept, > 0.
        max_bytes: limit on the file; None: none.
    """

    colours: int = COLOURS
    every: int = 1
    max_bytes: int | None = None


class GifWriter:
    """A GIF that takes frames one by one; see `FrameWriter`.

    Frames are left out above 50 a second, and where nothing moves; the length stays.

    Raises:
        TooManyBytes: by `write` and `close`, when the file grows over its limit.
    """

    def __init__(self, path: Path, fps: float, settings: GifSettings = GifSettings()) -> None:
        self._path = path
        self._fps = fps
        self._settings = settings
        self._waiting: list[NDArray[np.uint8]] = []
        self._stream: _Stream | None = None
        self._seen = 0
        self._count = 0

    def write(self, frame: NDArray[np.uint8]) -> None:
        """Add a frame: (H, W, 4) uint8 RGBA, straight alpha."""
        self._seen += 1
        if (self._seen - 1) % self._settings.every:
            return
        self._waiting.append(frame)
        if self._stream is not None or len(self._waiting) == SAMPLED:
            self._flush()

    def close(self) -> None:
        """Write what is left, and the end."""
        if self._waiting or self._stream is not None:
            self._flush().end(self._tick(self._seen))

    def abort(self) -> None:
        """Let go of the file, whole or not."""
        if self._stream is not None:
            self._stream.file.close()

    def _flush(self) -> "_Stream":
        if self._stream is None:
            self._stream = _Stream(self._path.open("wb"), self._waiting, self._settings)
            self._stream.begin()
        for frame in self._waiting:
            self._stream.add(frame, self._tick(self._count * self._settings.every))
            self._count += 1
        self._waiting.clear()
        return self._stream

    def _tick(self, frame: int) -> int:
        """When a frame begins, hundredths of a second."""
        return round(100 * frame / self._fps)


class _Stream:
    """The file, its palette, and what is on the screen."""

    def __init__(
        self, file: BinaryIO, samples: list[NDArray[np.uint8]], settings: GifSettings
    ) -> None:
        self.file = file
        self.max_bytes = settings.max_bytes
        self.size = samples[0].shape[1], samples[0].shape[0]
        self.palette: Palette = palette_from_frames(samples, settings.colours)
        self.clears = any((frame[..., 3] < 128).any() for frame in samples)
        self.shown: Indices | None = None
        self.held: Indices = index_frame(self.palette, samples[0])
        self.since = 0

    def begin(self) -> None:
        """Screen of 256 colours, the colours, and the wish to play for ever."""
        colours = np.zeros((256, 3), np.uint8)
        colours[: len(self.palette.colours)] = self.palette.colours
        self.file.write(b"GIF89a" + struct.pack("<HHBBB", *self.size, 0xF7, CLEAR, 0))
        self.file.write(colours.tobytes())
        self.file.write(b"!\xff\x0bNETSCAPE2.0\x03\x01" + struct.pack("<HB", 0, 0))

    def add(self, frame: NDArray[np.uint8], tick: int) -> None:
        """Hold a frame until it is known how long it shows."""
        if tick - self.since < SHORTEST:
            return
        found = index_frame(self.palette, frame)
        if not np.array_equal(found, self.held):
            self._put(self.held, tick - self.since)
            self.held, self.since = found, tick

    def end(self, tick: int) -> None:
        """Put the last frame and the end mark."""
        self._put(self.held, max(tick - self.since, SHORTEST))
        self.file.write(b";")
        self.file.close()

    def _put(self, found: Indices, delay: int) -> None:
        if self.clears:
            part, corner = _crop(found, found != CLEAR)
        elif self.shown is None:
            part, corner = found, (0, 0)
        else:
            # one index for both takes a third of the time of two
            pairs = self.shown.astype(np.uint16) << 8 | found
            changed = ~self.palette.alike.ravel().take(pairs)
            part, corner = _crop(np.where(changed, found, np.uint8(CLEAR)), changed)
            found = np.where(changed, found, self.shown)
        self.shown = found
        chunks = GifImagePlugin.getdata(
            Image.fromarray(part),
            corner,
            duration=delay * 10,
            transparency=CLEAR,
            disposal=ERASE if self.clears else KEEP,
        )
        self.file.write(b"".join(chunks))
        # the end mark is to come, too
        if self.max_bytes is not None and self.file.tell() >= self.max_bytes:
            raise TooManyBytes


def _crop(found: Indices, chosen: NDArray[np.bool_]) -> tuple[Indices, tuple[int, int]]:
    """The rectangle around the chosen pixels, at least one pixel, and its corner (x, y)."""
    rows = np.flatnonzero(chosen.any(axis=1))
    columns = np.flatnonzero(chosen.any(axis=0))
    if not len(rows):
        return found[:1, :1].copy(), (0, 0)
    top, left = int(rows[0]), int(columns[0])
    part = found[top : rows[-1] + 1, left : columns[-1] + 1]
    return np.ascontiguousarray(part), (left, top)
