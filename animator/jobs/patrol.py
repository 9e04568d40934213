"""The patrol: sees to it that jobs are begun again whose worker is gone or whose pause is over."""

import time
from collections.abc import Callable
from typing import Any

from rq import Queue
from rq.job import Job, JobStatus
from rq.registry import FailedJobRegistry, FinishedJobRegistry, StartedJobRegistry
from rq.utils import now
from rq.worker_registration import clean_worker_registry

__all__ = ("Patrol", "skip_pause")

_LOCK = "animator:patrol"
_LOCKED_FOR = 10

_STUCK = 10.0
"""Seconds after which a job that a worker took, but never began, goes back into the queue."""


class Patrol:
    """Walks over jobs that were begun; one at a time does so, whichever worker comes first."""

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
        self._end_pauses()
        redis.delete(_LOCK)

    def _find_abandoned(self, job: Job, *_error: Any) -> None:
        """Called for each job without signs of life; RQ then begins those again that it may."""
        if job.should_retry:
            skip_pause(job)
        else:
            self._give_up(job, "its worker stopped")

    def _return_stuck(self) -> None:
        """Give back what was taken by a worker that died before it could begin."""
        instant = time.monotonic()
        taken = self._queue.intermediate_queue.get_job_ids()
        self._taken = {id: self._taken.get(id, instant) for id in taken}
        for id, since in self._taken.items():
            job = self._queue.fetch_job(id)
            if job is None or job.get_status() in (JobStatus.FINISHED, JobStatus.FAILED):
                self._queue.intermediate_queue.remove(id)
            elif instant - since > _STUCK and id not in self._queue.started_job_registry:
                self._queue.intermediate_queue.remove(id)
                self._queue.push_job_id(id, at_front=True)

    def _end_pauses(self) -> None:
        """Put what has waited for its next attempt before all that came later.

        RQ has a process of its own for this, as large as a worker.
        """
        registry = self._queue.scheduled_job_registry
        for id in registry.get_jobs_to_schedule():
            job = self._queue.fetch_job(id)
            with self._queue.connection.pipeline() as pipeline:
                if job is not None:
                    job.set_status(JobStatus.QUEUED, pipeline=pipeline)
                    job.enqueued_at = now()  # it waits for a worker from now on
                    job.save(pipeline=pipeline)
                    self._queue.push_job_id(id, pipeline=pipeline, at_front=True)
                registry.remove(id, pipeline=pipeline)
                pipeline.execute()


def skip_pause(job: Job) -> None:
    """Let the next attempt begin at once, for nothing was missing; later pauses are kept.

    job: may be begun again.
    """
    pauses = job.retry_intervals or []
    later = (job.retries_left or 1) - 1
    job.retry_intervals = [0, *pauses[len(pauses) - later :]]
