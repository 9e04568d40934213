"""What traces and the log show of jobs, which are done in forks."""

import signal
from collections.abc import Iterator
from typing import Any

import pytest
from redis import Redis
from rq import Queue
from rq.job import Job
from rq.serializers import JSONSerializer

from animator.core.tracing import PRESENT, REQUEST_ID, Tracer, outgoing, part
from animator.jobs.queue import QUEUE, message_attributes
from animator.jobs.worker import JobWorker
from tests.support_traces import Collector


@pytest.fixture
def worker(client: Redis, tracer: Tracer) -> Iterator[JobWorker]:
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield JobWorker(client, lambda: None, tracer=tracer)
    for number, handler in handlers.items():
        signal.signal(number, handler)


def hand_in(client: Redis, task: str, id: str) -> Job:
    """As the web process does while it answers a request."""
    queue = Queue(QUEUE, connection=client, serializer=JSONSerializer)
    with part(f"send {QUEUE}", "producer", message_attributes(id, QUEUE)):
        return queue.enqueue_call(
            f"tests.support_tasks.{task}", args=(id,), job_id=id, timeout=60, meta=outgoing()
        )


def test_job_is_a_part_of_the_request_that_asked_for_it(
    client: Redis, worker: JobWorker, tracer: Tracer, taken: Collector
) -> None:
    request = tracer.begin("POST /api/drawings", "server", {})
    present, asked = PRESENT.set(request), REQUEST_ID.set("of-a-parent")
    try:
        job = hand_in(client, "show_origin", "j")
    finally:
        PRESENT.reset(present)
        REQUEST_ID.reset(asked)
    worker.work(burst=True, logging_level="CRITICAL")
    request.end()
    tracer.close(5)
    spans = {span.name: span for span in taken.spans}
    done = spans["process show_origin"]
    assert (done.parent, done.kind) == (spans[f"send {QUEUE}"].id, "consumer")
    assert done.said["messaging.message.id"] == "j"
    assert spans["wait"].parent == spans["step"].parent == done.id
    assert spans["wait"].begun == done.begun
    origin: Any = client.get("origin")
    signed, traceparent = origin.decode().split()
    assert (signed, traceparent.split("-")[2]) == ("of-a-parent", spans["step"].id)
    job.refresh()  # type: ignore[no-untyped-call]
    assert job.ended_at is not None
    assert job.ended_at.timestamp() <= taken.asked_at[0], "the result is there before it is sent"


def test_job_that_breaks_is_seen_to_have_broken(
    client: Redis, worker: JobWorker, taken: Collector
) -> None:
    hand_in(client, "raise_error", "j")
    worker.work(burst=True, logging_level="CRITICAL")
    (done,) = [span for span in taken.spans if span.name == "process raise_error"]
    assert (done.is_error, done.said["error.type"]) == (True, "broken")


def test_jobs_are_done_though_nobody_takes_their_traces(
    client: Redis, worker: JobWorker, taken: Collector
) -> None:
    taken.is_away = True
    jobs = [hand_in(client, "show_origin", f"j-{number}") for number in range(3)]
    worker.work(burst=True, logging_level="CRITICAL")
    assert [job.get_status().value for job in jobs] == ["finished"] * 3
    before = len(taken.asked_at)
    assert before >= 1
    hand_in(client, "show_origin", "later")
    worker.work(burst=True, logging_level="CRITICAL")
    assert len(taken.asked_at) == before, "the forks know of one another's bad luck"
