"""A body that comes in chunks (RFC 9112, 7.1), put together as it arrives."""

import re

from serving.http.head import Refused

__all__ = ("ChunkedBody",)

_SIZE_LINE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n\0]*)?")
_MAX_LINE = 4096
_MAX_TRAILERS = 16 * 1024


class ChunkedBody:
    """Takes bytes in pieces of any size; extensions and trailers are read and dropped.

    Args:
        max_bytes: a longer body is refused.

    Attributes:
        data: what has come so far, without the framing.
        is_complete: whether the last chunk and its trailers have come.
    """

    def __init__(self, max_bytes: int) -> None:
        self.data = bytearray()
        self.is_complete = False
        self._max_bytes = max_bytes
        self._left = 0  # bytes missing of the present chunk and its line end
        self._is_last = False
        self._line = bytearray()
        self._trailers = 0

    def feed(self, piece: bytes) -> int:
        """Take a piece; how many of its bytes belonged to this body.

        Raises:
            Refused: when the framing is wrong, or the body too long.
        """
        at = 0
        while at < len(piece) and not self.is_complete:
            at = self._take_data(piece, at) if self._left else self._take_line(piece, at)
        return at

    def _take_data(self, piece: bytes, at: int) -> int:
        count = min(self._left, len(piece) - at)
        data_count = min(count, max(self._left - 2, 0))
        self.data += piece[at : at + data_count]
        end = piece[at + data_count : at + count]
        expected = b"\r\n"[2 - min(self._left, 2) :] if data_count == 0 else b"\r\n"
        if not expected.startswith(end):
            raise Refused(400, "a chunk is longer than it says")
        self._left -= count
        return at + count

    def _take_line(self, piece: bytes, at: int) -> int:
        end = piece.find(b"\n", at)
        stop = len(piece) if end < 0 else end + 1
        self._line += piece[at:stop]
        if len(self._line) > _MAX_LINE:
            raise Refused(400, f"a line between chunks has more than {_MAX_LINE} bytes")
        if end >= 0:
            line = bytes(self._line)
            self._line.clear()
            if not line.endswith(b"\r\n"):
                raise Refused(400, "a line between chunks is malformed")
            self._end_line(line[:-2])
        return stop

    def _end_line(self, line: bytes) -> None:
        if self._is_last:
            self._trailers += len(line)
            self.is_complete = not line
            if self._trailers > _MAX_TRAILERS:
                raise Refused(431, f"more than {_MAX_TRAILERS} bytes of trailers")
            return
        match = _SIZE_LINE.fullmatch(line)
        if match is None:
            raise Refused(400, "the size of a chunk is malformed")
        size = int(match[1], 16)
        if len(self.data) + size > self._max_bytes:
            raise Refused(413, f"the body has more than {self._max_bytes} bytes")
        self._is_last = size == 0
        self._left = size + 2 if size else 0
