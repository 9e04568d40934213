"""The patrol: finds jobs whose worker is gone, and sees to it that they are begun again."""

import time
from collections.abc import Callable
from typing import Any

from rq import Queue
from rq.job import Job, JobStatus
from rq.registry import FailedJobRegistry, FinishedJobRegistry, StartedJobRegistry
from rq.worker_registration import clean_worker_registry

__all__ = ("Patrol",)

_LOCK = "animator:patrol"
_LOCKED_FOR = 10

_STUCK = 10.0
"""Seconds after which a job that a worker took, but never began, goes back into the queue."""


class Patrol:
    """Walks over the jobs that are begun; one at a time does so, whichever worker comes first."""

    def __init__(self, queue: Queue, give_up: Callable[[Job, str], None]) -> None:
        """Look after a queue.

        Args:
            queue: the queue.
            give_up: called for a job that will not be begun again, with the reason.
        """
        self._queue = queue
        self._give_up = give_up
        self._taken: dict[str, float] = {}

    def walk(self) -> None:
        """Look at every job once."""
        # RQ's own lock holds for 15 minutes when the one who took it is killed.
        redis = self._queue.connection
        if not redis.set(_LOCK, 1, nx=True, ex=_LOCKED_FOR):
            return
        StartedJobRegistry(queue=self._queue).cleanup(exception_handlers=[self._find_abandoned])
        FinishedJobRegistry(queue=self._queue).cleanup()
        FailedJobRegistry(queue=self._queue).cleanup()
        clean_worker_registry(self._queue)
        self._return_stuck()
        redis.delete(_LOCK)

    def _find_abandoned(self, job: Job, *_error: Any) -> None:
        """Called for each job without signs of life; RQ then begins those again that it may."""
        if not job.should_retry:
            self._give_up(job, "its worker stopped")

    def _return_stuck(self) -> None:
        """Give back what was taken by a worker that died before it could begin."""
        now = time.monotonic()
        taken = self._queue.intermediate_queue.get_job_ids()
        self._taken = {id: self._taken.get(id, now) for id in taken}
        for id, since in self._taken.items():
            job = self._queue.fetch_job(id)
            if job is None or job.get_status() in (JobStatus.FINISHED, JobStatus.FAILED):
                self._queue.intermediate_queue.remove(id)
            elif now - since > _STUCK and id not in self._queue.started_job_registry:
                self._queue.intermediate_queue.remove(id)
                self._queue.push_job_id(id, at_front=True)
