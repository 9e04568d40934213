"""The queue: names a task and what it is about; whoever works on it is elsewhere."""

import logging
import time
from contextlib import suppress

from redis import Redis
from rq import Queue, Retry
from rq.serializers import JSONSerializer

from animator.core.documents import AcceptedJob
from animator.core.errors import JobFailed, NotFound, StorageUnavailable
from animator.core.job import JobEvent, waiting
from animator.core.tracing import Attribute, outgoing, part
from animator.jobs.progress import UNREACHABLE, JobEvents, add_event
from animator.store import DocumentStore

__all__ = ("LATER", "MAX_ATTEMPTS", "QUEUE", "JobQueue", "message_attributes")

logger = logging.getLogger(__name__)

QUEUE = "animator"
"""Name of the queue in Redis."""

LATER = "animator-later"
"""Name of the queue of what nobody waits for: workers look into it when the other is empty."""

MAX_ATTEMPTS = 3
"""How often a job is begun before it counts as failed."""

_RESULT_TTL = 3600
_RECALLED_FOR = 30
_FAILURE_TTL = 7 * 24 * 3600


class JobQueue:
    """Takes work, and tells where it stands; jobs are kept as JSON, never as pickles.

    That a job was accepted is noted among the documents before it is put into Redis, which may lose
    its last second when it dies; see `animator.jobs.recall`.
    """

    def __init__(
        self, client: Redis, timeout: int, pauses: tuple[int, ...], documents: DocumentStore
    ) -> None:
        """Use a connection to Redis.

        Args:
            client: the connection.
            timeout: seconds after which one attempt at a job is given up.
            pauses: seconds before each further attempt, at least; 0: none.
            documents: where it is noted what was accepted.
        """
        self._redis = client
        self._timeout = timeout
        self._pauses = pauses
        self._documents = documents

    def enqueue_annotation(self, job: str, drawing: str) -> None:
        """Have a drawing read and annotated.

        Raises:
            JobFailed: when the queue cannot be reached.
        """
        self._enqueue("animator.jobs.tasks.annotate_drawing", job, drawing)

    def enqueue_completion(self, job: str, drawing: str) -> None:
        """Have what the figures of a drawing lack be found.

        Raises:
            JobFailed: when the queue cannot be reached.
        """
        self._enqueue("animator.jobs.tasks.complete_figures", job, drawing)

    def enqueue_animation(self, job: str, animation: str) -> None:
        """Have an animation made.

        Raises:
            JobFailed: when the queue cannot be reached.
        """
        self._enqueue("animator.jobs.tasks.animate_drawing", job, animation)

    def enqueue_previews(self, job: str, animation: str) -> None:
        """Have an animation made that nobody waits for: when there is nothing else to do.

        Raises:
            JobFailed: when the queue cannot be reached.
        """
        self._enqueue("animator.jobs.tasks.animate_drawing", job, animation, name=LATER)

    def enqueue_motion(self, job: str, motion: str) -> None:
        """Have a motion file read.

        Raises:
            JobFailed: when the queue cannot be reached.
        """
        self._enqueue("animator.jobs.tasks.read_motion", job, motion)

    def last_event(self, job: str) -> JobEvent:
        """Where the job stands.

        Raises:
            NotFound: when there is no such job.
            JobFailed: when the queue cannot be reached.
        """
        try:
            return JobEvents(self._redis).last(job)
        except UNREACHABLE as error:
            raise _unreachable() from error
        except NotFound:
            if not self.is_accepted(job):
                raise
            return waiting(job)  # it will be handed in again

    def is_accepted(self, job: str) -> bool:
        """Whether the job was accepted and has not ended, whatever became of it in Redis."""
        with suppress(NotFound):
            self._documents.get(AcceptedJob, job)
            return True
        return False

    def hand_in_again(self, job: str, accepted: AcceptedJob) -> None:
        """Put a job into Redis that was lost there; of several that do so, one does."""
        if self._redis.set(f"animator:recalled:{job}", 1, nx=True, ex=_RECALLED_FOR):
            self._put(job, accepted)

    def _enqueue(self, task: str, job: str, subject: str, name: str = QUEUE) -> None:
        """Note the job, then put it and its first event into Redis, both or neither."""
        accepted = AcceptedJob(task=task, subject=subject, queue=name, created=time.time())
        try:
            with part(f"send {name}", "producer", message_attributes(job, name)):
                self._documents.put(job, accepted)
                self._put(job, accepted)
        except UNREACHABLE as error:
            with suppress(StorageUnavailable):
                self._documents.delete(AcceptedJob, job)
            raise _unreachable() from error
        except StorageUnavailable as error:
            raise JobFailed(error.message) from error
        logger.debug("job %s waits", job, extra={"job": job})

    def _put(self, job: str, accepted: AcceptedJob) -> None:
        queue = Queue(accepted.queue, connection=self._redis, serializer=JSONSerializer)
        with self._redis.pipeline() as pipeline:
            queue.enqueue_call(
                accepted.task,
                args=(job, accepted.subject),
                job_id=job,
                timeout=self._timeout,
                result_ttl=_RESULT_TTL,
                failure_ttl=_FAILURE_TTL,
                retry=Retry(max=MAX_ATTEMPTS - 1, interval=self._pauses),
                meta=outgoing(),
                pipeline=pipeline,
            )
            add_event(pipeline, waiting(job))
            pipeline.execute()


def message_attributes(job: str, queue: str) -> dict[str, Attribute]:
    """What the span of a job's handing in, or of its doing, says of it.

    Names as in https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/.
    """
    return {
        "messaging.system": "rq",
        "messaging.destination.name": queue,
        "messaging.message.id": job,
    }


def _unreachable() -> JobFailed:
    return JobFailed("The queue of jobs cannot be reached just now. Please try again in a moment.")
