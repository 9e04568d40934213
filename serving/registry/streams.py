"""ReplyStream: the parts of a reply that come while the model still works on it."""

import asyncio
from collections import deque

from msgspec.structs import replace

from serving.batching.pending import Batch
from serving.errors import InferenceFailed, ServingError
from serving.protocol.exchange import Parts, RawReply
from serving.workers.messages import Item, Outcome
from serving.workers.process import Answer

__all__ = ("Relay", "ReplyStream")

_MOST_BYTES = 64 << 20
"""Parts that wait for a client who reads too slowly; then the stream is broken off."""


class ReplyStream(Parts):
    """Parts of one reply, from the worker to the client."""

    def __init__(self) -> None:
        self._parts: deque[bytes] = deque()
        self._size = 0
        self._error: ServingError | None = None
        self._is_over = False
        self._changed = asyncio.Event()

    def put(self, part: bytes) -> bool:
        """Add a part; whether anybody wants more."""
        if self._is_over:
            return False
        if self._size + len(part) > _MOST_BYTES:
            self._end(InferenceFailed("the client reads too slowly"))
            return False
        if part:
            self._parts.append(part)
            self._size += len(part)
            self._changed.set()
        return True

    def finish(self, outcome: Outcome) -> None:
        """Add the last part, or break off with an error."""
        if isinstance(outcome, RawReply):
            self.put(outcome.body)
        self._end(outcome if isinstance(outcome, ServingError) else None)

    async def __anext__(self) -> bytes:
        """Wait for the next part.

        Raises:
            ServingError: when the model failed midway.
        """
        while not self._parts:
            if self._error is not None:
                raise self._error
            if self._is_over:
                raise StopAsyncIteration
            self._changed.clear()
            await self._changed.wait()
        part = self._parts.popleft()
        self._size -= len(part)
        return part

    async def aclose(self) -> None:
        """Take no more: the client is gone."""
        self.close()

    def close(self) -> None:
        """Take no more, and drop what is here."""
        self._parts.clear()
        self._end(None)

    def _end(self, error: ServingError | None) -> None:
        if not self._is_over:
            self._is_over = True
            self._error = error
            self._changed.set()


class Relay:
    """Gives replies that come in parts to their clients with the first of them.

    Args:
        batch: that the replies are to.
    """

    def __init__(self, batch: Batch[Item, Outcome]) -> None:
        self._batch = batch
        self._streams: dict[int, ReplyStream] = {}

    def take(self, index: int, part: RawReply) -> bool:
        """Take a part of the reply to the item of that index; whether anybody wants more."""
        stream = self._streams.get(index)
        if stream is not None:
            return stream.put(part.body)
        stream = self._streams[index] = ReplyStream()
        is_wanted = self._batch.settle(index, replace(part, rest=stream))
        if not is_wanted:
            stream.close()
        return is_wanted

    def finish(self, answer: Answer | ServingError) -> None:
        """End the replies that have begun, or break them off."""
        for index, stream in self._streams.items():
            if isinstance(answer, ServingError):
                stream.finish(answer)
            else:
                stream.finish(answer.outcomes[index])
