"""Channel: frames over a socket pair, one end in an event loop, the other blocking.

Large payloads go through shared memory (`serving.workers.shared`).
"""

import asyncio
import select
import socket
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

from serving.protocol.tensors import Buffer
from serving.workers.frames import ChannelClosed, Frame, FrameReader, write_frame
from serving.workers.messages import Message
from serving.workers.shared import SharedArea

__all__ = ("Areas", "AsyncChannel", "Channel", "ChannelClosed", "channel_pair")

_SOCKET_BUFFER = 1 << 20
"""Asked of the kernel, which cuts it down to what it allows, bytes."""

_MOST_CHUNKS = 512
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


_NO_AREAS = Areas()


def channel_pair() -> tuple[socket.socket, socket.socket]:
    """Make the two ends, the server's and the worker's."""
    ours, theirs = socket.socketpair()
    for end in (ours, theirs):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SOCKET_BUFFER)
    ours.setblocking(False)
    return ours, theirs


class AsyncChannel:
    """The server's end: neither sending nor hearing costs a task.

    Args:
        end: a socket that does not block.
        on_message: called with each message and what follows it; may raise ChannelClosed.
        on_closed: called once, when the other end is gone or talks nonsense.
        areas: for large payloads; closed with the channel.
    """

    def __init__(
        self,
        end: socket.socket,
        on_message: Callable[[Message, list[memoryview]], None],
        on_closed: Callable[[], None],
        areas: Areas = _NO_AREAS,
    ) -> None:
        self._socket = end
        self._areas = areas
        self._on_message = on_message
        self._on_closed = on_closed
        self._reader = FrameReader(areas.incoming)
        self._unsent: deque[Buffer] = deque()
        self._loop = asyncio.get_running_loop()
        self._is_closed = False
        self._loop.add_reader(end, self._receive)

    def send(self, message: Message, buffers: Sequence[Buffer] = ()) -> None:
        """Send a message and what follows it; what the kernel does not take at once goes later.

        Raises:
            ChannelClosed: when the other end is gone.
        """
        if self._is_closed:
            raise ChannelClosed
        is_first = not self._unsent
        self._unsent.extend(write_frame(message, buffers, self._areas.outgoing))
        if is_first:
            self._send_now()
            if self._unsent:
                self._loop.add_writer(self._socket, self._send_later)

    def close(self) -> None:
        """Close this end; the other one sees the end of the stream."""
        if not self._is_closed:
            self._is_closed = True
            self._loop.remove_reader(self._socket)
            self._loop.remove_writer(self._socket)
            self._unsent.clear()
            self._socket.close()
            self._areas.close()

    def _send_now(self) -> None:
        unsent = self._unsent
        try:
            while unsent:
                sent = self._socket.sendmsg(list(unsent)[:_MOST_CHUNKS])
                while unsent and sent >= len(unsent[0]):
                    sent -= len(unsent.popleft())
                if sent:
                    unsent[0] = memoryview(unsent[0])[sent:]
        except BlockingIOError:
            return
        except OSError as error:
            raise ChannelClosed from error

    def _send_later(self) -> None:
        try:
            self._send_now()
        except ChannelClosed:
            self._end()
            return
        if not self._unsent:
            self._loop.remove_writer(self._socket)

    def _receive(self) -> None:
        try:
            count = self._socket.recv_into(self._reader.buffer())
            if not count:
                raise ChannelClosed
            for message, buffers in self._reader.take(count):
                self._on_message(message, buffers)
        except BlockingIOError:
            return
        except (OSError, ChannelClosed):
            self._end()

    def _end(self) -> None:
        if not self._is_closed:
            self.close()
            self._on_closed()


class Channel:
    """The worker's end; blocks.

    Args:
        end: a socket that blocks.
        areas: for large payloads.
    """

    def __init__(self, end: socket.socket, areas: Areas = _NO_AREAS) -> None:
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
            for at in range(0, len(chunks), _MOST_CHUNKS):
                self._send_chunks(chunks[at : at + _MOST_CHUNKS])
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
