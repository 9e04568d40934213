import asyncio
from collections.abc import AsyncIterator
from itertools import pairwise

import msgspec
from litestar import Litestar
from litestar.response import ServerSentEventMessage
from litestar.testing import TestClient

from animator.api.jobs import stream_events
from animator.core.job import JobEvent, JobProblem, JobState, Step
from tests.support_api import MemoryJobs, MemoryServices, put_drawing

Client = TestClient[Litestar]


def event(state: JobState, step: Step, progress: float) -> JobEvent:
    return JobEvent(job="drawing-j", state=state, step=step, progress=progress)


def read_stream(body: str) -> list[JobEvent]:
    lines = [line for line in body.splitlines() if line.startswith("data: ")]
    return [msgspec.json.decode(line.removeprefix("data: "), type=JobEvent) for line in lines]


def test_job_shows_its_last_state(client: Client, memory: MemoryServices) -> None:
    put_drawing(memory)
    memory.jobs.report(event("queued", "waiting", 0.0))
    memory.jobs.report(event("running", "reading", 0.1))
    assert client.get("/api/jobs/drawing-j").json()["step"] == "reading"


def test_unknown_job_is_not_found(client: Client) -> None:
    for address in ("/api/jobs/nope", "/api/jobs/nope/events"):
        response = client.get(address)
        assert (response.status_code, response.json()["code"]) == (404, "not_found")


def test_stream_of_a_finished_job_gives_its_end_and_ends(
    client: Client, memory: MemoryServices
) -> None:
    put_drawing(memory)
    problem = JobProblem(code="no_figure_found", message="No figure.")
    end = JobEvent(job="drawing-j", state="failed", step="detecting", progress=0.3, problem=problem)
    memory.jobs.report(event("running", "reading", 0.1))
    memory.jobs.report(end)
    response = client.get("/api/jobs/drawing-j/events")
    assert response.headers["Content-Type"].startswith("text/event-stream")
    assert response.headers["X-Accel-Buffering"] == "no"
    assert read_stream(response.text) == [end]


async def test_stream_gives_the_last_state_then_each_change() -> None:
    jobs = MemoryJobs()
    jobs.report(event("queued", "waiting", 0.0))
    jobs.report(event("running", "reading", 0.1))
    messages = stream_events(jobs.follow("drawing-j"), heartbeat=60, stopping=asyncio.Event())
    told = [decode(await anext(messages))]
    jobs.report(event("running", "detecting", 0.4))
    told.append(decode(await anext(messages)))
    jobs.report(event("done", "done", 1.0))
    told += [decode(message) async for message in messages]
    assert [item.step for item in told] == ["reading", "detecting", "done"]
    assert all(a.progress <= b.progress for a, b in pairwise(told))


async def test_silent_stream_says_that_it_lives() -> None:
    jobs = MemoryJobs()
    jobs.report(event("running", "reading", 0.1))
    messages = stream_events(jobs.follow("drawing-j"), heartbeat=0.01, stopping=asyncio.Event())
    await anext(messages)
    silence = [await anext(messages), await anext(messages)]
    assert all(b"data" not in m.encode() and m.encode().startswith(b": ") for m in silence)
    jobs.report(event("done", "done", 1.0))
    assert [decode(m).step async for m in messages if m.data is not None] == ["done"]


async def test_stream_that_nobody_reads_lets_go_of_its_source() -> None:
    released = asyncio.Event()

    async def follow() -> AsyncIterator[JobEvent]:
        try:
            yield event("running", "reading", 0.1)
            await asyncio.Event().wait()
        finally:
            released.set()

    messages = stream_events(follow(), heartbeat=0.01, stopping=asyncio.Event())
    await anext(messages)
    await anext(messages)
    await messages.aclose()  # type: ignore[attr-defined]
    await asyncio.wait_for(released.wait(), timeout=5)


async def test_stream_ends_when_the_server_stops() -> None:
    jobs, stopping = MemoryJobs(), asyncio.Event()
    jobs.report(event("running", "reading", 0.1))
    messages = stream_events(jobs.follow("drawing-j"), heartbeat=60, stopping=stopping)
    await anext(messages)
    rest = asyncio.ensure_future(anext(messages, None))
    await asyncio.sleep(0)
    stopping.set()
    assert await asyncio.wait_for(rest, timeout=5) is None


def decode(message: ServerSentEventMessage) -> JobEvent:
    assert isinstance(message.data, bytes)
    return msgspec.json.decode(message.data, type=JobEvent)
