"""Listener: one port, its connections, and the clock that they share."""

import asyncio
import socket
import ssl
from email.utils import formatdate

from serving.http.connection import Connection
from serving.http.edge import Edge

__all__ = ("Listener",)

_TICK_S = 1.0
_BACKLOG = 2048


class Listener:
    """Accepts connections; looks once a second which clients have had their time.

    Args:
        bound: a socket with its address; listened on from the start on, closed at the end.
        edge: what the connections share.
        tls: None: they talk in the clear.
    """

    def __init__(self, bound: socket.socket, edge: Edge, tls: ssl.SSLContext | None = None) -> None:
        self._socket = bound
        self._edge = edge
        self._tls = tls
        self._server: asyncio.Server | None = None
        self._ticking: asyncio.TimerHandle | None = None

    async def start(self) -> None:
        """Listen."""
        loop = asyncio.get_running_loop()
        self._tick()
        self._server = await loop.create_server(
            lambda: Connection(self._edge), sock=self._socket, ssl=self._tls, backlog=_BACKLOG
        )

    async def stop(self, grace_s: float) -> None:
        """Accept nothing more; give answers under way `grace_s` seconds, then hang up."""
        edge = self._edge
        edge.is_closing = True
        if self._server is not None:
            self._server.close()
        for connection in list(edge.connections):
            connection.close_when_idle()
        if edge.connections:
            try:
                await asyncio.wait_for(edge.emptied.wait(), grace_s)
            except TimeoutError:
                for connection in list(edge.connections):
                    connection.abort()
        if self._ticking is not None:
            self._ticking.cancel()

    def _tick(self) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        self._edge.date = f"date: {formatdate(usegmt=True)}\r\n".encode()
        for connection in list(self._edge.connections):
            connection.expire(now)
        self._ticking = loop.call_later(_TICK_S, self._tick)
