import json

import pytest
from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer

from animator.core.documents import AcceptedJob
from animator.core.errors import JobFailed, NotFound, StorageUnavailable
from animator.core.job import JobEvent
from animator.jobs.connection import connect
from animator.jobs.queue import LATER, QUEUE, JobQueue
from animator.store import Document
from tests.support_api import MemoryDocuments


@pytest.fixture
def documents() -> MemoryDocuments:
    return MemoryDocuments()


@pytest.fixture
def queue(client: Redis, documents: MemoryDocuments) -> JobQueue:
    return JobQueue(client, timeout=7, pauses=(2, 10), documents=documents)


def test_job_is_named_by_its_caller_and_waits(queue: JobQueue, client: Redis) -> None:
    queue.enqueue_annotation("j1", "d1")
    queue.enqueue_animation("j2", "a1")
    first, second = Queue(QUEUE, connection=client, serializer=JSONSerializer).jobs
    assert (first.id, first.func_name, list(first.args)) == (
        "j1",
        "animator.jobs.tasks.annotate_drawing",
        ["j1", "d1"],
    )
    assert (second.id, second.func_name, list(second.args)) == (
        "j2",
        "animator.jobs.tasks.animate_drawing",
        ["j2", "a1"],
    )
    assert (first.timeout, first.retries_left) == (7, 2)
    assert queue.last_event("j1") == JobEvent(
        job="j1", state="queued", step="waiting", progress=0.0
    )


def test_previews_wait_in_another_queue_for_when_there_is_nothing_else(
    queue: JobQueue, client: Redis
) -> None:
    queue.enqueue_previews("j1", "a1")
    (job,) = Queue(LATER, connection=client, serializer=JSONSerializer).jobs
    assert (job.func_name, list(job.args)) == ("animator.jobs.tasks.animate_drawing", ["j1", "a1"])
    assert Queue(QUEUE, connection=client, serializer=JSONSerializer).is_empty()


def test_job_is_kept_as_json_and_not_as_a_pickle(queue: JobQueue, client: Redis) -> None:
    queue.enqueue_annotation("j1", "d1")
    data = Queue(QUEUE, connection=client, serializer=JSONSerializer).jobs[0].data
    assert json.loads(data) == ["animator.jobs.tasks.annotate_drawing", None, ["j1", "d1"], {}]


def test_unknown_job_is_not_found(queue: JobQueue) -> None:
    with pytest.raises(NotFound, match="no such job"):
        queue.last_event("nothing")


def test_queue_that_is_away_is_told_in_plain_words(documents: MemoryDocuments) -> None:
    with connect("unix:///nowhere/redis.sock", patience=0.1) as away:
        queue = JobQueue(away, timeout=7, pauses=(2, 10), documents=documents)
        with pytest.raises(JobFailed, match="cannot be reached just now"):
            queue.enqueue_annotation("j1", "d1")
        with pytest.raises(JobFailed, match="cannot be reached just now"):
            queue.last_event("j1")
        assert documents.accepted() == (), "what was refused is not to be done"


def test_job_that_redis_lost_waits_as_long_as_it_is_noted(
    queue: JobQueue, client: Redis, documents: MemoryDocuments
) -> None:
    queue.enqueue_annotation("j1", "d1")
    client.flushall()
    assert queue.last_event("j1").state == "queued"
    documents.delete(AcceptedJob, "j1")
    with pytest.raises(NotFound):
        queue.last_event("j1")


def test_storage_that_is_away_takes_no_job(client: Redis) -> None:
    class Away(MemoryDocuments):
        def put(self, id: str, document: Document) -> None:
            raise StorageUnavailable("no route to host")

    queue = JobQueue(client, timeout=7, pauses=(2, 10), documents=Away())
    with pytest.raises(JobFailed, match=r"^The storage cannot be reached just now\."):
        queue.enqueue_annotation("j1", "d1")
    assert client.keys() == []
