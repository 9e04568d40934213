"""The job worker: takes jobs from the queues, one at a time, each in a process of its own.

No job is lost. Whoever works on one says so each second; when that stops, any other worker finds
the job within seconds, and it is begun again, or, after the last attempt, reported failed.
"""

import logging
import os
import signal
import time
from collections.abc import Callable, Iterable
from typing import Any

from redis import Redis
from rq import Queue, Worker
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.utils import now

from animator.core.errors import JobFailed, NotFound
from animator.core.job import JobProblem
from animator.core.tracing import PRESENT, REQUEST_ID, Tracer
from animator.jobs.accounts import Accounts, task_of
from animator.jobs.lifeline import die_with_parent
from animator.jobs.patrol import Patrol, skip_pause
from animator.jobs.progress import JobEvents, JobProgress
from animator.jobs.queue import LATER, MAX_ATTEMPTS, QUEUE, message_attributes

__all__ = ("JobWorker", "count_live_workers")

logger = logging.getLogger(__name__)

_HEARTBEAT = 1
"""Seconds between two signs of life of a worker that is at work."""

_EXPIRY = 6
"""Seconds without a sign of life after which a job counts as abandoned."""

_ROUND = 2
"""Seconds between two looks for abandoned jobs."""

_LOOK_AGAIN = 1
"""Seconds of waiting for a job that somebody waits for, between two looks for any other."""

_IDLE_TTL = 17
"""RQ waits 15 seconds less than this for a job before it looks around."""

_LAST_TRACES = 1.0
"""Seconds in which what traces show of a job is sent, at most; its result is told before."""


def count_live_workers(client: Redis, hostname: str | None = None) -> int:
    """How many job workers, on that machine or on any, gave a sign of life just now."""
    return sum(
        hostname in (None, worker.hostname)
        and worker.last_heartbeat is not None
        and (now() - worker.last_heartbeat).total_seconds() < _EXPIRY
        for worker in Worker.all(connection=client)
    )


def _sign_log_lines(job: Job) -> None:
    """Let all that this process logs from now on carry the ids of its job and who asked for it."""
    request_id = REQUEST_ID.get()
    make = logging.getLogRecordFactory()

    def make_signed(*args: Any, **kwargs: Any) -> logging.LogRecord:
        record = make(*args, **kwargs)
        record.job = job.id
        record.task = task_of(job)
        if request_id:
            record.request_id = request_id
        return record

    logging.setLogRecordFactory(make_signed)


def _is_ready() -> None:
    """Nothing is to be done first."""


class _Lines(Queue):
    """Takes from several queues, one after the other.

    RQ does so by itself, but then a job is lost whose worker dies before it could begin.
    """

    @classmethod
    def dequeue_any(
        cls, queues: Iterable[Queue], timeout: int | None, *args: Any, **kwargs: Any
    ) -> tuple[Job, Queue] | None:
        """The next job of the first queue that has one; what is waited for comes in the first."""
        first, *_ = lines = list(queues)
        for line in lines:
            found = super().dequeue_any([line], None, *args, **kwargs)
            if found is not None:
                return found
        if timeout is None:
            return None
        return super().dequeue_any([first], min(timeout, _LOOK_AGAIN), *args, **kwargs)


class JobWorker(Worker):
    """RQ's worker with short heartbeats, which tells those who wait how a job ended."""

    max_connection_wait_time = 1.0
    queue_class = _Lines

    def __init__(
        self,
        client: Redis,
        tidy: Callable[[], None],
        get_ready: Callable[[], None] = _is_ready,
        tracer: Tracer | None = None,
    ) -> None:
        """Prepare to work on the queues, the first before the second.

        Args:
            client: the connection; it must outlive a restart of the server.
            tidy: called now and then, whether there is work or not; takes a second at most.
            get_ready: called once, when the worker has signed on and before its first job; takes a
                second or two.
            tracer: follows jobs; it must not have a thread. None: nobody does.
        """
        queues = [_Lines(n, connection=client, serializer=JSONSerializer) for n in (QUEUE, LATER)]
        super().__init__(
            queues,
            connection=client,
            serializer=JSONSerializer,
            worker_ttl=_IDLE_TTL,
            job_monitoring_interval=_HEARTBEAT,
            maintenance_interval=_ROUND,
            log_job_description=False,
        )
        self._own_pid = os.getpid()
        self._has_cut_short = False
        self._tidy = tidy
        self._get_ready = get_ready
        self._tracer = tracer
        self._events = JobEvents(client)
        self._accounts = Accounts(client)
        self._patrols = [Patrol(queue, self._give_up) for queue in queues]

    def bootstrap(self, *args: Any, **kwargs: Any) -> None:
        """Sign on, then get ready: a job that comes meanwhile would have to do the same itself."""
        super().bootstrap(*args, **kwargs)
        self._get_ready()

    def get_heartbeat_ttl(self, job: Job) -> int:
        """Seconds after which a job without a sign of life counts as abandoned."""
        return _EXPIRY

    def maintain_heartbeats(self, job: Job) -> None:
        """Give a sign of life; look after the jobs of others too, for they may wait long."""
        super().maintain_heartbeats(job)
        if self.should_run_maintenance_tasks:
            self.clean_registries()

    def clean_registries(self) -> None:
        """Look for jobs whose worker is gone, and tidy up."""
        for patrol in self._patrols:
            patrol.walk()
        self._tidy()
        self.last_cleaned_at = now()  # type: ignore[assignment]  # RQ gives it no type

    def subscribe(self) -> None:
        """Take no commands over Redis: this process forks, so it must have no other thread."""

    def main_work_horse(self, job: Job, queue: Queue) -> None:
        """Do one job, in its own process, which ends when the worker does."""
        die_with_parent(signal.SIGKILL, parent=self._own_pid)
        REQUEST_ID.set(str(job.meta.get("x-request-id", "")))
        _sign_log_lines(job)
        super().main_work_horse(job, queue)

    def perform_job(self, job: Job, queue: Queue) -> bool:
        """Do it, and send what traces show of it once its result is told."""
        if self._tracer is None:
            return bool(super().perform_job(job, queue))
        waited = (now() - job.enqueued_at).total_seconds() if job.enqueued_at else 0.0
        began = time.monotonic()
        handed_in = began - max(waited, 0.0)
        task = task_of(job)
        span = self._tracer.begin(f"process {task}", "consumer", job.meta, begun=handed_in)
        span.note({"animator.request_id": REQUEST_ID.get()})
        span.note(message_attributes(job.id, queue.name))
        span.child("wait", begun=handed_in).end(at=began)
        token = PRESENT.set(span)
        try:
            is_done = bool(super().perform_job(job, queue))
            span.end("" if is_done else "broken")
        finally:
            PRESENT.reset(token)
            self._tracer.close(_LAST_TRACES)
        return is_done

    def handle_warm_shutdown_request(self) -> None:
        """Stop at once: the job goes back into the queue and is begun again by the next worker."""
        logger.info("stopping")
        if self.horse_pid:
            self._has_cut_short = True
            # RQ would warn of the sudden end of the job's process.
            self.log.setLevel(logging.ERROR)
            self.kill_horse()

    def handle_job_failure(self, job: Job, queue: Queue, *args: Any, **kwargs: Any) -> None:
        """Begin a job again, or tell those who wait that it failed."""
        if self._has_cut_short and job.retries_left is not None:
            # We ended it ourselves, so this attempt, which RQ counts, shall not count.
            job.retries_left += 1
            skip_pause(job)
        is_last = not job.should_retry
        super().handle_job_failure(job, queue, *args, **kwargs)
        if is_last:
            self._give_up(job, _name_reason(kwargs.get("exc_string", "")))

    def _give_up(self, job: Job, reason: str) -> None:
        try:
            progress = JobProgress(self._events, self._events.last(job.id))
        except NotFound:  # a chore, for one, which is tried once
            logger.error("job %s failed: %s", job.id, reason)
            return
        logger.error("job %s failed %d times: %s", job.id, MAX_ATTEMPTS, reason)
        if not progress.is_over:
            message = f"We tried {MAX_ATTEMPTS} times, and each time something broke: {reason}."
            progress.fail(JobProblem(code=JobFailed.code, message=message))
            self._accounts.given_up(job, JobFailed.code)


def _name_reason(text: str) -> str:
    """The name of the error at the end of a traceback; RQ writes none when a process was killed."""
    last = text.strip().splitlines()[-1:]
    if not last or last[0].startswith("Work-horse"):
        return "the process at work ended unexpectedly"
    return last[0].split(":")[0]
