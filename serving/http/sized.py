"""A body whose length its head tells, received where it stays."""

__all__ = ("SizedBody",)

_FIRST_BYTES = 64 * 1024
"""What is set aside for a body before any of it has come, at most."""


class SizedBody:
    """Takes bytes into memory that is given for what has come, not for what is promised.

    Args:
        length: of the body, > 0.
        first: what has come of it, less than all.

    Attributes:
        received: how many bytes have come.
    """

    __slots__ = ("_data", "_length", "received")

    def __init__(self, length: int, first: memoryview) -> None:
        self._length = length
        self._data = bytearray(max(len(first), min(length, _FIRST_BYTES)))
        self._data[: len(first)] = first
        self.received = len(first)

    @property
    def is_complete(self) -> bool:
        """Whether all of it has come."""
        return self.received == self._length

    def room(self) -> memoryview:
        """Where the next bytes belong; not empty while it is not complete."""
        if self.received == len(self._data):
            # Twice as much each time.
            self._data.extend(bytes(min(self._length - self.received, self.received)))
        return memoryview(self._data)[self.received :]

    def take(self, count: int) -> None:
        """Learn that so many bytes have been written where `room` said."""
        self.received += count

    def whole(self) -> bytes:
        """The body, once it is complete."""
        return bytes(self._data)
