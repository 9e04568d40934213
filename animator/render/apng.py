"""Animated PNG, written picture by picture (specification: PNG, third edition, W3C 2025).

Nothing is lost. Pillow makes each picture; here they become frames of one file.
"""

import struct
import zlib
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from PIL import Image

from animator.render.changes import Change, ChangeWriter
from animator.render.writer import FrameWriter

__all__ = ("apng_writer",)

SIGNATURE = b"\x89PNG\r\n\x1a\n"

RGBA = 6
"""The colour type: red, green, blue and alpha, here of eight bits each."""

KEEP, REPLACE = 0, 0
"""A frame is left standing; it takes the place of what was there, alpha and all."""


def apng_writer(path: Path, fps: float, plays: int = 0) -> FrameWriter:
    """An animated PNG that plays so often, 0 is for ever; fps: frames a second, > 0."""
    return ChangeWriter(path, fps, lambda file, size: _ApngStream(file, size, plays))


class _ApngStream:
    """The file; the number of frames is filled in at the end."""

    def __init__(self, file: BinaryIO, size: tuple[int, int], plays: int) -> None:
        self._file = file
        self._plays = plays
        self._frames = 0
        self._numbered = 0
        file.write(SIGNATURE + _chunk(b"IHDR", struct.pack(">IIBBBBB", *size, 8, RGBA, 0, 0, 0)))
        self._counted_at = file.tell()
        file.write(_chunk(b"acTL", struct.pack(">II", 0, 0)))

    def put(self, change: Change) -> None:
        height, width = change.pixels.shape[:2]
        place = struct.pack(">IIII", width, height, change.left, change.top)
        delay = struct.pack(">HHBB", change.milliseconds, 1000, KEEP, REPLACE)
        self._file.write(_chunk(b"fcTL", self._number() + place + delay))
        picture = BytesIO()
        Image.fromarray(change.pixels).save(picture, "PNG")
        data = _pixels(picture.getvalue())
        if self._frames:
            self._file.write(_chunk(b"fdAT", self._number() + data))
        else:
            self._file.write(_chunk(b"IDAT", data))
        self._frames += 1

    def end(self) -> None:
        self._file.write(_chunk(b"IEND", b""))
        self._file.seek(self._counted_at)
        self._file.write(_chunk(b"acTL", struct.pack(">II", self._frames, self._plays)))

    def _number(self) -> bytes:
        """The next number; all chunks that make frames are numbered in one row."""
        self._numbered += 1
        return struct.pack(">I", self._numbered - 1)


def _pixels(data: bytes) -> bytes:
    """The packed pixels of a PNG file."""
    found, place = [], len(SIGNATURE)
    while place < len(data):
        length, name = struct.unpack_from(">I4s", data, place)
        if name == b"IDAT":
            found.append(data[place + 8 : place + 8 + length])
        place += length + 12
    return b"".join(found)


def _chunk(name: bytes, data: bytes) -> bytes:
    check = zlib.crc32(name + data)
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", check)
