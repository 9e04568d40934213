"""The recall: jobs that were accepted, have not ended, and of which the queue knows nothing.

A Redis that takes over from one that died may lack its last second; one that came back from its
disk, likewise. What was accepted is kept beside the drawings too, so it can be handed in again.
"""

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from redis import Redis
from rq import Queue
from rq.registry import ScheduledJobRegistry, StartedJobRegistry
from rq.serializers import JSONSerializer

from animator.core.documents import AcceptedJob
from animator.core.errors import NotFound
from animator.jobs.progress import JobEvents
from animator.jobs.queue import LATER, QUEUE, JobQueue
from animator.store import DocumentStore

__all__ = ("Recall",)

logger = logging.getLogger(__name__)

_YOUNG = 10.0
"""Seconds in which a job may be accepted and not yet in the queue."""

_SECOND_LOOK = 2.0
"""Seconds after which a job that nobody has is looked for once more."""


class Recall:
    """Compares what was accepted with what the queue has."""

    def __init__(
        self,
        client: Redis,
        documents: DocumentStore,
        queue: JobQueue,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Prepare to look.

        Args:
            client: the Redis of the queue.
            documents: what was accepted.
            queue: takes jobs again.
            clock: tells seconds since 1970.
        """
        self._redis = client
        self._events = JobEvents(client)
        self._documents = documents
        self._queue = queue
        self._clock = clock

    def walk(self) -> int:
        """Hand in again what was lost, and forget what has ended; how many were handed in."""
        missing = set(self._missing(self._documents.accepted()))
        if not missing:
            return 0
        # A job that is on its way from one list to another may have been overlooked.
        time.sleep(_SECOND_LOOK)
        return sum(self._hand_in(job) for job in sorted(self._missing(missing)))

    def _missing(self, jobs: Iterable[str]) -> Iterator[str]:
        # The lists first: a job that leaves them afterwards has told its end before.
        known = set(self._known())
        for job in jobs:
            if self._is_over(job):
                self._documents.delete(AcceptedJob, job)
            elif job not in known:
                yield job

    def _known(self) -> Iterator[str]:
        for name in (QUEUE, LATER):
            queue = Queue(name, connection=self._redis, serializer=JSONSerializer)
            yield from queue.get_job_ids()
            yield from queue.intermediate_queue.get_job_ids()
            for registry in (StartedJobRegistry, ScheduledJobRegistry):
                yield from registry(queue=queue).get_job_ids(cleanup=False)

    def _is_over(self, job: str) -> bool:
        try:
            return self._events.last(job).state in ("done", "failed")
        except NotFound:
            return False

    def _hand_in(self, job: str) -> bool:
        try:
            accepted: Any = self._documents.get(AcceptedJob, job)
        except NotFound:  # it has ended meanwhile
            return False
        if self._clock() - accepted.created < _YOUNG:
            return False
        logger.warning("job %s was lost by the queue and is handed in again", job)
        self._queue.hand_in_again(job, accepted)
        return True
