"""Crew: all the processes of one model version, those that a reload has replaced included."""

import asyncio
from collections.abc import Callable, Sequence

from serving.archive.stored import StoredModel
from serving.model_config import ModelConfig
from serving.registry.codec import Codec, OnCoded
from serving.registry.lanes import Queue
from serving.registry.plan import codec_spec, pool_spec
from serving.registry.pool import Pool
from serving.workers.pool import WorkerPool

__all__ = ("Crew",)

_OLD_POOL_S = 60.0
"""How long the workers of the code before a reload may take to finish, seconds."""

_STOP_S = 0.5
"""How long an idle worker may take to end by itself, seconds."""


class Crew:
    """The workers of a model, and who decodes for them.

    Args:
        model: what they shall hold.
        config: how many there are, and of what kind.
        on_change: called when one has come or gone.
        pool: what does the work; None: worker processes.
        on_coded: told of what is decoded and encoded beside the workers, as `Codec` tells it.

    Attributes:
        config: how many those are, and of what kind, that come from now on.
        pool: those who do the work now.
        codec: those who decode and encode now; None: the workers do.
    """

    def __init__(
        self,
        model: StoredModel,
        config: ModelConfig,
        on_change: Callable[[], None],
        pool: Pool | None = None,
        on_coded: OnCoded = lambda *_: None,
    ) -> None:
        self.config = config
        self._on_coded = on_coded
        self._on_change = on_change
        self._replaced: list[Pool] = []
        self._leaving: set[asyncio.Task[None]] = set()
        self._growth_check: asyncio.TimerHandle | None = None
        self.pool: Pool = pool or WorkerPool(pool_spec(model, config), on_change)
        self.codec = self._codec_of(model)

    @property
    def is_ready(self) -> bool:
        """Whether a worker holds the model, and bodies can be decoded for it."""
        return self.pool.ready > 0 and (self.codec is None or self.codec.is_ready)

    @property
    def capacity(self) -> int:
        """Batches that can be under way at a time."""
        return self.pool.capacity + sum(pool.capacity for pool in self._replaced)

    @property
    def lanes(self) -> Sequence[int]:
        """Indices of the workers that hold the model."""
        return self.pool.lanes if isinstance(self.pool, WorkerPool) else ()

    async def start(self, wanted: int) -> None:
        """Start everybody; `wanted` workers hold the model when this returns.

        Raises:
            InvalidModel: when the model cannot be loaded; nothing is left running.
        """
        try:
            await self.pool.start(wanted)
            if self.codec is not None:
                await self.codec.start()
        except BaseException:
            await self.stop()
            raise

    async def replace(self, model: StoredModel) -> None:
        """Let others who hold this take over; those of before go when they have finished.

        Raises:
            InvalidModel: when it cannot be loaded; those of before stay.
        """
        pool = WorkerPool(pool_spec(model, self.config), self._on_change)
        pool.min_workers, pool.max_workers = self.pool.min_workers, self.pool.max_workers
        codec = self._codec_of(model)
        try:
            # As many as work now: none of the load shall wait for workers that are yet to come.
            await pool.start(max(self.pool.ready, 1))
            if codec is not None:
                await codec.start()
        except BaseException:
            await pool.stop(_STOP_S)
            raise
        # Somebody may have scaled it meanwhile.
        least, most = self.pool.min_workers, self.pool.max_workers
        leaving = asyncio.create_task(self._let_go(self.pool, self.codec))
        self._leaving.add(leaving)
        leaving.add_done_callback(self._leaving.discard)
        # At once, for what may still take work counts as room for batches, and gets none.
        self.pool.retire()
        self._replaced.append(self.pool)
        self.pool, self.codec = pool, codec
        await pool.scale(least, most, wait=False)

    async def until_left(self) -> None:
        """Wait until those who were replaced have finished and gone."""
        await asyncio.gather(*self._leaving)

    async def stop(self) -> None:
        """End everybody."""
        if self._growth_check is not None:
            self._growth_check.cancel()
        for leaving in self._leaving:
            leaving.cancel()
        if self._leaving:
            await asyncio.wait(self._leaving)
        if self.codec is not None:
            await self.codec.stop()
        pools = [self.pool, *self._replaced]
        await asyncio.gather(*(pool.stop(_STOP_S) for pool in pools))

    def grow_if_needed(self, queue: Queue) -> None:
        """Add a worker when all are busy and somebody waits too long; else look again then."""
        if self.pool.max_workers <= self.pool.min_workers or queue.running < self.pool.capacity:
            return
        left_s = self._patience_s(queue) - queue.oldest_wait_s()
        if left_s <= 0:
            self.pool.grow()
        elif self._growth_check is None:
            loop = asyncio.get_running_loop()
            self._growth_check = loop.call_later(left_s, self._check_growth, queue)

    def _patience_s(self, queue: Queue) -> float:
        """How long one waits before a worker is added for it, seconds."""
        patience_s, slo_s = self.config.scale_up_ms / 1000, queue.limits.slo_s
        # Where an SLO is kept nobody waits for as long as that: who would is refused.
        return patience_s if slo_s is None else min(patience_s, slo_s / 4)

    def _check_growth(self, queue: Queue) -> None:
        self._growth_check = None
        if queue.waiting:
            self.grow_if_needed(queue)

    async def _let_go(self, pool: Pool, codec: Codec | None) -> None:
        if codec is not None:
            await codec.drain(_OLD_POOL_S)
        await pool.drain(_OLD_POOL_S)
        self._replaced.remove(pool)

    def _codec_of(self, model: StoredModel) -> Codec | None:
        spec = codec_spec(model, self.config)
        return None if spec is None else Codec(spec, self.config.queue_size, self._on_coded)
