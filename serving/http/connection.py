"""Connection: the bytes of one client, cut into requests; one is answered at a time.

Made for a server whose requests are pictures: the bytes of a body are received where they stay,
an idle connection holds no memory of its own, and a request costs no task, no future and no timer.
"""

import asyncio
import logging
import math
from enum import Enum, auto
from functools import cached_property
from typing import Any

from msgspec.structs import replace

from serving.http.call import Call, Peers
from serving.http.chunks import ChunkedBody
from serving.http.edge import Edge
from serving.http.head import MAX_HEAD_BYTES, Head, Refused, parse_head
from serving.http.sized import SizedBody
from serving.protocol.tensors import Buffer

__all__ = ("Connection",)

_AHEAD_BYTES = 64 * 1024
"""What a client may send before its last request is answered, bytes; then it is not read."""

_LINGER_S = 2.0
"""How long a refused client may go on sending before the connection is closed."""

_HEAD_GUESS = 4096
"""Where the end of a head is looked for first, bytes."""

_log = logging.getLogger(__name__)


class _State(Enum):
    HEAD = auto()
    BODY = auto()
    ANSWERING = auto()
    ENDING = auto()


_NO_HEAD = Head("GET", "/", "", (), {}, 0, False, True)
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class Connection(asyncio.BufferedProtocol):
    """One client's connection.

    Args:
        edge: what it shares with the others.
    """

    def __init__(self, edge: Edge) -> None:
        self._edge = edge
        self._loop = asyncio.get_running_loop()
        self._transport: Any = None
        self._state = _State.HEAD
        self._head = _NO_HEAD
        self._call: Call | None = None
        self._ahead = bytearray()  # what came before it could be used
        self._sized: SizedBody | None = None
        self._chunks: ChunkedBody | None = None
        self._due = math.inf
        self._began = math.inf  # when the first byte of the request came
        self._is_consuming = False
        self._is_paused = False
        self._is_refused = False
        self._room: asyncio.Future[None] | None = None  # while the client takes nothing

    # What the event loop says.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Learn of the connection."""
        self._transport = transport
        self._edge.connections.add(self)
        self._due = self._loop.time() + self._edge.limits.head_s

    def connection_lost(self, error: Exception | None) -> None:
        """Learn that it is gone; what was asked for is given up."""
        self._edge.forget(self)
        self._state = _State.ENDING
        self._sized = self._chunks = None
        self.resume_writing()
        self._due = math.inf
        if self._call is not None:
            self._call.gone()
            self._call = None

    def eof_received(self) -> bool:
        """Learn that the client sends no more: it has hung up."""
        return False

    def get_buffer(self, sizehint: int) -> memoryview:
        """Say where the next bytes belong."""
        return self._edge.scratch if self._sized is None else self._sized.room()

    def buffer_updated(self, count: int) -> None:
        """Learn that bytes have come."""
        sized = self._sized
        if sized is not None:
            sized.take(count)
            self._prolong(sized.received)
            if sized.is_complete:
                self._sized = None
                self._dispatch(sized.whole())
        elif self._ahead:
            self._resume(self._edge.scratch[:count])
        else:
            self._consume(self._edge.scratch[:count])

    def pause_writing(self) -> None:
        """Learn that the client does not take its answer as fast as it comes."""
        self._room = self._loop.create_future()
        self._due = self._loop.time() + self._edge.limits.write_s

    def resume_writing(self) -> None:
        """Learn that the client has taken most of its answer."""
        if self._room is None:
            return
        self._room.set_result(None)
        self._room = None
        answering = self._state is _State.ANSWERING
        self._due = math.inf if answering else self._loop.time() + self._edge.limits.idle_s

    # What the listener says.

    def expire(self, now: float) -> None:
        """Look whether the client has had its time (`now`: the loop's); called every second."""
        if self._due > now:
            return
        if self._room is not None or self._state is _State.ENDING:
            self._transport.abort()
        elif self._is_idle:
            self._transport.close()
        else:
            self._refuse(Refused(408, "the request did not come in time"))

    def close_when_idle(self) -> None:
        """End now, or else with the answer under way."""
        if self._is_idle:
            self._transport.close()

    def abort(self) -> None:
        """Hang up at once."""
        self._transport.abort()

    @property
    def _is_idle(self) -> bool:
        return self._state is _State.HEAD and not self._ahead

    # What a call says.

    @property
    def date(self) -> bytes:
        """The field Date, as a line."""
        return self._edge.date

    @property
    def is_closing(self) -> bool:
        """Whether this request is the connection's last."""
        return self._edge.is_closing

    @cached_property
    def peers(self) -> Peers:
        """Who talks with whom; each request asks."""
        info = self._transport.get_extra_info
        client, server = info("peername"), info("sockname")
        return Peers(client and client[:2], server and server[:2], info("ssl_object") is not None)

    def write(self, *pieces: Buffer) -> None:
        """Send; what the client does not take yet is kept."""
        if len(pieces) == 1:
            self._transport.write(pieces[0])
        else:
            self._transport.writelines(pieces)

    async def drained(self) -> None:
        """Wait until the client has taken most of it; returns at once when it is gone."""
        if self._room is not None:
            await asyncio.shield(self._room)

    def finish(self, *, reusable: bool) -> None:
        """Go on to the next request, or close."""
        self._call = None
        if not reusable or self._edge.is_closing:
            self._end()
            return
        self._state = _State.HEAD
        if self._room is None:
            self._due = self._loop.time() + self._edge.limits.idle_s
        if self._ahead and not self._is_consuming:
            self._loop.call_soon(self._resume)

    # From bytes to calls.

    def _resume(self, more: memoryview | bytes = b"") -> None:
        """Go on with what came earlier, and with what came now."""
        ahead = self._ahead
        ahead += more
        self._ahead = bytearray()
        self._consume(memoryview(ahead))
        if len(self._ahead) > _AHEAD_BYTES:
            self._is_paused = True
            self._transport.pause_reading()
        elif self._is_paused:
            self._is_paused = False
            self._transport.resume_reading()

    def _consume(self, data: memoryview) -> None:
        """Use what can be used now; the rest is kept."""
        self._is_consuming = True
        at = 0
        try:
            while at < len(data) and self._state is not _State.ENDING:
                used = self._step(data[at:])
                if not used:
                    self._ahead += data[at:]
                    break
                at += used
        except Refused as refused:
            self._refuse(refused)
        finally:
            self._is_consuming = False

    def _step(self, data: memoryview) -> int:
        """Use the beginning of `data`, as many bytes as are returned."""
        if self._state is _State.HEAD:
            return self._read_head(data)
        chunks = self._chunks
        if chunks is None:
            return 0
        used = chunks.feed(bytes(data))
        self._prolong(len(chunks.data))
        if chunks.is_complete:
            self._chunks = None
            self._dispatch(bytes(chunks.data))
        return used

    def _read_head(self, data: memoryview) -> int:
        """Take a head and what has come of its body; nothing while the head is not complete."""
        text = bytes(data[:_HEAD_GUESS])
        end = text.find(b"\r\n\r\n")
        if end < 0 and len(data) > len(text):
            text = bytes(data[:MAX_HEAD_BYTES])
            end = text.find(b"\r\n\r\n")
        if text.startswith(b"\r\n"):
            return 2  # empty lines between requests are to be passed over (RFC 9112, 2.2)
        if end < 0:
            self._await_head(len(data))
            return 0
        self._began = math.inf
        self._head = parse_head(text[: end + 4])
        return end + 4 + self._read_body(data[end + 4 :])

    def _await_head(self, size: int) -> None:
        if size >= MAX_HEAD_BYTES:
            raise Refused(431, f"the head has more than {MAX_HEAD_BYTES} bytes")
        if self._began == math.inf:
            self._began = self._loop.time()
            self._due = self._began + self._edge.limits.head_s

    def _read_body(self, data: memoryview) -> int:
        """Take what has come of the body along with its head."""
        head, limit = self._head, self._edge.limits.body_bytes
        length = head.length
        if length is not None and length <= len(data) and length <= limit:
            self._dispatch(bytes(data[:length]))
            return length
        if length is not None and length > limit:
            raise Refused(413, f"the body has more than {limit} bytes")
        self._began = self._loop.time()
        if head.expects_continue and not data:
            self._transport.write(_CONTINUE)
        self._state = _State.BODY
        if length is None:
            self._chunks = ChunkedBody(limit)
            self._prolong(0)
            return 0
        self._sized = SizedBody(length, data)
        self._prolong(len(data))
        return len(data)

    def _dispatch(self, body: bytes) -> None:
        self._state = _State.ANSWERING
        self._began = self._due = math.inf
        self._call = call = Call(self._head, body, self)
        try:
            self._edge.answer(call)
        except Exception:
            _log.exception("a request failed")
            self._edge.refuse(call, Refused(500, "the server has a fault"))

    def _prolong(self, received: int) -> None:
        """A body may take as long as it has come fast."""
        limits = self._edge.limits
        self._due = self._began + limits.body_s + received / limits.body_rate

    def _refuse(self, refused: Refused) -> None:
        """Answer bytes that are no request; where the next one would begin nobody knows."""
        self._is_refused = True
        self._sized = self._chunks = None
        self._call = call = Call(replace(self._head, keeps_alive=False), b"", self)
        self._edge.refuse(call, refused)

    def _end(self) -> None:
        """Close once the answer is sent.

        A client that was refused may still be sending: what comes is dropped for a while, for the
        answer would be lost with a connection that is closed before it has read it (RFC 9112, 9.6).
        """
        self._state = _State.ENDING
        limits = self._edge.limits
        if self._is_refused and self._transport.can_write_eof():
            self._due = self._loop.time() + _LINGER_S
            self._transport.write_eof()
        else:
            self._due = self._loop.time() + limits.write_s
            self._transport.close()
