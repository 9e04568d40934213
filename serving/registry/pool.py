"""Pool: what does an endpoint's work, as the endpoint asks for it."""

from collections.abc import Callable, Sequence
from typing import Protocol

from serving.errors import NoWorker
from serving.workers.messages import Item
from serving.workers.process import OnAnswer, OnChunk, Worker

__all__ = ("Pool",)


class Pool(Protocol):
    """Runs batches; `serving.workers.pool.WorkerPool` does so in processes.

    Attributes:
        min_workers: how many are kept.
        max_workers: how many there may be.
        is_raw: whether requests are answered as they came.
    """

    min_workers: int
    max_workers: int
    is_raw: bool

    @property
    def restarts(self) -> int:
        """Workers that took the place of others since the start."""
        ...

    @property
    def ready(self) -> int:
        """How many could work."""
        ...

    @property
    def capacity(self) -> int:
        """How many batches may be under way."""
        ...

    @property
    def is_hopeful(self) -> bool:
        """Whether a batch would find somebody, now or soon."""
        ...

    @property
    def workers(self) -> Sequence[Worker]:
        """The processes, if there are any of its own."""
        ...

    def unavailable(self) -> NoWorker:
        """The error for a request that nobody can work on."""
        ...

    async def start(self, wanted: int = 1) -> None:
        """Begin; `wanted` can work when this returns."""
        ...

    async def scale(self, min_workers: int, max_workers: int, *, wait: bool) -> int:
        """Keep so many from now on."""
        ...

    def grow(self) -> None:
        """Add one for the time being."""
        ...

    def post(
        self, items: Sequence[Item], on_answer: OnAnswer, on_chunk: OnChunk | None = None
    ) -> Callable[[], None]:
        """Begin to work on a batch; what ends that when nobody waits any more."""
        ...

    def retire(self) -> None:
        """Take nothing more; what is under way goes on."""
        ...

    async def drain(self, grace_s: float) -> None:
        """Finish what is under way, then end."""
        ...

    async def stop(self, grace_s: float) -> None:
        """End."""
        ...
