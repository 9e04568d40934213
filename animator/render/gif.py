"""Animated GIF, written frame by frame (specification: GIF89a, CompuServe 1990).

Only what changed is stored, delays are spread so that the clip keeps its length to a hundredth of
a second, and it plays for ever unless it is told how often.
"""

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray
from PIL import GifImagePlugin, Image

from animator.render.areas import Area, area_of, changed_area
from animator.render.pace import Pace
from animator.render.palette import (
    CLEAR,
    COLOURS,
    Palette,
    index_frame,
    palette_from_frames,
)

__all__ = ("PACE", "GifSettings", "GifWriter", "TooManyBytes")

Indices = NDArray[np.uint8]

SAMPLED = 8
"""Frames that are looked at before the colours are chosen."""

PACE = Pace(ticks=100, shortest=2)
"""Delays are counted in hundredths of a second."""

KEEP, ERASE = 1, 2
"""Disposal methods: leave the frame standing; clear its rectangle."""


class TooManyBytes(Exception):
    """The file has grown over its limit, and is of no use."""


@dataclass(frozen=True, slots=True)
class GifSettings:
    """How small a GIF is made.

    Attributes:
        colours: at most, 2..254.
        every: of so many frames one is kept, > 0.
        max_bytes: limit on the file; None: none.
        plays: how often it plays before it stops; 0: for ever.
    """

    colours: int = COLOURS
    every: int = 1
    max_bytes: int | None = None
    plays: int = 0


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
        self._waiting: list[tuple[NDArray[np.uint8], int]] = []
        self._stream: _Stream | None = None
        self._kept = PACE.kept(fps, settings.every)
        self._next = next(self._kept)
        self._seen = 0

    def write(self, frame: NDArray[np.uint8]) -> None:
        """Add a frame: (H, W, 4) uint8 RGBA, straight alpha."""
        if self._seen == self._next:
            self._waiting.append((frame, PACE.at(self._seen, self._fps)))
            self._next = next(self._kept)
            if self._stream is not None or len(self._waiting) == SAMPLED:
                self._flush()
        self._seen += 1

    def close(self) -> None:
        """Write what is left, and the end."""
        if self._waiting or self._stream is not None:
            self._flush().end(PACE.at(self._seen, self._fps))

    def abort(self) -> None:
        """Let go of the file, whole or not."""
        if self._stream is not None:
            self._stream.file.close()

    def _flush(self) -> "_Stream":
        if self._stream is None:
            samples = [frame for frame, _ in self._waiting]
            self._stream = _Stream(self._path.open("wb"), samples, self._settings)
            self._stream.begin()
        for frame, tick in self._waiting:
            self._stream.add(frame, tick)
        self._waiting.clear()
        return self._stream


class _Stream:
    """The file, its palette, what is on the screen, and the frame that comes next."""

    def __init__(
        self, file: BinaryIO, samples: list[NDArray[np.uint8]], settings: GifSettings
    ) -> None:
        self.file = file
        self.max_bytes = settings.max_bytes
        self.plays = settings.plays
        self.size = samples[0].shape[1], samples[0].shape[0]
        self.palette: Palette = palette_from_frames(samples, settings.colours)
        self.clears = any((frame[..., 3] < 128).any() for frame in samples)
        self.shown: Indices | None = None
        self.frame = samples[0]
        self.held: Indices = index_frame(self.palette, samples[0])
        self.area: Area = (slice(0, self.size[1]), slice(0, self.size[0]))
        self.since = 0

    def begin(self) -> None:
        """Screen of 256 colours, the colours, and the wish to play again."""
        colours = np.zeros((256, 3), np.uint8)
        colours[: len(self.palette.colours)] = self.palette.colours
        self.file.write(b"GIF89a" + struct.pack("<HHBBB", *self.size, 0xF7, CLEAR, 0))
        self.file.write(colours.tobytes())
        if self.plays != 1:
            # what is counted is how often it plays again; 0 is for ever
            again = max(self.plays - 1, 0)
            self.file.write(b"!\xff\x0bNETSCAPE2.0\x03\x01" + struct.pack("<HB", again, 0))

    def add(self, frame: NDArray[np.uint8], tick: int) -> None:
        """Hold a frame until it is known how long it shows."""
        area = changed_area(self.frame, frame)
        if area is None:
            return
        self.frame = frame
        found = index_frame(self.palette, frame[area])
        if not np.array_equal(found, self.held[area]):
            self._put(tick - self.since)
            self.held[area] = found
            self.area, self.since = area, tick

    def end(self, tick: int) -> None:
        """Put the last frame and the end mark."""
        self._put(max(tick - self.since, PACE.shortest))
        self.file.write(b";")
        self.file.close()

    def _put(self, delay: int) -> None:
        """Write the frame that is held; it differs from what is shown in its area only."""
        part, corner = self._cut_out()
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

    def _cut_out(self) -> tuple[Indices, tuple[int, int]]:
        """What has to be written to show the frame that is held, and its corner (x, y)."""
        if self.clears:
            return _crop(self.held, self.held != CLEAR)
        if self.shown is None:
            self.shown = self.held.copy()
            return self.held, (0, 0)
        found, below = self.held[self.area], self.shown[self.area]
        # one index for both takes a third of the time of two
        pairs = below.astype(np.uint16) << 8 | found
        changed = ~self.palette.alike.ravel().take(pairs)
        np.copyto(below, found, where=changed)
        part, (x, y) = _crop(np.where(changed, found, np.uint8(CLEAR)), changed)
        return part, (x + self.area[1].start, y + self.area[0].start)


def _crop(found: Indices, chosen: NDArray[np.bool_]) -> tuple[Indices, tuple[int, int]]:
    """The rectangle around the chosen pixels, at least one pixel, and its corner (x, y)."""
    rows, columns = area_of(chosen) or (slice(0, 1), slice(0, 1))
    return np.ascontiguousarray(found[rows, columns]), (columns.start, rows.start)
