"""What was accepted and got lost is handed in again; nothing else is."""

import time

import pytest
from redis import Redis
from rq import Queue
from rq.executions import Execution
from rq.job import Job
from rq.registry import StartedJobRegistry
from rq.serializers import JSONSerializer

from animator.core.documents import AcceptedJob
from animator.core.job import JobEvent
from animator.jobs import recall
from animator.jobs.progress import JobEvents
from animator.jobs.queue import LATER, QUEUE, JobQueue
from animator.jobs.recall import Recall
from tests.support_api import MemoryDocuments

LATE = 2_000_000_000.0
"""So long after now that every job was accepted long ago."""


@pytest.fixture(autouse=True)
def second_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recall, "_SECOND_LOOK", 0.01)


@pytest.fixture
def documents() -> MemoryDocuments:
    return MemoryDocuments()


@pytest.fixture
def queue(client: Redis, documents: MemoryDocuments) -> JobQueue:
    return JobQueue(client, timeout=7, pauses=(2, 10), documents=documents)


def walk(client: Redis, documents: MemoryDocuments, queue: JobQueue, now: float = LATE) -> int:
    return Recall(client, documents, queue, clock=lambda: now).walk()


def line(client: Redis, name: str = QUEUE) -> Queue:
    return Queue(name, connection=client, serializer=JSONSerializer)


def test_jobs_that_redis_forgot_are_handed_in_as_they_were(
    client: Redis, documents: MemoryDocuments, queue: JobQueue
) -> None:
    queue.enqueue_annotation("j1", "d1")
    queue.enqueue_previews("j2", "a2")
    client.flushall()
    assert walk(client, documents, queue) == 2
    (first,), (later,) = line(client).jobs, line(client, LATER).jobs
    assert (first.func_name, list(first.args)) == (
        "animator.jobs.tasks.annotate_drawing",
        ["j1", "d1"],
    )
    assert (later.func_name, list(later.args)) == (
        "animator.jobs.tasks.animate_drawing",
        ["j2", "a2"],
    )
    assert walk(client, documents, queue) == 0, "they are there now"


def test_job_whose_place_in_the_queue_was_lost_is_handed_in_again(
    client: Redis, documents: MemoryDocuments, queue: JobQueue
) -> None:
    queue.enqueue_annotation("j1", "d1")
    client.delete(line(client).key)
    assert walk(client, documents, queue) == 1
    assert line(client).job_ids == ["j1"]


def test_job_that_waits_is_taken_pauses_or_is_worked_on_is_left_alone(
    client: Redis, documents: MemoryDocuments, queue: JobQueue
) -> None:
    for job in ("waits", "taken", "begun", "pauses"):
        queue.enqueue_annotation(job, "d1")
    client.lrem(line(client).key, 1, "taken")
    client.lpush(line(client).intermediate_queue_key, "taken")
    client.lrem(line(client).key, 1, "begun")
    client.lrem(line(client).key, 1, "pauses")
    client.zadd(line(client).scheduled_job_registry.key, {"pauses": time.time() + 10.0})
    begun = Job.fetch("begun", client, JSONSerializer)
    with client.pipeline() as pipeline:
        execution = Execution("e1", begun.id, client)
        StartedJobRegistry(queue=line(client)).add_execution(execution, pipeline, ttl=60)
        pipeline.execute()
    assert walk(client, documents, queue) == 0
    assert line(client).job_ids == ["waits"]


def test_job_that_has_ended_is_forgotten(
    client: Redis, documents: MemoryDocuments, queue: JobQueue
) -> None:
    queue.enqueue_annotation("j1", "d1")
    client.flushall()
    JobEvents(client).tell(JobEvent(job="j1", state="done", step="done", progress=1.0))
    assert walk(client, documents, queue) == 0
    assert documents.accepted() == ()


def test_job_that_was_accepted_just_now_is_on_its_way(
    client: Redis, documents: MemoryDocuments, queue: JobQueue
) -> None:
    accepted = AcceptedJob(task="animator.jobs.tasks.sweep", subject="d", queue=QUEUE, created=LATE)
    documents.put("j1", accepted)
    assert walk(client, documents, queue, now=LATE + 9) == 0
    assert walk(client, documents, queue, now=LATE + 11) == 1


def test_two_recalls_at_a_time_hand_a_job_in_once(
    client: Redis, documents: MemoryDocuments, queue: JobQueue
) -> None:
    queue.enqueue_annotation("j1", "d1")
    client.flushall()
    accepted = documents.get(AcceptedJob, "j1")
    for _ in range(2):
        queue.hand_in_again("j1", accepted)
    assert line(client).job_ids == ["j1"]
