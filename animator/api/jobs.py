"""Jobs: where one stands, and a stream of its news."""

import asyncio
from collections.abc import AsyncIterator

import msgspec
from litestar import Controller, get
from litestar.params import FromPath
from litestar.response import ServerSentEvent, ServerSentEventMessage

from animator.api.services import Services
from animator.core.job import JobEvent

__all__ = ("JobController", "stream_events")

_RETRY_MS = 1000


class JobController(Controller):
    """Routes under /api/jobs."""

    path = "/api/jobs"
    tags = ("jobs",)

    @get("/{job_id:str}", sync_to_thread=True)
    def get_job(self, job_id: FromPath[str], services: Services) -> JobEvent:
        """Where a job stands."""
        return services.queue.last_event(job_id)

    @get("/{job_id:str}/events")
    async def follow_job(self, job_id: FromPath[str], services: Services) -> ServerSentEvent:
        """News of a job as server-sent events: the last state at once, then each change.

        The stream ends after `done` or `failed`, and when the server stops; one who comes back gets
        the last state again.
        """
        await asyncio.to_thread(services.queue.last_event, job_id)
        events = services.follow(job_id)
        messages = stream_events(events, services.limits.heartbeat, services.stopping)
        return ServerSentEvent(messages)


async def stream_events(
    events: AsyncIterator[JobEvent], heartbeat: float, stopping: asyncio.Event
) -> AsyncIterator[ServerSentEventMessage]:
    """Turn news into messages, with a comment after each `heartbeat` seconds of silence."""
    pending = asyncio.ensure_future(anext(events, None))
    stop = asyncio.ensure_future(stopping.wait())
    try:
        while not stop.done():
            finished, _ = await asyncio.wait(
                {pending, stop}, timeout=heartbeat, return_when=asyncio.FIRST_COMPLETED
            )
            if not finished:
                yield ServerSentEventMessage(data=None, comment="still here")
                continue
            if pending not in finished or (event := pending.result()) is None:
                return
            yield ServerSentEventMessage(data=msgspec.json.encode(event), retry=_RETRY_MS)
            pending = asyncio.ensure_future(anext(events, None))
    finally:
        pending.cancel()
        stop.cancel()
