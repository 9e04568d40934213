"""GIF (version 89a): pictures and what belongs to them; no comments, no data of programs."""

from animator.core.metadata.parts import CannotStrip, Cursor

__all__ = ("strip_gif",)

_EXTENSION, _PICTURE, _END = 0x21, 0x2C, 0x3B
_CONTROL, _PROGRAM = 0xF9, 0xFF


def strip_gif(data: bytes) -> bytes:
    """The pictures, each with its control block.

    Raises:
        CannotStrip: when it is not built as a GIF is, or XMP in it may tell how to turn it.
    """
    cursor = Cursor(data)
    head = cursor.take(13)
    kept = [head, cursor.take(_table_size(head[10]))]
    while (kind := cursor.number(1)) != _END:
        if kind == _EXTENSION:
            label = cursor.number(1)
            blocks = _take_blocks(cursor)
            if label == _CONTROL:
                kept.append(bytes((kind, label)) + blocks)
            if label == _PROGRAM and b"tiff:Orientation" in blocks:
                msg = "XMP tells how to turn it"
                raise CannotStrip(msg)
        elif kind == _PICTURE:
            descriptor = cursor.take(9)
            table, code_size = cursor.take(_table_size(descriptor[8])), cursor.take(1)
            kept += [bytes((kind,)), descriptor, table, code_size, _take_blocks(cursor)]
        else:
            msg = f"no block at {cursor.at}"
            raise CannotStrip(msg)
    return b"".join((*kept, bytes((_END,))))


def _table_size(flags: int) -> int:
    """Bytes of the table of colours that the flags announce."""
    return 3 * 2 ** ((flags & 7) + 1) if flags & 0x80 else 0


def _take_blocks(cursor: Cursor) -> bytes:
    """Blocks of at most 255 bytes, up to the empty one."""
    begin = cursor.at
    while size := cursor.number(1):
        cursor.take(size)
    return cursor.data[begin : cursor.at]
