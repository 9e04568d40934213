import time
from types import SimpleNamespace

import pytest
from redis import Redis
from rq import Queue, Retry
from rq.executions import Execution
from rq.job import Job, JobStatus
from rq.serializers import JSONSerializer

from animator.jobs.patrol import Patrol
from animator.jobs.queue import MAX_ATTEMPTS, QUEUE
from animator.settings import Settings

PAUSES = Settings().job_pauses


class Beat:
    """A patrol over a queue with one job, and a clock that a test turns."""

    def __init__(self, client: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        clock = SimpleNamespace(monotonic=lambda: self.now)
        monkeypatch.setattr("animator.jobs.patrol.time", clock)
        self.client = client
        self.queue = Queue(QUEUE, connection=client, serializer=JSONSerializer)
        self.given_up: list[tuple[str, str]] = []
        self.patrol = Patrol(self.queue, lambda job, why: self.given_up.append((job.id, why)))

    def enqueue(self, retries: int = 2) -> Job:
        retry = Retry(max=retries, interval=PAUSES)
        return self.queue.enqueue_call("t", job_id="j", retry=retry, timeout=60)

    def take(self) -> None:
        """What a worker does first: move the job from the queue to the list of those taken."""
        self.client.lmove(self.queue.key, self.queue.intermediate_queue_key)

    def begin(self, job: Job, *, is_abandoned: bool) -> None:
        """What a worker does next; its last sign of life is new, or too old."""
        self.client.delete(self.queue.key, self.queue.intermediate_queue_key)
        with self.client.pipeline() as pipeline:
            execution = Execution.create(job, 60, pipeline)
            if is_abandoned:
                pipeline.zadd(job.started_job_registry.key, {execution.composite_key: 1.0})
            pipeline.execute()
        job.set_status(JobStatus.STARTED)

    def break_off(self, job: Job) -> None:
        """What a worker does when an error ends a job."""
        with self.client.pipeline() as pipeline:
            job.retry(self.queue, pipeline)
            pipeline.execute()


@pytest.fixture
def beat(client: Redis, monkeypatch: pytest.MonkeyPatch) -> Beat:
    return Beat(client, monkeypatch)


def test_abandoned_job_goes_back_into_the_queue(beat: Beat) -> None:
    job = beat.enqueue()
    beat.begin(job, is_abandoned=True)
    beat.patrol.walk()
    assert beat.queue.job_ids == ["j"], "at once: nothing was missing"
    assert job.get_status() == JobStatus.QUEUED
    assert beat.given_up == []
    assert Job.fetch("j", beat.client, JSONSerializer).get_retry_interval() == 10, "if it breaks"


def test_abandoned_job_without_an_attempt_left_is_given_up(beat: Beat) -> None:
    job = beat.enqueue(retries=1)
    for _ in range(2):
        beat.begin(Job.fetch("j", beat.client, JSONSerializer), is_abandoned=True)
        beat.patrol.walk()
    assert beat.queue.job_ids == []
    assert job.get_status() == JobStatus.FAILED
    assert beat.given_up == [("j", "its worker stopped")]


def test_job_with_signs_of_life_is_left_alone(beat: Beat) -> None:
    job = beat.enqueue()
    beat.begin(job, is_abandoned=False)
    beat.patrol.walk()
    assert beat.queue.job_ids == []
    assert job.get_status() == JobStatus.STARTED


def test_job_that_was_taken_but_never_begun_goes_back_after_ten_seconds(beat: Beat) -> None:
    beat.enqueue()
    beat.take()
    beat.patrol.walk()
    beat.now += 9
    beat.patrol.walk()
    assert beat.queue.job_ids == []
    beat.now += 2
    beat.patrol.walk()
    assert beat.queue.job_ids == ["j"]
    assert beat.queue.intermediate_queue.get_job_ids() == []


@pytest.mark.parametrize("status", [JobStatus.FINISHED, JobStatus.FAILED])
def test_ended_job_is_not_begun_again(beat: Beat, status: JobStatus) -> None:
    job = beat.enqueue()
    beat.take()
    job.set_status(status)
    beat.patrol.walk()
    beat.now += 100
    beat.patrol.walk()
    assert beat.queue.job_ids == []
    assert beat.queue.intermediate_queue.get_job_ids() == []


def test_two_never_walk_at_a_time_and_a_killed_one_blocks_for_seconds_only(beat: Beat) -> None:
    job = beat.enqueue()
    beat.begin(job, is_abandoned=True)
    beat.client.set("animator:patrol", 1, ex=10)
    beat.patrol.walk()
    assert job.get_status() == JobStatus.STARTED
    beat.client.delete("animator:patrol")
    beat.patrol.walk()
    assert job.get_status() == JobStatus.QUEUED
    assert not beat.client.exists("animator:patrol")


def test_job_is_begun_again_after_a_pause_and_before_all_others(
    beat: Beat, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = beat.enqueue(retries=MAX_ATTEMPTS - 1)
    pauses = []
    for _ in PAUSES:
        beat.begin(job, is_abandoned=False)
        ended = time.time()
        beat.break_off(job)
        assert beat.queue.job_ids == []
        assert job.get_status() == JobStatus.SCHEDULED
        due = beat.queue.scheduled_job_registry.get_scheduled_time("j").timestamp()
        pauses.append(due - ended)
        beat.patrol.walk()
        assert beat.queue.job_ids == [], "its time has not come"

        beat.queue.enqueue_call("t", job_id="later", timeout=60)
        monkeypatch.setattr("rq.registry.current_timestamp", lambda due=due: int(due))
        beat.patrol.walk()
        monkeypatch.undo()
        assert beat.queue.job_ids == ["j", "later"]
        assert job.get_status() == JobStatus.QUEUED
        assert beat.queue.scheduled_job_registry.get_job_ids() == []
        job = Job.fetch("j", beat.client, JSONSerializer)
        assert job.enqueued_at is not None
        assert job.enqueued_at.timestamp() >= ended, "the pause is no waiting for a worker"
    assert PAUSES == (2, 10)
    assert pauses == pytest.approx(PAUSES, abs=1.0), "RQ counts whole seconds"
    beat.begin(job, is_abandoned=True)
    beat.patrol.walk()
    assert beat.given_up == [("j", "its worker stopped")]


def test_job_that_was_forgotten_in_its_pause_is_not_begun(beat: Beat) -> None:
    registry = beat.queue.scheduled_job_registry
    beat.client.zadd(registry.key, {"gone": 1.0})
    beat.patrol.walk()
    assert beat.queue.job_ids == []
    assert registry.get_job_ids() == []
