"""Call: one request, and the answer to it."""

import re
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import NamedTuple, Protocol

from serving.http.head import Head
from serving.protocol.tensors import Buffer

__all__ = ("Call", "Peers", "Wire", "encode_fields")

_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_VALUE = re.compile(r"[^\x00-\x08\x0a-\x1f\x7f]*")

_JOINED_BYTES = 4096
"""Longest body that goes along with its head: a copy costs less than a second buffer to send."""

_REASONS = {status.value: status.phrase for status in HTTPStatus} | {499: "Client Closed Request"}
_STATUS_LINES: dict[tuple[int, str], bytes] = {}


class Peers(NamedTuple):
    """The addresses of client and server, None where they have none; and whether they talk TLS."""

    client: tuple[str, int] | None
    server: tuple[str, int] | None
    is_tls: bool


class Wire(Protocol):
    """What a call asks of its connection."""

    def write(self, *pieces: Buffer) -> None:
        """Send; what the client does not take yet is kept."""
        ...

    async def drained(self) -> None:
        """Wait until the client has taken most of it; returns at once when it is gone."""
        ...

    def finish(self, *, reusable: bool) -> None:
        """Go on to the next request, or close."""
        ...

    @property
    def date(self) -> bytes:
        """The field Date, as a line."""
        ...

    @property
    def is_closing(self) -> bool:
        """Whether this request is the connection's last."""
        ...

    @property
    def peers(self) -> Peers:
        """Who talks with whom."""
        ...


def encode_fields(fields: Iterable[tuple[str, str]]) -> bytes:
    """Write header fields as lines.

    Raises:
        ValueError: when a name or a value cannot stand in a header.
    """
    lines = []
    for name, value in fields:
        if not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
            msg = f"no header field can be {name!r}: {value!r}"
            raise ValueError(msg)
        lines.append(f"{name}: {value}\r\n")
    return "".join(lines).encode("latin-1", "replace")


class Call:
    """One request, whole, and the way back to whoever sent it.

    An answer is either `reply`, or `begin`, any number of `send`, and `end`. What is said to a
    client that is gone is dropped.

    Args:
        head: the request's.
        body: the request's, all of it.
        wire: the connection that it came by.

    Attributes:
        on_gone: called once if the client hangs up before its answer is complete.
        is_answered: whether the answer is complete, or nobody waits for it any more.
    """

    __slots__ = ("_is_chunked", "_wire", "body", "head", "is_answered", "on_gone")

    def __init__(self, head: Head, body: bytes, wire: Wire) -> None:
        self.head = head
        self.body = body
        self.on_gone: Callable[[], None] | None = None
        self.is_answered = False
        self._wire = wire
        self._is_chunked = False

    @property
    def peers(self) -> Peers:
        """Who talks with whom."""
        return self._wire.peers

    def client_address(self) -> str:
        """The client's address without its port; "": it has none."""
        client = self._wire.peers.client
        return client[0] if client else ""

    def reply(
        self, status: int, body: Buffer = b"", fields: bytes = b"", *, reason: str = ""
    ) -> None:
        """Answer completely.

        Args:
            status: 200 to 599.
            body: not sent to HEAD, nor with 204 and 304.
            fields: lines made by `encode_fields`, without length and framing.
            reason: beside the status; empty: the usual one.
        """
        if self.is_answered:
            return
        self._note_answered()
        reusable = self.head.keeps_alive and not self._wire.is_closing
        lines = b"%bcontent-length: %d\r\n%b%b\r\n" % (
            _status_line(status, reason) + self._wire.date,
            len(body),
            fields,
            self._connection_line(reusable),
        )
        if not body or self.head.method == "HEAD" or status in (204, 304):
            self._wire.write(lines)
        elif len(body) <= _JOINED_BYTES:
            self._wire.write(lines + body)
        else:
            self._wire.write(lines, body)
        self._wire.finish(reusable=reusable)

    def begin(self, status: int, fields: bytes = b"", *, reason: str = "") -> None:
        """Begin an answer whose length is not known yet: chunks, or to HTTP/1.0 until the end."""
        if self.is_answered:
            return
        self._is_chunked = self.head.is_modern
        framing = b"transfer-encoding: chunked\r\n" if self._is_chunked else b""
        closing = self._connection_line(self.head.keeps_alive and self._is_chunked)
        status_line = _status_line(status, reason)
        self._wire.write(
            b"".join((status_line, self._wire.date, framing, fields, closing, b"\r\n"))
        )

    def send(self, piece: Buffer) -> None:
        """Send a piece of the body that was begun."""
        if self.is_answered or not piece or self.head.method == "HEAD":
            return
        if self._is_chunked:
            self._wire.write(b"%x\r\n" % len(piece), piece, b"\r\n")
        else:
            self._wire.write(piece)

    async def drained(self) -> None:
        """Wait until the client has taken most of what was sent."""
        await self._wire.drained()

    def end(self) -> None:
        """End the answer that was begun."""
        if self.is_answered:
            return
        self._note_answered()
        if self._is_chunked and self.head.method != "HEAD":
            self._wire.write(b"0\r\n\r\n")
        self._wire.finish(reusable=self.head.keeps_alive and self._is_chunked)

    def abort(self) -> None:
        """Break off an answer that cannot be completed: the client sees that it is cut short."""
        if not self.is_answered:
            self._note_answered()
            self._wire.finish(reusable=False)

    def gone(self) -> None:
        """Learn from the connection that the client hung up."""
        if not self.is_answered:
            on_gone = self.on_gone
            self._note_answered()
            if on_gone is not None:
                on_gone()

    def _note_answered(self) -> None:
        self.is_answered = True
        # It holds what was asked, which holds this call: with it the body would stay in memory
        # until garbage is collected.
        self.on_gone = None

    def _connection_line(self, reusable: bool) -> bytes:
        if not reusable:
            return b"connection: close\r\n"
        return b"" if self.head.is_modern else b"connection: keep-alive\r\n"


def _status_line(status: int, reason: str) -> bytes:
    line = _STATUS_LINES.get((status, reason))
    if line is None:
        phrase = reason or _REASONS.get(status, "")
        if not _VALUE.fullmatch(phrase):
            phrase = ""
        line = f"HTTP/1.1 {status} {phrase}\r\n".encode("latin-1", "replace")
        if not reason:
            _STATUS_LINES[status, reason] = line
    return line
