"""Pool: the workers of one model version; keeps as many alive as asked for."""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from itertools import count

import msgspec

from serving.errors import InvalidModel, NoWorker
from serving.workers.messages import Item, Load
from serving.workers.process import Answer, Worker

__all__ = ("PoolSpec", "WorkerPool", "backoff_s")

_LONGEST_BACKOFF_S = 30.0
_STOP_S = 0.5
"""How long an idle worker may take to end by itself, seconds."""

_log = logging.getLogger(__name__)


class PoolSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a pool keeps.

    Attributes:
        model: name and version, for the log.
        load: what each worker holds.
        min_workers: processes that are kept, >= 1.
        max_workers: processes that may be there under load, >= min_workers.
        startup_timeout_s: longest loading, seconds.
        response_timeout_s: longest work on one batch, seconds.
        surplus_s: how long a worker beyond the minimum may stay unused, seconds.
    """

    model: str
    load: Load
    min_workers: int
    max_workers: int
    startup_timeout_s: float
    response_timeout_s: float
    surplus_s: float = 60.0


def backoff_s(failures: int) -> float:
    """How long to wait before the next start after so many in a row that came to nothing."""
    return 0.0 if failures < 2 else min(0.5 * 2.0 ** (failures - 2), _LONGEST_BACKOFF_S)


class WorkerPool:
    """The workers of one model version: started, watched, restarted, stopped.

    Args:
        spec: how many of what.
        on_change: called when a worker has come or gone, or the pool has begun to wait.
    """

    def __init__(self, spec: PoolSpec, on_change: Callable[[], None]) -> None:
        self._spec = spec
        self._on_change = on_change
        self._numbers = count(1)
        self._ready: set[Worker] = set()
        self._idle: list[Worker] = []
        self._keepers: set[asyncio.Task[None]] = set()
        self._sleeping = 0
        self._resumes_at = 0.0
        self._problem = "it is not loaded yet"
        self.restarts = 0

    @property
    def ready(self) -> int:
        """Workers that hold the model, busy or idle."""
        return sum(worker.is_usable for worker in self._ready)

    @property
    def is_hopeful(self) -> bool:
        """Whether a worker is there, or is being started right now."""
        return len(self._keepers) > self._sleeping

    @property
    def workers(self) -> Sequence[Worker]:
        """The workers that hold the model, oldest first."""
        return sorted(self._ready, key=lambda worker: worker.number)

    def unavailable(self) -> NoWorker:
        """The error for a request that nobody can work on."""
        wait_s = max(self._resumes_at - time.monotonic(), 1.0)
        return NoWorker(f"{self._spec.model} has no worker: {self._problem}", wait_s)

    async def start(self) -> None:
        """Start the workers; the model is ready when this returns.

        Raises:
            InvalidModel: when the first worker cannot load the model; nothing is left running.
        """
        first = await self._start_worker()
        self._keep(first)
        for _ in range(self._spec.min_workers - 1):
            self._keep(None)

    def grow(self) -> None:
        """Add a worker for the time being, unless one is just starting or the limit is reached."""
        if len(self._ready) == len(self._keepers) < self._spec.max_workers:
            self._keep(None, is_extra=True)

    async def run(self, items: Sequence[Item]) -> Answer:
        """Let an idle worker work on a batch.

        Raises:
            NoWorker: when none is idle.
            WorkerDied: when it ends before it answers.
        """
        worker = next((worker for worker in reversed(self._idle) if worker.is_usable), None)
        if worker is None:
            raise self.unavailable()
        self._idle.remove(worker)
        try:
            return await worker.run(items, self._spec.response_timeout_s)
        finally:
            if worker.is_usable:
                self._idle.append(worker)

    async def stop(self, grace_s: float) -> None:
        """End all workers; those that do not end within `grace_s` seconds are killed."""
        for keeper in self._keepers:
            keeper.cancel()
        if self._keepers:
            await asyncio.wait(self._keepers)
        workers = list(self._ready)
        self._ready.clear()
        self._idle.clear()
        await asyncio.gather(*(worker.stop(grace_s) for worker in workers))

    def _keep(self, worker: Worker | None, *, is_extra: bool = False) -> None:
        keeper = asyncio.create_task(self._keep_alive(worker, is_extra=is_extra))
        self._keepers.add(keeper)
        keeper.add_done_callback(self._forget)

    def _forget(self, keeper: asyncio.Task[None]) -> None:
        self._keepers.discard(keeper)
        if not keeper.cancelled() and keeper.exception() is not None:
            _log.error("%s: a place is lost", self._spec.model, exc_info=keeper.exception())

    async def _keep_alive(self, worker: Worker | None, *, is_extra: bool) -> None:
        """Hold one place: a worker, or the first one, and after its end the next."""
        failures = 0
        while True:
            failures += 1
            try:
                worker = worker or await self._start_worker()
            except InvalidModel as error:
                _log.error("%s: %s", self._spec.model, error)
                self._problem = str(error)
            else:
                await self._watch(worker, is_extra=is_extra)
                failures = 0 if worker.has_answered else failures
                worker = None
            if is_extra:
                return
            self.restarts += 1
            await self._sleep(backoff_s(failures))

    async def _start_worker(self) -> Worker:
        worker = Worker(next(self._numbers), self._spec.load)
        await worker.start(self._spec.startup_timeout_s)
        _log.info("%s: worker %d is ready", self._spec.model, worker.pid)
        self._ready.add(worker)
        self._idle.append(worker)
        self._on_change()
        return worker

    async def _watch(self, worker: Worker, *, is_extra: bool) -> None:
        """Leave the worker to be lent until its process ends, or it is no longer needed."""
        while not worker.is_closed and not (is_extra and self._is_surplus(worker)):
            try:
                async with asyncio.timeout(self._spec.surplus_s if is_extra else None):
                    await worker.wait_closed()
            except TimeoutError:
                continue
        self._ready.discard(worker)
        if worker in self._idle:
            self._idle.remove(worker)
        if worker.is_closed:
            self._problem = "its last one died and is being replaced"
            _log.warning("%s: worker %d died", self._spec.model, worker.pid)
        else:
            await worker.stop(_STOP_S)
        self._on_change()

    def _is_surplus(self, worker: Worker) -> bool:
        unused_s = time.monotonic() - worker.last_used
        return worker in self._idle and unused_s >= self._spec.surplus_s

    async def _sleep(self, seconds: float) -> None:
        if not seconds:
            return
        self._sleeping += 1
        self._resumes_at = time.monotonic() + seconds
        self._on_change()
        try:
            await asyncio.sleep(seconds)
        finally:
            self._sleeping -= 1
