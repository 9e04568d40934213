"""Edge: what the connections of one listener share."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from serving.http.call import Call
from serving.http.head import Refused

if TYPE_CHECKING:
    from serving.http.connection import Connection

__all__ = ("Edge", "HttpLimits")

_SCRATCH_BYTES = 256 * 1024


class HttpLimits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a client may ask of a connection.

    Attributes:
        body_bytes: longest body.
        head_s: longest time for a head, from its first byte, seconds.
        idle_s: longest time between requests; longer than clients keep idle connections, so that
            theirs is the end that closes them, seconds.
        body_s: longest time for a body, seconds, beside one second for each `body_rate` bytes.
        body_rate: slowest sending of a body that is put up with, bytes a second.
        write_s: longest time in which a client takes nothing of its answer, seconds.
    """

    body_bytes: int
    head_s: float = 10.0
    idle_s: float = 75.0
    body_s: float = 30.0
    body_rate: int = 16 * 1024
    write_s: float = 60.0


class Edge:
    """What the connections of one listener share.

    Args:
        answer: given each call once its body is complete; answers it, now or later.
        refuse: given a call that cannot be read; answers it at once.
        limits: kept by every connection.

    Attributes:
        connections: those open now.
        date: the line with the present time, set by the listener.
        is_closing: whether connections end with the answer under way.
        scratch: read into by one connection at a time, and emptied before the next one reads.
        emptied: set once the last connection is gone after `is_closing`.
    """

    def __init__(
        self,
        answer: Callable[[Call], None],
        refuse: Callable[[Call, Refused], None],
        limits: HttpLimits,
    ) -> None:
        self.answer = answer
        self.refuse = refuse
        self.limits = limits
        self.connections: set[Connection] = set()
        self.date = b""
        self.is_closing = False
        self.scratch = memoryview(bytearray(_SCRATCH_BYTES))
        self.emptied = asyncio.Event()

    def forget(self, connection: "Connection") -> None:
        """Learn that a connection is gone."""
        self.connections.discard(connection)
        if self.is_closing and not self.connections:
            self.emptied.set()
