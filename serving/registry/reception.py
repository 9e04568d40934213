"""Reception: takes the requests of one version, and sees that each is counted."""

import time
from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import TypeVar

from serving.archive.inputs import check_inputs
from serving.batching.batch import signature
from serving.batching.batcher import Batcher
from serving.batching.pending import PRIORITY_S, Pending
from serving.errors import ServingError
from serving.protocol.exchange import RawReply, RawRequest
from serving.protocol.metadata import TensorMetadata
from serving.protocol.tensors import Tensors
from serving.registry.codec import Codec
from serving.registry.crew import Crew
from serving.registry.lanes import Queue
from serving.registry.traffic import Posted, Traffic
from serving.workers.messages import Item, Outcome

__all__ = ("Reception",)

_Result = TypeVar("_Result")


class Reception:
    """Where requests come in, on their way to the queue.

    Args:
        crew: the workers.
        queue: where requests wait for them.
        traffic: counts requests.
    """

    def __init__(self, crew: Crew, queue: Queue, traffic: Traffic) -> None:
        self._crew = crew
        self._queue = queue
        self._traffic = traffic

    async def answer(
        self, item: Item, key: Hashable, timeout_s: float, priority: int
    ) -> RawReply | Tensors:
        """Let a worker answer.

        Args:
            item: a request as it came, or tensors without a batch axis.
            key: only items of equal keys come into one batch.
            timeout_s: how long the caller waits, seconds.
            priority: higher goes first.

        Raises:
            ServingError: why there is no answer.
        """
        outcome = await self._counted(
            lambda deadline: self._queue.submit(item, key, deadline, priority=priority), timeout_s
        )
        if isinstance(outcome, ServingError):
            raise outcome
        return outcome

    async def decode(
        self,
        codec: Codec,
        inputs: Sequence[TensorMetadata],
        request: RawRequest,
        timeout_s: float,
        priority: int,
    ) -> RawReply:
        """Let a worker answer, and others decode the request and encode the answer beside it.

        Args:
            codec: those.
            inputs: what the request must be decoded to.
            request: as it came.
            timeout_s: how long the caller waits, seconds.
            priority: higher goes first.

        Raises:
            ServingError: why there is no answer.
        """

        async def work(deadline: float) -> RawReply:
            with codec.in_use():
                came = time.monotonic()
                tensors = await codec.decode(request, deadline)
                check_inputs(tensors, inputs)
                decoded, key = time.monotonic(), signature(tensors)
                outputs = await self._queue.submit(tensors, key, deadline, priority=priority)
                inferred = time.monotonic()
                reply = await codec.encode(outputs, deadline)
                self._queue.tuner.note_beside(decoded - came + time.monotonic() - inferred)
                return reply

        return await self._counted(work, timeout_s)

    def post(
        self,
        item: Item,
        key: Hashable,
        on_outcome: Callable[[Outcome], None],
        timeout_s: float,
        priority: int,
    ) -> Posted | None:
        """Let a worker answer, for who has no task to wait in.

        Args:
            item: a request as it came, or tensors without a batch axis.
            key: only items of equal keys come into one batch.
            on_outcome: called once, later.
            timeout_s: how long the caller waits, seconds.
            priority: higher goes first.

        Returns:
            What it can be cancelled by; None: it must be awaited, for it may be of a sequence.

        Raises:
            ServingError: why it was not taken.
        """
        queue = self._queue
        if not isinstance(queue, Batcher):
            return None
        entered = self._traffic.enter()
        posted = Posted(self._traffic, entered, on_outcome)
        deadline, rank = entered + timeout_s, entered - priority * PRIORITY_S
        pending: Pending[Item, Outcome] = Pending(item, key, entered, deadline, posted.settle, rank)
        try:
            self._check_hope()
            posted.join(queue, pending)
        except ServingError as error:
            self._traffic.leave(entered, error.code)
            raise
        return posted

    async def _counted(
        self, work: Callable[[float], Awaitable[_Result]], timeout_s: float
    ) -> _Result:
        """Do the work of one request, which gets its deadline (monotonic seconds)."""
        entered = self._traffic.enter()
        result = "cancelled"
        try:
            self._check_hope()
            outcome = await work(entered + timeout_s)
            result = "ok"
        except ServingError as error:
            result = error.code
            raise
        finally:
            self._traffic.leave(entered, result)
        return outcome

    def _check_hope(self) -> None:
        if not self._crew.pool.is_hopeful:
            raise self._crew.pool.unavailable()
        self._crew.grow_if_needed(self._queue)
