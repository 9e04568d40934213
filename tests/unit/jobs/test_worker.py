import logging
import multiprocessing
import signal
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest
from redis import Redis
from rq import Queue, Retry
from rq.job import Job, JobStatus
from rq.serializers import JSONSerializer

from animator.core.job import JobEvent
from animator.jobs.connection import connect
from animator.jobs.progress import JobEvents
from animator.jobs.queue import LATER, QUEUE
from animator.jobs.worker import JobWorker, count_live_workers
from tests.support_redis import PrivateRedis

QUEUED = JobEvent(job="j", state="queued", step="waiting", progress=0.0)


@pytest.fixture
def queue(client: Redis) -> Queue:
    return Queue(QUEUE, connection=client, serializer=JSONSerializer)


@pytest.fixture
def worker(client: Redis) -> Iterator[JobWorker]:
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield JobWorker(client, lambda: None)
    for number, handler in handlers.items():
        signal.signal(number, handler)


def _pauses_before_others(job: Job) -> list[int]:
    """What RQ waits for when a job breaks again and again."""
    pauses = []
    while job.retries_left:
        pauses.append(job.get_retry_interval())
        job.retries_left -= 1
    return pauses


def enqueue(queue: Queue, events: JobEvents, task: str) -> Job:
    events.tell(QUEUED)
    return queue.enqueue_call(
        f"tests.support_tasks.{task}", args=("j",), job_id="j", retry=Retry(max=2), timeout=60
    )


def test_worker_tidies_up_when_it_looks_around(client: Redis) -> None:
    tidied: list[bool] = []
    JobWorker(client, lambda: tidied.append(True)).clean_registries()
    assert tidied == [True]


@pytest.mark.parametrize(
    ("task", "reason"),
    [("raise_error", "ZeroDivisionError"), ("die", "the process at work ended unexpectedly")],
)
def test_job_is_tried_three_times_then_failed_with_its_reason(
    client: Redis, queue: Queue, worker: JobWorker, task: str, reason: str
) -> None:
    events = JobEvents(client)
    job = enqueue(queue, events, task)
    worker.work(burst=True, logging_level="CRITICAL")

    failures: Any = client.hget(worker.key, "failed_job_count")
    assert int(failures) == 3
    assert job.get_status() == JobStatus.FAILED
    last = events.last("j")
    assert last.state == "failed"
    assert last.problem is not None
    assert last.problem.code == "job_failed"
    assert last.problem.message == f"We tried 3 times, and each time something broke: {reason}."


def test_chore_that_breaks_is_logged_once_as_what_it_is(
    queue: Queue, worker: JobWorker, caplog: pytest.LogCaptureFixture
) -> None:
    queue.enqueue_call("tests.support_tasks.die", args=("c",), job_id="c", timeout=60)
    worker.work(burst=True, logging_level="CRITICAL")
    told = [line.getMessage() for line in caplog.records if line.name == "animator.jobs.worker"]
    assert told == ["job c failed: the process at work ended unexpectedly"]


def test_log_lines_of_a_job_carry_its_id(
    client: Redis, queue: Queue, worker: JobWorker, events: JobEvents
) -> None:
    enqueue(queue, events, "sign")
    worker.work(burst=True, logging_level="CRITICAL")
    assert client.get("signed") == b"j sign"
    record = logging.getLogger("any").makeRecord("any", logging.INFO, "file", 1, "", (), None)
    assert "job" not in vars(record)  # the worker itself has none


def test_job_that_ended_already_keeps_its_end(
    queue: Queue, worker: JobWorker, events: JobEvents
) -> None:
    enqueue(queue, events, "raise_error")
    done = JobEvent(job="j", state="done", step="done", progress=1.0)
    events.tell(done)
    worker.work(burst=True, logging_level="CRITICAL")
    assert events.last("j") == done


@pytest.mark.parametrize(("attempts_left", "pauses"), [(2, [2, 10]), (1, [10]), (0, [])])
def test_worker_that_is_stopped_gives_its_job_back_at_once_with_as_many_attempts(
    queue: Queue, worker: JobWorker, events: JobEvents, attempts_left: int, pauses: list[int]
) -> None:
    job = enqueue(queue, events, "stop_its_worker")
    job.retry_intervals, job.retries_left = [2, 10], attempts_left
    job.save()

    begun = time.monotonic()
    worker.work(logging_level="CRITICAL")

    assert time.monotonic() - begun < 5
    assert queue.job_ids == ["j"]
    found = Job.fetch("j", queue.connection, JSONSerializer)
    assert found.retries_left == attempts_left
    assert _pauses_before_others(found) == pauses
    assert job.get_status() == JobStatus.QUEUED
    assert events.last("j") == QUEUED


def test_job_that_nobody_waits_for_is_done_last_and_never_lost(
    client: Redis, queue: Queue, worker: JobWorker
) -> None:
    later = Queue(LATER, connection=client, serializer=JSONSerializer)
    for place, name in ((later, "previews"), (queue, "first"), (queue, "second")):
        place.enqueue_call("tests.support_tasks.raise_error", args=(name,), job_id=name)
    taken = []
    for _ in range(3):
        found = worker.dequeue_job_and_maintain_ttl(timeout=5)
        assert found is not None
        job, line = found
        taken.append(job.id)
        # as long as it is not begun, the patrol finds it here
        assert job.id in line.intermediate_queue.get_job_ids()
    assert taken == ["first", "second", "previews"]
    assert worker.dequeue_job_and_maintain_ttl(timeout=None) is None


def test_worker_gets_ready_once_after_it_signed_on_and_before_its_first_job(
    client: Redis, queue: Queue, worker: JobWorker
) -> None:
    events = JobEvents(client)
    enqueue(queue, events, "raise_error")
    seen: list[tuple[bool, int]] = []

    def get_ready() -> None:
        seen.append((count_live_workers(client, socket.gethostname()) == 1, queue.count))

    JobWorker(client, lambda: None, get_ready).work(burst=True, logging_level="CRITICAL")

    assert seen == [(True, 1)]
    assert queue.count == 0


def _work_off(url: str) -> None:
    with connect(url, patience=10.0) as client:
        JobWorker(client, lambda: None).work(burst=True, logging_level="CRITICAL")


def test_two_workers_do_each_job_once(server: PrivateRedis, client: Redis, queue: Queue) -> None:
    jobs = {f"j{number}" for number in range(6)}
    for job in jobs:
        queue.enqueue_call("tests.support_tasks.count", args=(job,), job_id=job)
    fork = multiprocessing.get_context("fork")
    workers = [fork.Process(target=_work_off, args=(server.url,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    done: Any = client.hgetall("done")
    assert done == {job.encode(): b"1" for job in jobs}
