"""Keeper: who looks after one place of a pool, and sees to it that a worker is there."""

import asyncio
import logging
import time
from itertools import count
from typing import Protocol

from serving.errors import InvalidModel
from serving.workers.history import History
from serving.workers.place import Place
from serving.workers.pool_spec import PoolSpec, backoff_s
from serving.workers.process import Worker

__all__ = ("STOP_S", "Keeper", "Neighbours")

STOP_S = 0.5
"""How long an idle worker may take to end by itself, seconds."""

_log = logging.getLogger(__name__)


class Neighbours(Protocol):
    """What a keeper asks of the pool that its place is in."""

    @property
    def is_surplus(self) -> bool:
        """Whether more workers hold the model than are kept."""
        ...

    @property
    def is_crowded(self) -> bool:
        """Whether there are more places than are kept."""
        ...

    def note_worker(self, worker: Worker) -> None:
        """Learn that one more holds the model."""
        ...

    def note_change(self) -> None:
        """Learn that a worker has gone, or that one is waited for."""
        ...


class Keeper:
    """Looks after one place: starts a worker, and after its end the next.

    Args:
        spec: of the pool.
        place: that it looks after.
        history: of the pool's workers.
        numbers: of the pool's workers, each unique.
        neighbours: the pool.
    """

    def __init__(
        self,
        spec: PoolSpec,
        place: Place,
        history: History,
        numbers: "count[int]",
        neighbours: Neighbours,
    ) -> None:
        self._spec = spec
        self._place = place
        self._history = history
        self._numbers = numbers
        self._neighbours = neighbours

    async def keep(self) -> None:
        """Hold the place until it shall go, or nobody can be started for too long."""
        failures = 0
        failing_since = time.monotonic()
        while True:
            failures += 1
            worker = await self._start()
            if worker is not None and await self._watch(worker):
                failures, failing_since = 0, time.monotonic()
            if self._place.is_retired or self._neighbours.is_crowded:
                return
            limit_s = self._spec.max_retry_timeout_s
            if limit_s is not None and time.monotonic() - failing_since > limit_s and failures > 1:
                _log.error("%s: gave up after %d starts in vain", self._spec.model, failures)
                return
            self._history.restarts += 1
            await self._sleep(backoff_s(failures))

    async def _start(self) -> Worker | None:
        """Bring a worker to the place; None: it cannot be started."""
        place, model = self._place, self._spec.model
        worker = place.coming = Worker(next(self._numbers), self._spec.worker_at(place.index))
        try:
            await worker.start(self._spec.startup_timeout_s)
        except InvalidModel as error:
            _log.error("%s: %s", model, error)
            self._history.note_failure(error)
            self._neighbours.note_change()
            return None
        finally:
            place.coming = None
        _log.info("%s: worker %d is ready", model, worker.pid)
        place.worker = worker
        worker.on_closed = place.nudge.set
        self._history.note_worker()
        self._neighbours.note_worker(worker)
        return worker

    async def _watch(self, worker: Worker) -> bool:
        """Leave the worker to be lent until it ends or may leave; whether it ever answered."""
        place = self._place
        while not worker.is_closed and not self._may_leave(worker):
            place.nudge.clear()
            surplus_s = self._spec.surplus_s if self._neighbours.is_surplus else None
            try:
                await asyncio.wait_for(place.nudge.wait(), surplus_s)
            except TimeoutError:
                continue
        if worker.is_closed:
            _log.warning("%s: worker %d %s", self._spec.model, worker.pid, worker.ending())
        else:
            place.is_retired = True
            await worker.stop(STOP_S)
        place.worker = None
        self._neighbours.note_change()
        return worker.has_answered

    def _may_leave(self, worker: Worker) -> bool:
        if self._place.runs:
            return False
        if self._place.is_retired:
            return True
        unused_s = time.monotonic() - max(worker.last_used, self._history.grown_at)
        return self._neighbours.is_surplus and unused_s >= self._spec.surplus_s

    async def _sleep(self, seconds: float) -> None:
        if not seconds:
            return
        self._history.note_sleep(seconds)
        self._neighbours.note_change()
        try:
            await asyncio.sleep(seconds)
        finally:
            self._history.sleeping -= 1
