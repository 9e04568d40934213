"""Animated WebP, written picture by picture (specification: WebP container, Google).

Colour is lossy and alpha is not. Pillow makes each picture; here they become frames of one file.
"""

import struct
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from PIL import Image

from animator.render.changes import Change, ChangeWriter
from animator.render.spread import spread_paint
from animator.render.writer import FrameWriter

__all__ = ("webp_writer",)

QUALITY = 85
"""Of colour, 0..100; higher is better and larger."""

ANIMATED, ALPHA = 0x02, 0x10
"""What the file as a whole has (chunk VP8X)."""

REPLACE = 0x02
"""A frame takes the place of what was there, alpha and all (chunk ANMF)."""


def webp_writer(path: Path, fps: float, plays: int = 0) -> FrameWriter:
    """An animated WebP that plays so often, 0 is for ever; fps: frames a second, > 0."""
    return ChangeWriter(path, fps, lambda file, size: _WebpStream(file, size, plays))


class _WebpStream:
    """The file; its length is filled in at the end."""

    def __init__(self, file: BinaryIO, size: tuple[int, int], plays: int) -> None:
        self._file = file
        flags = struct.pack("<I", ANIMATED | ALPHA)
        file.write(b"RIFF\0\0\0\0WEBP")
        file.write(_chunk(b"VP8X", flags + _three(size[0] - 1, size[1] - 1)))
        file.write(_chunk(b"ANIM", struct.pack("<IH", 0, plays)))

    def put(self, change: Change) -> None:
        height, width = change.pixels.shape[:2]
        place = _three(change.left // 2, change.top // 2, width - 1, height - 1)
        head = place + _three(change.milliseconds) + bytes([REPLACE])
        picture = BytesIO()
        # Without `exact`, libwebp would put other colours under the clear pixels.
        paint = Image.fromarray(spread_paint(change.pixels))
        paint.save(picture, "WEBP", quality=QUALITY, exact=True)
        self._file.write(_chunk(b"ANMF", head + b"".join(_pictures(picture.getvalue()))))

    def end(self) -> None:
        length = self._file.tell() - 8
        self._file.seek(4)
        self._file.write(struct.pack("<I", length))


def _pictures(data: bytes) -> Iterator[bytes]:
    """The chunks of a WebP file that hold its alpha and its colour."""
    place = 12
    while place < len(data):
        name, length = struct.unpack_from("<4sI", data, place)
        following = place + 8 + length + length % 2
        if name in {b"ALPH", b"VP8 ", b"VP8L"}:
            yield data[place:following]
        place = following


def _chunk(name: bytes, data: bytes) -> bytes:
    return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)


def _three(*numbers: int) -> bytes:
    """Numbers of three bytes each, lowest byte first."""
    return b"".join(number.to_bytes(3, "little") for number in numbers)
