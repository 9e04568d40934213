import asyncio
import functools
import itertools
import threading
from collections.abc import AsyncIterator

import pytest
from redis import Redis

from animator.core.annotation import Annotation
from animator.core.errors import NotFound
from animator.core.job import JobEvent, JobProblem, JobState, Step
from animator.jobs.connection import connect, connect_async
from animator.jobs.progress import JobEvents, JobFollower, JobProgress
from tests.support_redis import PrivateRedis

PROBLEM = JobProblem(code="job_failed", message="It broke.")


def event(progress: float, state: JobState = "running", step: Step = "detecting") -> JobEvent:
    return JobEvent(job="j", state=state, step=step, progress=progress)


QUEUED = event(0.0, "queued", "waiting")
DONE = event(1.0, "done", "done")


@pytest.fixture
def follow(server: PrivateRedis) -> JobFollower:
    return JobFollower(functools.partial(connect_async, server.url), {"lost"}.__contains__)


async def collect(news: AsyncIterator[JobEvent]) -> list[JobEvent]:
    return [event async for event in news]


def test_last_event_is_kept_and_an_unknown_job_is_not_found(events: JobEvents) -> None:
    events.tell(QUEUED)
    events.tell(event(0.5))
    assert events.last("j") == event(0.5)
    with pytest.raises(NotFound):
        events.last("other")


def test_event_is_forgotten_after_a_month(events: JobEvents, client: Redis) -> None:
    events.tell(QUEUED)
    assert client.ttl("animator:job:j") == 30 * 24 * 3600


@pytest.mark.parametrize("end", [DONE, event(0.5, "failed")])
def test_what_a_slow_attempt_tells_does_not_stand_after_the_end_that_another_told(
    events: JobEvents, end: JobEvent
) -> None:
    slow = JobProgress(events, event(0.5))
    events.tell(end)
    slow("drawing", 0.6)
    assert events.last("j") == end
    slow.fail(PROBLEM)
    assert events.last("j") == end
    slow.finish()
    assert events.last("j") == DONE


class Recorder(JobEvents):
    """Keeps what is told."""

    def __init__(self) -> None:
        self.told: list[JobEvent] = []

    def tell(self, event: JobEvent) -> None:
        self.told.append(event)


def test_progress_is_told_ten_times_a_second_at_most_and_a_new_step_at_once() -> None:
    recorder, now = Recorder(), [0.0]
    progress = JobProgress(recorder, QUEUED, clock=lambda: now[0])
    for hundredth in range(30):
        now[0] = hundredth / 100 + 1e-6
        progress("drawing", 0.3 + hundredth / 50)
    progress("done", 0.9)
    assert [(e.step, round(e.progress, 2)) for e in recorder.told] == [
        ("drawing", 0.3),
        ("drawing", 0.5),
        ("drawing", 0.7),
        ("done", 0.9),
    ]


def test_progress_never_falls_and_small_steps_are_not_told() -> None:
    recorder, seconds = Recorder(), itertools.count()
    progress = JobProgress(recorder, QUEUED, clock=lambda: float(next(seconds)))
    for share in (0.1, 0.105, 0.3, 0.2, 1.7):
        progress("detecting", share)
    progress("outlining", 0.0)
    assert [(e.step, e.progress) for e in recorder.told] == [
        ("detecting", 0.1),
        ("detecting", 0.3),
        ("detecting", 1.0),
        ("outlining", 1.0),
    ]


def test_next_attempt_goes_on_where_the_last_one_stood(events: JobEvents) -> None:
    events.tell(event(0.6))
    JobProgress(events, events.last("j"))("reading", 0.0)
    assert events.last("j") == event(0.6, step="reading")


def test_what_was_found_is_told_on_until_the_end(events: JobEvents) -> None:
    found = Annotation(width=30, height=20, figures=())
    events.tell(event(0.4))
    progress = JobProgress(events, events.last("j"))
    progress.show(found)
    assert events.last("j").found == found
    progress("outlining", 0.7)
    assert (events.last("j").progress, events.last("j").found) == (0.7, found)
    progress.finish()
    assert events.last("j") == DONE


def test_failure_keeps_the_step_and_tells_the_reason(events: JobEvents) -> None:
    events.tell(event(0.6, step="outlining"))
    progress = JobProgress(events, events.last("j"))
    assert not progress.is_over
    progress.fail(PROBLEM)
    assert progress.is_over
    last = events.last("j")
    assert (last.state, last.step, last.progress, last.problem) == (
        "failed",
        "outlining",
        0.6,
        PROBLEM,
    )


async def test_late_follower_sees_the_end_at_once(events: JobEvents, follow: JobFollower) -> None:
    events.tell(DONE)
    assert await collect(follow("j")) == [DONE]


async def test_follower_sees_each_event_once_in_order(
    events: JobEvents, follow: JobFollower
) -> None:
    events.tell(QUEUED)
    seen = []
    async for news in follow("j"):
        seen.append(news)
        following = {0.0: event(0.25), 0.25: event(0.5), 0.5: DONE}
        if news.progress in following:
            events.tell(following[news.progress])
    assert seen == [QUEUED, event(0.25), event(0.5), DONE]


async def test_follower_finds_what_its_channel_lost(
    events: JobEvents, follow: JobFollower, client: Redis
) -> None:
    events.tell(QUEUED)
    seen = []
    async for news in follow("j"):
        seen.append(news)
        # Kept without being told, as if the connection had broken at that moment.
        client.set("animator:job:j", b'{"job":"j","state":"done","step":"done","progress":1.0}')
    assert seen == [QUEUED, DONE]


async def test_follower_of_an_unknown_job_is_told(follow: JobFollower, events: JobEvents) -> None:
    with pytest.raises(NotFound):
        await collect(follow("nothing"))


async def test_follower_outlives_a_killed_server(
    server: PrivateRedis, events: JobEvents, follow: JobFollower
) -> None:
    events.tell(QUEUED)
    news = follow("j")
    assert await anext(news) == QUEUED
    server.kill()
    waiting = asyncio.ensure_future(anext(news))
    await asyncio.sleep(0.1)
    await asyncio.to_thread(server.start)
    events.tell(event(0.5))
    assert await waiting == event(0.5)
    events.tell(DONE)
    assert await collect(news) == [DONE]


@pytest.mark.usefixtures("client")  # which begins with an empty Redis
def test_teller_waits_for_a_killed_server(server: PrivateRedis) -> None:
    with connect(server.url, patience=5.0) as patient:
        events = JobEvents(patient)
        events.tell(QUEUED)
        server.kill()
        restart = threading.Timer(0.3, server.start)
        restart.start()
        events.tell(event(0.5))
        restart.join()
        assert events.last("j") == event(0.5)


async def test_job_that_redis_lost_is_waited_for_until_it_is_handed_in_again(
    follow: JobFollower, events: JobEvents
) -> None:
    told = []
    async for event in follow("lost"):
        told.append(event.state)
        if event.state == "queued":
            events.tell(JobEvent(job="lost", state="done", step="done", progress=1.0))
    assert told == ["queued", "done"]
