"""One connection of the load generator, with at most one request under way."""

import re
import socket

__all__ = ("Connection",)

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_CHUNKED = re.compile(rb"\r\ntransfer-encoding: *chunked", re.IGNORECASE)
_CLOSING = re.compile(rb"\r\nconnection: *close", re.IGNORECASE)
_RECEIVE_BYTES = 1 << 18
_CONNECT_S = 5.0


class Connection:
    """A connection that does not block.

    Args:
        host: of the server.
        port: of the server.

    Attributes:
        started: when its request was to be sent.
        is_busy: whether an answer is waited for.
    """

    def __init__(self, host: str, port: int) -> None:
        self.socket = socket.create_connection((host, port), _CONNECT_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self.started = 0.0
        self.is_busy = False
        self._unsent = memoryview(b"")
        self._answer = b""

    def start(self, request: bytes, at: float) -> bool:
        """Begin a request that was to be sent at that moment; whether all of it is sent."""
        self.started, self.is_busy = at, True
        self._answer = b""
        self._unsent = memoryview(request)
        try:
            return self.send()
        except ConnectionError:
            return True  # the reader learns of it, too

    def send(self) -> bool:
        """Send what the connection takes; whether nothing is left to be sent."""
        while self._unsent:
            try:
                self._unsent = self._unsent[self.socket.send(self._unsent) :]
            except BlockingIOError:
                return False
        return True

    def receive(self) -> bool:
        """Take what has come; whether the answer is complete.

        Raises:
            ConnectionError: when the server hung up.
        """
        data = self.socket.recv(_RECEIVE_BYTES)
        if not data:
            raise ConnectionResetError
        self._answer = self._answer + data if self._answer else data
        end = self._answer.find(b"\r\n\r\n")
        if end < 0:
            return False
        head = self._answer[: end + 2]
        length = _LENGTH.search(head)
        if length is not None:
            return len(self._answer) >= end + 4 + int(length[1])
        return bool(_CHUNKED.search(head)) and self._answer.endswith(b"\r\n0\r\n\r\n")

    @property
    def status(self) -> int:
        """Of the answer."""
        return int(self._answer[9:12])

    @property
    def body(self) -> bytes:
        """Of the answer, as it came."""
        return self._answer.partition(b"\r\n\r\n")[2]

    @property
    def is_closing(self) -> bool:
        """Whether the server hangs up after this answer."""
        return bool(_CLOSING.search(self._answer.partition(b"\r\n\r\n")[0] + b"\r\n"))

    def close(self) -> None:
        """Hang up."""
        self.socket.close()
