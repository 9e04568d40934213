"""HEIF (ISO/IEC 23008-12): what it tells is overwritten in place, for offsets lead everywhere.

How the picture is turned stands in a property of its own; EXIF is not asked for it.
"""

from collections.abc import Iterator
from typing import NamedTuple

from animator.core.metadata.parts import CannotStrip, Cursor, make_exif

__all__ = ("strip_heif",)

_NEEDED = frozenset((b"ftyp", b"meta", b"mdat", b"free", b"skip"))
_NEEDED_IN_META = frozenset(
    (b"hdlr", b"pitm", b"iinf", b"iloc", b"iprp", b"iref", b"idat", b"dinf", b"grpl", b"free")
)
_TELLING_ITEMS = frozenset((b"Exif", b"mime", b"uri "))
_TELLING_PROPERTIES = frozenset((b"udes", b"uuid", b"altt", b"crtt", b"mdft"))
_NO_EXIF = bytes(4) + make_exif(1)
"""An item of EXIF that tells nothing."""


class Box(NamedTuple):
    """A box of the file (ISO/IEC 14496-12): its kind, where that stands, and its content."""

    kind: bytes
    kind_at: int
    begin: int
    end: int


def strip_heif(data: bytes) -> bytes:
    """The picture, with nothing where it told something else.

    Raises:
        CannotStrip: when it is not built as a HEIF is, or is a film.
    """
    told = bytearray(data)
    for box in _take_boxes(data, 0, len(data)):
        if box.kind == b"moov":
            msg = "a film"
            raise CannotStrip(msg)
        if box.kind not in _NEEDED:
            _empty(told, box)
        if box.kind == b"meta":
            _strip_meta(data, told, box)
    return bytes(told)


def _strip_meta(data: bytes, told: bytearray, meta: Box) -> None:
    parts = list(_take_boxes(data, meta.begin + 4, meta.end))
    for box in parts:
        if box.kind not in _NEEDED_IN_META:
            _empty(told, box)
        if box.kind == b"iprp":
            _strip_properties(data, told, box)
    by_kind = {box.kind: box for box in parts}
    if not {b"iinf", b"iloc"} <= by_kind.keys():
        msg = "no items"
        raise CannotStrip(msg)
    telling = {id for id, kind in _read_items(data, by_kind[b"iinf"]) if kind in _TELLING_ITEMS}
    for begin, end in _read_places(data, by_kind[b"iloc"], by_kind.get(b"idat"), telling):
        nothing = _NO_EXIF if end - begin >= len(_NO_EXIF) else b""
        told[begin:end] = nothing.ljust(end - begin, b"\0")


def _strip_properties(data: bytes, told: bytearray, iprp: Box) -> None:
    for ipco in _take_boxes(data, iprp.begin, iprp.end):
        if ipco.kind == b"ipco":
            for box in _take_boxes(data, ipco.begin, ipco.end):
                if box.kind in _TELLING_PROPERTIES:
                    _empty(told, box)


def _read_items(data: bytes, iinf: Box) -> Iterator[tuple[int, bytes]]:
    """Ids and kinds of the items."""
    version = data[iinf.begin]
    for box in _take_boxes(data, iinf.begin + (6 if version == 0 else 8), iinf.end):
        cursor = Cursor(data, box.begin, box.end)
        version = cursor.number(1)
        if box.kind != b"infe" or version not in (2, 3):
            msg = "items of an old kind"
            raise CannotStrip(msg)
        cursor.take(3)
        id = cursor.number(2 if version == 2 else 4)
        cursor.take(2)
        yield id, cursor.take(4)


def _read_places(
    data: bytes, iloc: Box, idat: Box | None, wanted: set[int]
) -> Iterator[tuple[int, int]]:
    """Where in the file the bytes of some items lie."""
    cursor = Cursor(data, iloc.begin, iloc.end)
    version = cursor.number(4) >> 24
    sizes = cursor.number(2)
    offset_size, length_size, base_size = sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15
    index_size = sizes & 15 if version else 0
    for _ in range(cursor.number(2 if version < 2 else 4)):
        id = cursor.number(2 if version < 2 else 4)
        method = cursor.number(2) & 15 if version else 0
        elsewhere = cursor.number(2)
        base = cursor.number(base_size)
        for _ in range(cursor.number(2)):
            cursor.take(index_size)
            offset, length = cursor.number(offset_size), cursor.number(length_size)
            if id in wanted:
                start = _origin(method, elsewhere, idat) + base + offset
                if length == 0 or start + length > len(data):
                    msg = "an item without an end"
                    raise CannotStrip(msg)
                yield start, start + length


def _origin(method: int, elsewhere: int, idat: Box | None) -> int:
    """From where an item's offset counts."""
    if method == 0 and elsewhere == 0:
        return 0
    if method == 1 and idat is not None:
        return idat.begin
    msg = "an item made of others, or in another file"
    raise CannotStrip(msg)


def _take_boxes(data: bytes, begin: int, end: int) -> Iterator[Box]:
    cursor = Cursor(data, begin, end)
    while not cursor.is_at_end:
        start = cursor.at
        size, kind = cursor.number(4), cursor.take(4)
        if size == 1:
            size = cursor.number(8)
        size = size or end - start  # 0: up to the end
        box = Box(kind, start + 4, cursor.at, start + size)
        cursor.take(box.end - box.begin)
        yield box


def _empty(told: bytearray, box: Box) -> None:
    """Make it a box of nothing."""
    told[box.kind_at : box.kind_at + 4] = b"free"
    told[box.begin : box.end] = bytes(box.end - box.begin)
