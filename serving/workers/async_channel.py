"""AsyncChannel: the server's end of a channel, in its event loop."""

import asyncio
import socket
from collections import deque
from collections.abc import Callable, Sequence

from serving.protocol.tensors import Buffer
from serving.workers.channel import MOST_CHUNKS, NO_AREAS, Areas
from serving.workers.frames import ChannelClosed, FrameReader, write_frame
from serving.workers.messages import Message

__all__ = ("AsyncChannel",)


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
        areas: Areas = NO_AREAS,
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
                sent = self._socket.sendmsg(list(unsent)[:MOST_CHUNKS])
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
