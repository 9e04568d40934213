"""PNG (ISO/IEC 15948): the critical chunks and transparency."""

import zlib

from animator.core.metadata.parts import (
    CannotStrip,
    Cursor,
    find_orientation,
    make_exif,
)

__all__ = ("strip_png",)

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_NEEDED = frozenset((b"PLTE", b"IDAT", b"tRNS", b"IEND"))
_TEXTS = frozenset((b"tEXt", b"zTXt", b"iTXt"))
_XMP = b"XML:com.adobe.xmp"
_MOST_XMP = 1_000_000


def strip_png(data: bytes) -> bytes:
    """The picture and its orientation; of an animated one the first picture.

    Raises:
        CannotStrip: when it is not built as a PNG is, or tells its EXIF in text.
    """
    cursor = Cursor(data, at=len(_SIGNATURE))
    head, kept, exif, xmp = b"", [], b"", b""
    kind = b""
    while kind != b"IEND":
        kind, body = _take_chunk(cursor)
        if kind == b"IHDR":
            head = body
        elif kind in _NEEDED:
            kept.append(_chunk(kind, body))
        elif kind == b"eXIf":
            exif = body
        elif kind in _TEXTS and body.lower().startswith(b"raw profile type exif\0"):
            msg = "EXIF in text"
            raise CannotStrip(msg)
        elif kind == b"iTXt" and body.startswith(_XMP + b"\0"):
            xmp = _read_text(body)
    orientation = find_orientation(exif, xmp)
    told = [_chunk(b"eXIf", make_exif(orientation))] if orientation > 1 else []
    return b"".join((_SIGNATURE, _chunk(b"IHDR", head), *told, *kept))


def _take_chunk(cursor: Cursor) -> tuple[bytes, bytes]:
    size = cursor.number(4)
    kind, body = cursor.take(4), cursor.take(size)
    cursor.take(4)  # the checksum is made anew, for a wrong one would be no news to the decoder
    return kind, body


def _chunk(kind: bytes, body: bytes) -> bytes:
    check = zlib.crc32(body, zlib.crc32(kind))
    return len(body).to_bytes(4, "big") + kind + body + check.to_bytes(4, "big")


def _read_text(body: bytes) -> bytes:
    """The text of an iTXt chunk, which may be compressed."""
    is_compressed = body[len(_XMP) + 1 : len(_XMP) + 2] == b"\1"
    fields = body[len(_XMP) + 3 :].split(b"\0", 2)
    text = fields[-1]
    if not is_compressed:
        return text
    try:
        return zlib.decompressobj().decompress(text, _MOST_XMP)
    except zlib.error:
        return b""
