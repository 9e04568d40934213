import signal
from collections.abc import Iterator
from datetime import timedelta

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from redis import Redis
from rq import Queue
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.utils import now, utcformat

from animator.core.job import JobEvent
from animator.jobs.accounts import Accounts
from animator.jobs.connection import connect_once
from animator.jobs.progress import JobEvents
from animator.jobs.queue import LATER, QUEUE, JobQueue
from animator.jobs.standing import JobCollector
from animator.jobs.worker import JobWorker
from tests.support_api import MemoryDocuments
from tests.support_redis import PrivateRedis


def scrape(server: PrivateRedis) -> dict[str, float]:
    """Each sample and its number."""
    registry = CollectorRegistry()
    registry.register(JobCollector(lambda: connect_once(server.url)))
    lines = generate_latest(registry).decode().splitlines()
    pairs = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    return {name: float(number) for name, number in pairs}


def work(client: Redis, task: str) -> None:
    JobEvents(client).tell(JobEvent(job="j", state="queued", step="waiting", progress=0.0))
    queue = Queue(QUEUE, connection=client, serializer=JSONSerializer)
    queue.enqueue_call(f"tests.support_tasks.{task}", args=("j",), job_id="j", timeout=60)
    JobWorker(client, lambda: None).work(burst=True, logging_level="CRITICAL")


@pytest.fixture(autouse=True)
def keep_signals() -> Iterator[None]:
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


def test_job_that_ends_is_counted_with_its_steps_and_its_wait(
    server: PrivateRedis, client: Redis
) -> None:
    work(client, "find_nobody")
    told = scrape(server)
    task = 'task="find_nobody"'
    assert told[f'animator_jobs_total{{result="no_figure_found",{task}}}'] == 1
    assert told[f'animator_job_attempts_total{{result="no_figure_found",{task}}}'] == 1
    assert told[f"animator_job_wait_seconds_count{{{task}}}"] == 1
    step = f'{{step="reading",{task}}}'
    assert told[f"animator_job_step_seconds_count{step}"] == 1
    assert 0.03 <= told[f"animator_job_step_seconds_sum{step}"] < 5
    assert told[f'animator_job_step_seconds_bucket{{le="0.025",step="reading",{task}}}'] == 0
    assert told[f'animator_job_step_seconds_bucket{{le="+Inf",step="reading",{task}}}'] == 1
    assert told[f"animator_job_seconds_sum{{{task}}}"] >= 0.03


def test_attempt_that_breaks_ends_no_job(server: PrivateRedis, client: Redis) -> None:
    work(client, "stop_half_way")
    told = scrape(server)
    assert told['animator_job_attempts_total{result="broken",task="stop_half_way"}'] == 1
    assert not any(name.startswith("animator_jobs_total") for name in told)


def test_queues_tell_their_length_and_how_long_the_next_job_has_waited(
    server: PrivateRedis, client: Redis
) -> None:
    jobs = JobQueue(client, timeout=60, pauses=(2, 10), documents=MemoryDocuments())
    jobs.enqueue_annotation("first", "d")
    jobs.enqueue_annotation("second", "d")
    client.hset(Job.key_for("first"), "enqueued_at", utcformat(now() - timedelta(seconds=90)))
    told = scrape(server)
    assert told[f'animator_queue_length{{queue="{QUEUE}"}}'] == 2
    assert 90 <= told[f'animator_queue_age_seconds{{queue="{QUEUE}"}}'] < 100
    assert told[f'animator_queue_length{{queue="{LATER}"}}'] == 0
    assert told[f'animator_queue_age_seconds{{queue="{LATER}"}}'] == 0
    assert told["animator_job_workers"] == 0


def test_worker_that_died_without_a_word_counts_no_more(
    server: PrivateRedis, client: Redis
) -> None:
    worker = JobWorker(client, lambda: None)
    worker.register_birth()  # type: ignore[no-untyped-call]
    worker.heartbeat()
    assert scrape(server)["animator_job_workers"] == 1
    client.hset(worker.key, "last_heartbeat", utcformat(now() - timedelta(seconds=60)))
    assert scrape(server)["animator_job_workers"] == 0


def test_sweeps_are_counted(server: PrivateRedis, client: Redis) -> None:
    for files in (2, 3):
        Accounts(client).swept({"drawing": 0, "file": files})
    told = scrape(server)
    assert told["animator_sweeps_total"] == 2
    assert told['animator_swept_total{kind="file"}'] == 5
    assert told['animator_swept_total{kind="drawing"}'] == 0


def test_without_redis_that_is_told_at_once() -> None:
    registry = CollectorRegistry()
    registry.register(JobCollector(lambda: connect_once("redis://127.0.0.1:1")))
    text = generate_latest(registry).decode()
    assert [line for line in text.splitlines() if not line.startswith("#")] == [
        "animator_redis_up 0.0"
    ]
