"""WebP (RFC 9649): the chunks that hold pictures."""

from collections.abc import Iterator

from animator.core.metadata.parts import (
    CannotStrip,
    Cursor,
    find_orientation,
    make_exif,
)

__all__ = ("strip_webp",)

_NEEDED = frozenset((b"VP8 ", b"VP8L", b"ALPH", b"ANIM"))
_FRAME_HEAD = 16
_HAS_EXIF, _TOLD = 0x08, 0x20 | 0x08 | 0x04
"""Flags of the extended header: EXIF; and any of colour profile, EXIF and XMP."""


def strip_webp(data: bytes) -> bytes:
    """The picture, or pictures, and their orientation.

    Raises:
        CannotStrip: when it is not built as a WebP is.
    """
    size = int.from_bytes(data[4:8], "little")
    chunks = list(_take_chunks(Cursor(data, at=12, end=min(8 + size, len(data)))))
    told = dict(reversed(chunks))
    orientation = find_orientation(told.get(b"EXIF", b""), told.get(b"XMP ", b""))
    kept = list(_keep(chunks, orientation))
    if orientation > 1 and b"VP8X" in told:
        kept.append(_chunk(b"EXIF", make_exif(orientation)))
    body = b"WEBP" + b"".join(kept)
    return b"RIFF" + len(body).to_bytes(4, "little") + body


def _keep(chunks: list[tuple[bytes, bytes]], orientation: int) -> Iterator[bytes]:
    for kind, body in chunks:
        if kind in _NEEDED:
            yield _chunk(kind, body)
        elif kind == b"VP8X":
            flags = body[0] & ~_TOLD | (_HAS_EXIF if orientation > 1 else 0)
            yield _chunk(kind, bytes((flags,)) + body[1:])
        elif kind == b"ANMF":
            parts = _take_chunks(Cursor(body, at=_FRAME_HEAD))
            frame = b"".join(_chunk(*part) for part in parts if part[0] in _NEEDED)
            if not frame:
                msg = "a frame without a picture"
                raise CannotStrip(msg)
            yield _chunk(kind, body[:_FRAME_HEAD] + frame)


def _take_chunks(cursor: Cursor) -> Iterator[tuple[bytes, bytes]]:
    while not cursor.is_at_end:
        kind = cursor.take(4)
        size = cursor.number(4, "<")
        body = cursor.take(size)
        if size % 2 and not cursor.is_at_end:
            cursor.take(1)
        yield kind, body


def _chunk(kind: bytes, body: bytes) -> bytes:
    return kind + len(body).to_bytes(4, "little") + body + b"\0" * (len(body) % 2)
