"""Codec: processes of their own that decode bodies and encode answers, beside the model's."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterator, Sequence

from serving.batching.batcher import Batcher
from serving.batching.pending import Batch, BatchLimits
from serving.batching.tasks import in_task
from serving.batching.waiting import LaunchReason
from serving.errors import InferenceFailed, ServingError
from serving.observe.origin import ORIGIN
from serving.protocol.exchange import RawReply, RawRequest
from serving.protocol.tensors import Tensors
from serving.workers.messages import Item, Outcome
from serving.workers.pool import WorkerPool
from serving.workers.pool_spec import PoolSpec

__all__ = ("Codec", "OnCoded")

OnCoded = Callable[[float, bool], None]

_ANSWERS_FIRST = 60
"""Priority of encoding: an answer that is ready must not wait for bodies that came later."""


class Codec:
    """Decodes and encodes for one model version, so that its workers need not.

    Args:
        spec: of the processes.
        queue_size: most bodies or answers that wait.
        on_coded: told of the seconds for each, and whether it was a body.
    """

    def __init__(self, spec: PoolSpec, queue_size: int, on_coded: OnCoded) -> None:
        self._on_coded = on_coded
        self._users = 0
        self._unused = asyncio.Event()
        self._pool = WorkerPool(spec, self._workers_changed)
        # Nothing is gained by batches here; each process takes the next item when it is free.
        limits = BatchLimits(size=1, delay_s=0.0, queue_size=2 * queue_size, wait="never")
        self._batcher: Batcher[Item, Outcome] = Batcher(
            in_task(self._run), lambda: self._pool.capacity, limits, _Nobody()
        )

    @property
    def is_ready(self) -> bool:
        """Whether a process is there."""
        return self._pool.ready > 0

    async def start(self) -> None:
        """Start the processes.

        Raises:
            InvalidModel: when the handler cannot be built.
        """
        await self._pool.start()

    async def decode(self, request: RawRequest, deadline: float) -> Tensors:
        """What the model shall see of a request.

        Args:
            request: what came.
            deadline: monotonic seconds.

        Raises:
            ServingError: why there is nothing to see.
        """
        outcome = await self._submit(request, deadline, 0)
        if isinstance(outcome, RawReply):
            raise InferenceFailed("decoding gave a reply instead of tensors")
        return outcome

    async def encode(self, outputs: Outcome, deadline: float) -> RawReply:
        """The reply of what the model gave for one item.

        Args:
            outputs: of the model.
            deadline: monotonic seconds.

        Raises:
            ServingError: why there is none.
        """
        if isinstance(outputs, ServingError):
            raise outputs
        if isinstance(outputs, RawReply):
            return outputs
        outcome = await self._submit(outputs, deadline, _ANSWERS_FIRST)
        if not isinstance(outcome, RawReply):
            raise InferenceFailed("encoding gave tensors instead of a reply")
        return outcome

    @contextlib.contextmanager
    def in_use(self) -> Iterator[None]:
        """Keep it from being drained while a request that it decoded is to be encoded."""
        self._users += 1
        try:
            yield
        finally:
            self._users -= 1
            if not self._users:
                self._unused.set()

    async def drain(self, grace_s: float) -> None:
        """Wait at most `grace_s` seconds until nobody uses it any more, and end."""
        self._unused.clear()
        if self._users:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._unused.wait(), grace_s)
        await self._batcher.stop(0)
        await self._pool.stop(grace_s=0.5)

    async def stop(self) -> None:
        """Take nothing more, and end."""
        await self._batcher.stop(0)
        await self._pool.stop(grace_s=0.5)

    async def _submit(self, item: Item, deadline: float, priority: int) -> RawReply | Tensors:
        if not self._pool.is_hopeful:
            raise self._pool.unavailable()
        outcome = await self._batcher.submit(item, None, deadline, priority=priority)
        if isinstance(outcome, ServingError):
            raise outcome
        return outcome

    async def _run(self, batch: Batch[Item, Outcome]) -> Sequence[Outcome]:
        (pending,) = batch.pendings
        origin, is_input = pending.origin, isinstance(pending.item, RawRequest)
        ORIGIN.set(origin)
        answer = await self._pool.run(batch.items)
        self._on_coded(answer.seconds, is_input)
        if origin is not None and origin.span is not None:
            name = "decode" if is_input else "encode"
            origin.span.child(name, begun=pending.arrived).end(at=time.monotonic())
        return answer.outcomes

    def _workers_changed(self) -> None:
        if self._pool.is_hopeful:
            self._batcher.wake()
        else:
            self._batcher.fail_waiting(self._pool.unavailable())


class _Nobody:
    """Wants to know nothing: the requests are counted by their endpoint."""

    def launched(self, waits_s: Sequence[float], reason: LaunchReason) -> None: ...

    def dropped(self, reason: str) -> None: ...
