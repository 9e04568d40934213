"""Pool: the workers of one model version; keeps as many alive as asked for."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from itertools import count

from serving.errors import InvalidModel, NoWorker, ServingError
from serving.workers.health import patrol
from serving.workers.history import History
from serving.workers.keeper import STOP_S, Keeper
from serving.workers.messages import Item
from serving.workers.place import Place
from serving.workers.pool_spec import PoolSpec
from serving.workers.process import Worker
from serving.workers.runs import Answer, OnAnswer, OnChunk, answer_of

__all__ = ("WorkerPool",)

_log = logging.getLogger(__name__)


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
        self._places: list[Place] = []
        self._history = History()
        self._is_stopped = False
        self._patrol: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()
        self.min_workers = spec.min_workers
        self.max_workers = spec.max_workers
        self.is_raw = False

    @property
    def restarts(self) -> int:
        """Workers that took the place of others, or of starts in vain."""
        return self._history.restarts

    @property
    def ready(self) -> int:
        """Workers that hold the model, busy or idle."""
        return sum(place.is_ready for place in self._places)

    @property
    def places(self) -> int:
        """Workers that there are or shall be, those that are waited for included."""
        return len(self._places)

    @property
    def capacity(self) -> int:
        """Batches that can be under way at a time, those of workers about to leave included."""
        slots = self._spec.slots
        return sum(slots if place.is_ready else place.runs for place in self._places)

    @property
    def lanes(self) -> Sequence[int]:
        """Indices of the places whose workers hold the model."""
        return [place.index for place in self._places if place.is_ready]

    @property
    def is_hopeful(self) -> bool:
        """Whether a worker is there, or one is being started after another was there."""
        return self._history.was_ready and len(self._places) > self._history.sleeping

    @property
    def workers(self) -> Sequence[Worker]:
        """The workers that hold the model or are loading it, oldest first."""
        found = (worker for place in self._places for worker in (place.worker, place.coming))
        return sorted(
            (worker for worker in found if worker is not None), key=lambda worker: worker.number
        )

    @property
    def is_surplus(self) -> bool:
        """Whether more workers hold the model than are kept."""
        return self.ready > self.min_workers

    @property
    def is_crowded(self) -> bool:
        """Whether there are more places than are kept, those about to leave not counted."""
        return sum(not place.is_retired for place in self._places) > self.min_workers

    def unavailable(self) -> NoWorker:
        """The error for a request that nobody can work on."""
        return self._history.unavailable(self._spec.model, self.min_workers)

    async def start(self, wanted: int = 1) -> None:
        """Start the workers; at least `wanted` hold the model when this returns.

        Raises:
            InvalidModel: when a worker cannot load the model; nothing is left running.
        """
        try:
            # One first: what cannot be loaded is tried once, not once for each worker.
            await self._resize(min(self.min_workers, 1), wait=True)
            await self._resize(self.min_workers, wait=False)
            await self._until_ready(min(wanted, self.min_workers))
        except BaseException:
            await self.stop(STOP_S)
            raise

    async def scale(self, min_workers: int, max_workers: int, *, wait: bool) -> int:
        """Keep from now on so many workers; the number there is now.

        Those that are too many leave when they are idle.

        Args:
            min_workers: >= 0.
            max_workers: >= min_workers.
            wait: whether to wait until the minimum holds the model.

        Raises:
            InvalidModel: when one cannot be started meanwhile; it is tried again.
        """
        self.min_workers, self.max_workers = min_workers, max_workers
        await self._resize(min_workers, wait=wait)
        return self.ready

    def grow(self) -> None:
        """Add a worker for the time being, unless one is just starting or the limit is reached."""
        if self.ready == len(self._places) < self.max_workers:
            self._add_place()

    async def run(
        self, items: Sequence[Item], on_chunk: OnChunk | None = None, lane: int | None = None
    ) -> Answer:
        """Let an idle worker work on a batch.

        Args:
            items: the batch.
            on_chunk: takes what comes before the answer.
            lane: the index of the place whose worker it must be; None: any.

        Raises:
            NoWorker: when none is idle.
            WorkerDied: when it ends before it answers.
        """
        return await answer_of(lambda on_answer: self.post(items, on_answer, on_chunk, lane))

    def post(
        self,
        items: Sequence[Item],
        on_answer: OnAnswer,
        on_chunk: OnChunk | None = None,
        lane: int | None = None,
    ) -> Callable[[], None]:
        """Let an idle worker work on a batch; what ends it when nobody waits any more.

        Args:
            items: the batch.
            on_answer: called once, later, with the answer or with the reason why there is none.
            on_chunk: takes what comes before the answer.
            lane: the index of the place whose worker it must be; None: any.

        Raises:
            NoWorker: when none is idle.
        """
        place = self._idle_place(lane)
        if place is None or place.worker is None:
            raise self.unavailable()

        def answered(answer: Answer | ServingError) -> None:
            place.runs -= 1
            if place.is_retired:
                place.nudge.set()
            on_answer(answer)

        timeout_s = self._spec.response_timeout_s
        interrupt = place.worker.post(items, timeout_s, answered, on_chunk)
        place.runs += 1
        return interrupt

    def retire(self) -> None:
        """Give no worker anything more; each ends when it has finished what it works on."""
        self.min_workers = self.max_workers = 0
        for place in self._places:
            place.retire()

    async def drain(self, grace_s: float) -> None:
        """Let every worker finish what it works on, at most `grace_s` seconds, and end them all."""
        self.retire()
        keepers = [place.keeper for place in self._places if place.keeper is not None]
        if keepers:
            await asyncio.wait(keepers, timeout=grace_s)
        await self.stop(STOP_S)

    async def stop(self, grace_s: float) -> None:
        """End all workers; those that do not end within `grace_s` seconds are killed."""
        self._is_stopped = True
        # All at once, before anything is waited for: who stops waiting must not stop this.
        endings = [worker.begin_stop(grace_s) for worker in self.workers]
        tasks = [place.keeper for place in self._places] + [self._patrol]
        running = [task for task in tasks if task is not None]
        for task in running:
            task.cancel()
        self._places.clear()
        if running or endings:
            await asyncio.wait([*running, *endings])
        self.note_change()

    def note_worker(self, worker: Worker) -> None:
        """Learn that one more holds the model."""
        self.is_raw = worker.is_raw
        for place in self._places:
            # Whoever stays unused from now on may be one too many.
            place.nudge.set()
        self.note_change()

    def note_change(self) -> None:
        """Learn that a worker has come or gone, or is waited for."""
        self._changed.set()
        self._on_change()

    def _idle_place(self, lane: int | None) -> Place | None:
        """Whoever has most room; of several the one that worked last, whose caches are warm."""
        best: Place | None = None
        for place in self._places:
            if not place.is_ready or place.runs >= self._spec.slots:
                continue
            if lane not in (None, place.index):
                continue
            if best is None or _preference(place) < _preference(best):
                best = place
        return best

    async def _resize(self, least: int, *, wait: bool) -> None:
        staying = [place for place in self._places if not place.is_retired]
        leaving = sorted(staying, key=lambda place: (place.is_ready, place.runs, -place.index))
        for place in leaving[: max(len(staying) - self.max_workers, 0)]:
            place.retire()
        for _ in range(least - len(staying)):
            self._add_place()
        for place in self._places:
            place.nudge.set()
        if wait:
            await self._until_ready(least)

    async def _until_ready(self, wanted: int) -> None:
        history = self._history
        failed_before = history.failed_starts
        while self.ready < wanted:
            self._changed.clear()
            await self._changed.wait()
            if history.failed_starts > failed_before and history.problem is not None:
                raise history.problem
            if self._is_stopped:
                msg = f"{self._spec.model} was stopped while it was loaded"
                raise InvalidModel(msg)

    def _add_place(self) -> None:
        taken = {place.index for place in self._places}
        place = Place(next(index for index in count() if index not in taken))
        if self._patrol is None:
            watches_memory = self._spec.worker.memory_limit is not None
            self._patrol = asyncio.create_task(
                patrol(lambda: self.workers, watches_memory=watches_memory)
            )
        self._places.append(place)
        place.keeper = asyncio.create_task(self._keep(place))

    async def _keep(self, place: Place) -> None:
        try:
            await Keeper(self._spec, place, self._history, self._numbers, self).keep()
        except Exception:
            _log.exception("%s: a place is lost", self._spec.model)
        finally:
            if place in self._places:
                self._places.remove(place)
            self.note_change()


def _preference(place: Place) -> tuple[int, float]:
    return place.runs, -place.worker.last_used if place.worker else 0.0
