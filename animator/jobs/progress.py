"""News of jobs: the last event of each is kept in Redis, and told to those who listen."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import msgspec
import redis.exceptions
from redis import Redis
from redis.asyncio import Redis as AsyncRedis
from redis.client import Pipeline

from animator.core.annotation import Annotation
from animator.core.errors import NotFound, StorageUnavailable
from animator.core.job import JobEvent, JobProblem, Step, waiting

__all__ = ("UNREACHABLE", "JobEvents", "JobFollower", "JobProgress", "add_event")

KEPT_FOR = 30 * 24 * 3600
"""Seconds for which the last event of a job is kept."""

_SMALLEST_STEP = 0.01
_SHORTEST_PAUSE = 0.1
"""Seconds between two events of the same step: each costs Redis, the web process and the page."""

_LOOK_AGAIN = 1.0
_OUTAGE = 30.0
UNREACHABLE = (redis.exceptions.ConnectionError, redis.exceptions.TimeoutError)
"""What a connection raises while the server is away, or takes nothing."""

_TELL = """
local last = redis.call("GET", KEYS[1])
if last and ARGV[2] ~= "done" then
    local state = cjson.decode(last).state
    if state == "done" or state == "failed" then return end
end
redis.call("SET", KEYS[1], ARGV[1], "EX", ARGV[3])
redis.call("PUBLISH", KEYS[1], ARGV[1])
"""
"""Keep and tell an event, unless the job has ended: what a slow attempt, thought dead, has to tell
of a job that another has ended must not stand as its last."""


def add_event(pipeline: Pipeline, event: JobEvent) -> None:
    """Have a pipeline keep an event and tell it."""
    data = msgspec.json.encode(event)
    pipeline.set(_name(event.job), data, ex=KEPT_FOR)
    pipeline.publish(_name(event.job), data)


class JobEvents:
    """Where events are told, and the last of each job can be asked for."""

    def __init__(self, client: Redis) -> None:
        self._redis = client
        self._tell = client.register_script(_TELL)

    def tell(self, event: JobEvent) -> None:
        """Keep an event as the last of its job, and tell it to those who listen.

        Of a job that has ended, only that it is done after all.
        """
        data = msgspec.json.encode(event)
        self._tell(keys=(_name(event.job),), args=(data, event.state, KEPT_FOR))

    def last(self, job: str) -> JobEvent:
        """Where a job stands.

        Raises:
            NotFound: when there is no such job.
        """
        data: Any = self._redis.get(_name(job))
        return _decode(data)


class JobProgress:
    """What one attempt at a job tells; an attempt after another goes on where that one stood."""

    def __init__(
        self, events: JobEvents, last: JobEvent, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Go on from an event.

        Args:
            events: where it is told.
            last: what was told last of the job.
            clock: seconds that pass.
        """
        self._events = events
        self._last = last
        self._clock = clock
        self._told = float("-inf")
        self._step: Step | None = None
        self._step_began = 0.0
        self._steps: dict[Step, float] = {}

    @property
    def steps(self) -> Mapping[Step, float]:
        """Seconds that this attempt has spent in each step so far."""
        self._enter(self._step)
        return self._steps

    @property
    def problem(self) -> JobProblem | None:
        """Why the job failed; None unless it did."""
        return self._last.problem

    @property
    def is_over(self) -> bool:
        """Whether the job has ended already."""
        return _is_over(self._last)

    def __call__(self, step: Step, progress: float) -> None:
        """Tell how far the job is, in [0, 1]; less than was told before counts as that."""
        progress = max(min(progress, 1.0), self._last.progress)
        known = self._last.state == "running" and self._last.step == step
        is_news = progress - self._last.progress >= _SMALLEST_STEP
        if not known or (is_news and self._clock() - self._told >= _SHORTEST_PAUSE):
            found = self._last.found
            self._tell(
                JobEvent(job=self._job, state="running", step=step, progress=progress, found=found)
            )

    def show(self, found: Annotation) -> None:
        """Tell what is known so far of the drawing that is being read."""
        self._tell(msgspec.structs.replace(self._last, found=found))

    def finish(self) -> None:
        """Tell that the job is done."""
        self._tell(JobEvent(job=self._job, state="done", step="done", progress=1.0))

    def fail(self, problem: JobProblem) -> None:
        """Tell that the job failed, and why."""
        failed = msgspec.structs.replace(self._last, state="failed", problem=problem, found=None)
        self._tell(failed)

    @property
    def _job(self) -> str:
        return self._last.job

    def _enter(self, step: Step | None) -> None:
        now = self._clock()
        if self._step is not None:
            spent = self._steps.get(self._step, 0.0)
            self._steps[self._step] = spent + now - self._step_began
        self._step, self._step_began = step, now

    def _tell(self, event: JobEvent) -> None:
        self._enter(event.step if event.state == "running" else None)
        self._last, self._told = event, self._clock()
        self._events.tell(event)


class JobFollower:
    """Follows jobs on an event loop."""

    def __init__(
        self, connect: Callable[[], AsyncRedis], is_accepted: Callable[[str], bool]
    ) -> None:
        """Prepare to follow.

        Args:
            connect: makes a client.
            is_accepted: whether a job that Redis does not know was accepted and lost there, and
                will be handed in again; called in a thread.
        """
        self._connect = connect
        self._is_accepted = is_accepted

    async def __call__(self, job: str) -> AsyncIterator[JobEvent]:
        """Yield the last event at once, then each new one; end after done or failed.

        A server that is away is waited for, up to 30 s; then the news end without an end.

        Raises:
            NotFound: when there is no such job.
        """
        last: JobEvent | None = None
        reached = time.monotonic()
        while time.monotonic() - reached < _OUTAGE:
            try:
                async for event in self._listen(job):
                    reached = time.monotonic()
                    if last is None or _is_news(event, last):
                        last = event
                        yield event
                    if _is_over(event):
                        return
            except UNREACHABLE:
                await asyncio.sleep(_LOOK_AGAIN / 4)
            except NotFound:
                if not await self._will_come_back(job):
                    raise
                reached = time.monotonic()
                if last is None:
                    last = waiting(job)
                    yield last
                await asyncio.sleep(_LOOK_AGAIN)

    async def _will_come_back(self, job: str) -> bool:
        """Whether a job that Redis does not know will be handed in again."""
        try:
            return await asyncio.to_thread(self._is_accepted, job)
        except StorageUnavailable:
            return True  # nobody can say just now

    async def _listen(self, job: str) -> AsyncIterator[JobEvent]:
        """Events as they come; a channel may lose some, so the kept one is read now and then."""
        async with self._connect() as client, client.pubsub() as channel:
            await channel.subscribe(_name(job))
            yield _decode(await client.get(_name(job)))
            while True:
                message = await channel.get_message(
                    ignore_subscribe_messages=True, timeout=_LOOK_AGAIN
                )
                data = message["data"] if message else await client.get(_name(job))
                yield _decode(data)


def _name(job: str) -> str:
    return f"animator:job:{job}"


def _decode(data: bytes | None) -> JobEvent:
    if data is None:
        msg = "There is no such job."
        raise NotFound(msg)
    return msgspec.json.decode(data, type=JobEvent)


def _is_over(event: JobEvent) -> bool:
    return event.state in ("done", "failed")


def _is_news(event: JobEvent, last: JobEvent) -> bool:
    return event != last and (event.progress >= last.progress or _is_over(event))
