"""JPEG (ITU-T T.81): the segments that a decoder needs, up to the end of the first picture."""

import re

from animator.core.metadata.parts import (
    CannotStrip,
    Cursor,
    find_orientation,
    make_exif,
)

__all__ = ("strip_jpeg",)

_END, _SCAN = 0xD9, 0xDA
_APP0, _APP1, _APP14 = 0xE0, 0xE1, 0xEE
_NEEDED = frozenset(range(0xC0, 0xD0)) | {0xDB, 0xDC, 0xDD, 0xDE, 0xDF}
"""Frames, tables of codes and of quantisation, restarts."""

_XMP = b"http://ns.adobe.com/xap/1.0/\0"
_NEXT_MARKER = re.compile(rb"\xff\xff*[^\x00\xff\xd0-\xd7]")
"""What ends the data of a scan: in it, 0xFF is followed by 0, or begins a restart marker. The first
byte stands by itself, so that it is sought as a literal: twelve times as fast."""


def strip_jpeg(data: bytes) -> bytes:
    """The picture and its orientation; what follows its end, such as a film, goes as well.

    Raises:
        CannotStrip: when it is not built as a JPEG is.
    """
    cursor = Cursor(data, at=2)
    kept, exif, xmp = [], b"", b""
    while (marker := _take_marker(cursor)) != _END:
        body = cursor.take(cursor.number(2) - 2)
        if marker == _APP1 and body.startswith(b"Exif\0\0"):
            exif = exif or body
        elif marker == _APP1 and body.startswith(_XMP):
            xmp = xmp or body
        elif (needed := _find_needed(marker, body)) is not None:
            kept.append(_segment(marker, needed))
        if marker == _SCAN:
            kept.append(_take_scan(cursor))
    orientation = find_orientation(exif, xmp)
    told = [_segment(_APP1, b"Exif\0\0" + make_exif(orientation))] if orientation > 1 else []
    return b"".join((b"\xff\xd8", *told, *kept, b"\xff\xd9"))


def _take_marker(cursor: Cursor) -> int:
    if cursor.take(1) != b"\xff":
        msg = f"no marker at {cursor.at}"
        raise CannotStrip(msg)
    while (marker := cursor.number(1)) == 0xFF:
        pass  # any number of them may stand before a marker
    return marker


def _find_needed(marker: int, body: bytes) -> bytes | None:
    """What a decoder needs of a segment; None when it needs nothing of it."""
    if marker in _NEEDED or marker == _SCAN:
        return body
    if marker == _APP0 and body.startswith(b"JFIF\0"):
        return body[:12].ljust(12, b"\0") + b"\0\0"  # without the small picture
    if marker == _APP14 and body.startswith(b"Adobe"):
        return body[:12]  # how colours are coded
    return None


def _take_scan(cursor: Cursor) -> bytes:
    found = _NEXT_MARKER.search(cursor.data, cursor.at)
    if found is None:
        msg = "the picture has no end"
        raise CannotStrip(msg)
    return cursor.take(found.start() - cursor.at)


def _segment(marker: int, body: bytes) -> bytes:
    return bytes((0xFF, marker)) + (len(body) + 2).to_bytes(2, "big") + body
