"""Several batches at a time in the worker, for handlers that wait for others: coroutines."""

import asyncio
import threading
import time
from collections.abc import Sequence
from typing import Any

from serving.batching.batch import as_serving_error
from serving.errors import BadInput, ServingError
from serving.handlers.asked import ASKED, Asked
from serving.handlers.points import take_points
from serving.protocol.exchange import RawReply, RawRequest
from serving.workers.answering import expect_reply, log_failure
from serving.workers.channel import Channel, ChannelClosed
from serving.workers.messages import Answered, Item, Ping, Pong, Run, unpack_items
from serving.workers.replies import pack_safely, send_chunk

__all__ = ("ConcurrentLoop",)


class ConcurrentLoop:
    """Begins each batch when it comes, and answers each when it is done.

    Args:
        channel: to the server.
        handler: of the model; it has `answer_async`.
    """

    def __init__(self, channel: Channel, handler: Any) -> None:
        self._channel = channel
        self._handler = handler

    def serve(self) -> None:
        """Work until the server is gone.

        Raises:
            ChannelClosed: then.
        """
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        came: asyncio.Queue[tuple[Run | Ping, list[Item]] | None] = asyncio.Queue()
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, args=(loop, came), daemon=True).start()
        tasks: set[asyncio.Task[None]] = set()
        while (found := await came.get()) is not None:
            message, items = found
            if isinstance(message, Ping):
                self._channel.send(Pong())
                continue
            task = loop.create_task(self._answer(message, items))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
        raise ChannelClosed

    def _read(self, loop: asyncio.AbstractEventLoop, came: asyncio.Queue[Any]) -> None:
        """Hand on what comes, in a thread of its own; None when the server is gone."""
        found: tuple[Run | Ping, list[Item]] | None
        while True:
            try:
                message, buffers = self._channel.receive()
            except ChannelClosed:
                found = None
            else:
                if not isinstance(message, Run | Ping):
                    msg = f"a worker takes batches, got {type(message).__name__}"
                    raise TypeError(msg)
                # Here, for the buffers hold only until something else is read.
                items = unpack_items(message.parts, buffers) if isinstance(message, Run) else []
                found = message, items
            loop.call_soon_threadsafe(came.put_nowait, found)
            if found is None:
                return

    async def _answer(self, run: Run, items: Sequence[Item]) -> None:
        number, began = run.number, time.monotonic()
        ASKED.set(Asked(run.request_ids, run.traceparent))
        requests = [item for item in items if isinstance(item, RawRequest)]
        outcomes: Sequence[RawReply | ServingError]
        if len(requests) < len(items):
            outcomes = [BadInput("the model takes requests as they come, no tensors")] * len(items)
        else:
            outcomes = await self._outcomes(requests, number)
        packed = [pack_safely(outcome) for outcome in outcomes]
        parts = tuple(part for part, _ in packed)
        seconds = time.monotonic() - began
        answer = Answered(number, parts, seconds, take_points(), began=began)
        self._channel.send(answer, [buffer for _, some in packed for buffer in some])

    async def _outcomes(
        self, requests: Sequence[RawRequest], number: int
    ) -> list[RawReply | ServingError]:
        """Let the handler answer; when a batch fails, each of its requests alone."""
        at = {id(request): index for index, request in enumerate(requests)}

        async def run(group: Sequence[RawRequest]) -> list[RawReply | ServingError]:
            def send(index: int, part: bytes | RawReply) -> None:
                send_chunk(self._channel, number, at[id(group[index])], part)

            try:
                replies = await self._handler.answer_async(group, send)
            except Exception as error:
                if len(group) == 1:
                    return [as_serving_error(error)]
                alone = await asyncio.gather(*(run([request]) for request in group))
                return [reply for replies in alone for reply in replies]
            return [expect_reply(reply) for reply in replies]

        found = await run(requests)
        for index, reply in enumerate(found):
            if isinstance(reply, ServingError):
                log_failure("the handler failed", reply, index)
        return found
