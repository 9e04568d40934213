"""Reading a file part by part, and the one thing that is kept of what it tells: its orientation."""

import re
import struct

__all__ = ("CannotStrip", "Cursor", "find_orientation", "make_exif")

_XMP = re.compile(rb"""tiff:Orientation(?:="|>)([0-9])""")
_ORIENTATION = 0x0112
_SHORT = 3


class CannotStrip(ValueError):
    """The file is not built as its format says, or hides what it tells."""


class Cursor:
    """A place in some bytes, which moves on as they are read."""

    def __init__(self, data: bytes, at: int = 0, end: int | None = None) -> None:
        self.data = data
        self.at = at
        self.end = len(data) if end is None else end

    @property
    def is_at_end(self) -> bool:
        """Whether all is read."""
        return self.at >= self.end

    def take(self, count: int) -> bytes:
        """The next bytes.

        Raises:
            CannotStrip: when there are not so many.
        """
        if count < 0 or self.at + count > self.end:
            msg = f"{count} bytes at {self.at} reach beyond {self.end}"
            raise CannotStrip(msg)
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, size: int, order: str = ">") -> int:
        """The next `size` bytes as a number; big-endian, unless `order` is "<".

        Raises:
            CannotStrip: when there are not so many.
        """
        return int.from_bytes(self.take(size), "little" if order == "<" else "big")


def find_orientation(exif: bytes, xmp: bytes) -> int:
    """How to turn the picture (CIPA DC-008, tag 0x0112), 1..8; XMP is asked where EXIF is silent.

    Damaged EXIF says not to turn it, as it does when the picture is read.
    """
    try:
        told = _find_in_exif(exif.removeprefix(b"Exif\0\0")) if exif else None
    except (CannotStrip, struct.error):
        return 1
    if told is None and (found := _XMP.search(xmp)):
        told = int(found[1])
    return told if told is not None and 1 <= told <= 8 else 1


def _find_in_exif(tiff: bytes) -> int | None:
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(tiff[:4])
    if order is None:
        msg = "no TIFF"
        raise CannotStrip(msg)
    cursor = Cursor(tiff, at=struct.unpack_from(f"{order}I", tiff, 4)[0])
    for _ in range(cursor.number(2, order)):
        tag, kind, count = (cursor.number(size, order) for size in (2, 2, 4))
        value = cursor.take(4)
        if (tag, kind, count) == (_ORIENTATION, _SHORT, 1):
            return int(struct.unpack(f"{order}H", value[:2])[0])
    return None


def make_exif(orientation: int) -> bytes:
    """EXIF that tells the orientation and nothing else, as a TIFF of its own."""
    entry = struct.pack(">HHIHH", _ORIENTATION, _SHORT, 1, orientation, 0)
    return b"MM\0*" + struct.pack(">IH", 8, 1) + entry + bytes(4)
