"""The bridge from a call to an ASGI application (ASGI 3.0, HTTP)."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from serving.http.call import Call, encode_fields

__all__ = ("AsgiBridge",)

_Message = MutableMapping[str, Any]
_Application = Callable[
    [Any, Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]], Awaitable[None]
]
_FRAMING = frozenset({b"content-length", b"transfer-encoding", b"connection", b"date"})

_log = logging.getLogger(__name__)


class AsgiBridge:
    """Lets an application answer calls, each in a task of its own.

    Args:
        application: an ASGI application without a lifespan.
    """

    def __init__(self, application: _Application) -> None:
        self._application = application
        self._tasks: set[asyncio.Task[None]] = set()

    def __call__(self, call: Call) -> None:
        """Begin to answer."""
        task = asyncio.get_running_loop().create_task(self._answer(call))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, call: Call) -> None:
        turn = _Turn(call)
        try:
            await self._application(_scope(call), turn.receive, turn.send)
        except Exception:
            _log.exception("a request failed")
        if call.is_answered:
            return
        if turn.has_begun:
            call.abort()
        else:
            call.reply(500, b"the server has a fault")


class _Turn:
    """What an application hears and says about one call."""

    def __init__(self, call: Call) -> None:
        self.has_begun = False
        self._call = call
        self._was_heard = False
        self._status = 500
        self._fields = b""
        self._gone = asyncio.Event()
        call.on_gone = self._gone.set

    async def receive(self) -> _Message:
        """The request at first, then that the client hung up."""
        if not self._was_heard:
            self._was_heard = True
            return {"type": "http.request", "body": self._call.body, "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: _Message) -> None:
        """Take the beginning of an answer, or a piece of it."""
        if message["type"] == "http.response.start":
            self._status = message["status"]
            self._fields = _fields(message.get("headers", ()))
            return
        body, has_more = message.get("body", b""), message.get("more_body", False)
        if not self.has_begun and not has_more:
            self._call.reply(self._status, body, self._fields)
        else:
            await self._send_piece(body, has_more)
        if not has_more:
            self._gone.set()

    async def _send_piece(self, body: bytes, has_more: bool) -> None:
        if not self.has_begun:
            self.has_begun = True
            self._call.begin(self._status, self._fields)
        self._call.send(body)
        if has_more:
            await self._call.drained()
        else:
            self._call.end()


def _fields(headers: Any) -> bytes:
    """Write an application's headers; framing is the connection's business."""
    return encode_fields(
        (name.decode("latin-1"), value.decode("latin-1"))
        for name, value in headers
        if name.lower() not in _FRAMING
    )


def _scope(call: Call) -> dict[str, Any]:
    head, peers = call.head, call.peers
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1" if head.is_modern else "1.0",
        "method": head.method,
        "scheme": "https" if peers.is_tls else "http",
        "path": head.path,
        "raw_path": head.raw_path.encode("latin-1"),
        "query_string": head.query.encode("latin-1"),
        "root_path": "",
        "headers": [(n.encode("latin-1"), v.encode("latin-1")) for n, v in head.fields],
        "client": peers.client,
        "server": peers.server,
        "state": {},
    }
