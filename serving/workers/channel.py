"""Channel: frames over a socket pair; here the worker's end, which blocks.

Large payloads go through shared memory (`serving.workers.shared`).
"""

import select
import socket
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from serving.protocol.tensors import Buffer
from serving.workers.frames import ChannelClosed, Frame, FrameReader, write_frame
from serving.workers.messages import Message
from serving.workers.shared import SharedArea

__all__ = ("MOST_CHUNKS", "NO_AREAS", "Areas", "Channel", "ChannelClosed", "channel_pair")

_SOCKET_BUFFER = 1 << 20
"""Asked of the kernel, which cuts it down to what it allows, bytes."""

MOST_CHUNKS = 512
"""Sent by one call; the system's limit is 1024 (IOV_MAX)."""


class Areas(NamedTuple):
    """The shared memory of one end; None: all goes through the socket."""

    outgoing: SharedArea | None = None
    incoming: SharedArea | None = None

    def close(self) -> None:
        """Give both up."""
        for area in self:
            if area is not None:
                area.close()


NO_AREAS = Areas()


def channel_pair() -> tuple[socket.socket, socket.socket]:
    """Make the two ends, the server's and the worker's."""
    ours, theirs = socket.socketpair()
    for end in (ours, theirs):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SOCKET_BUFFER)
    ours.setblocking(False)
    return ours, theirs


class Channel:
    """The worker's end; blocks.

    Args:
        end: a socket that blocks.
        areas: for large payloads.
    """

    def __init__(self, end: socket.socket, areas: Areas = NO_AREAS) -> None:
        self._socket = end
        self._areas = areas
        self._reader = FrameReader(areas.incoming)
        self._frames: deque[Frame] = deque()

    def send(self, message: Message, buffers: Sequence[Buffer] = ()) -> None:
        """Send a message and what follows it.

        Raises:
            ChannelClosed: when the other end is gone.
        """
        chunks = write_frame(message, buffers, self._areas.outgoing)
        try:
            if len(chunks) == 1:
                self._socket.sendall(chunks[0])
                return
            for at in range(0, len(chunks), MOST_CHUNKS):
                self._send_chunks(chunks[at : at + MOST_CHUNKS])
        except OSError as error:
            raise ChannelClosed from error

    def receive(self) -> Frame:
        """Wait for the next message and what follows it.

        Raises:
            ChannelClosed: when the other end is gone.
        """
        while not self._frames:
            try:
                count = self._socket.recv_into(self._reader.buffer())
            except OSError as error:
                raise ChannelClosed from error
            if not count:
                raise ChannelClosed
            self._frames.extend(self._reader.take(count))
        return self._frames.popleft()

    def has_message(self) -> bool:
        """Whether something has come; does not wait."""
        return bool(self._frames) or bool(select.select([self._socket], [], [], 0)[0])

    def _send_chunks(self, chunks: Sequence[Buffer]) -> None:
        sent = self._socket.sendmsg(chunks)
        for chunk in chunks:
            if sent < len(chunk):
                self._socket.sendall(memoryview(chunk)[sent:])
            sent = max(sent - len(chunk), 0)
