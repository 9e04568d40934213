"""The web process: the page and its API on uvicorn."""

import asyncio
import functools
import logging
import socket
from typing import Any

import uvicorn

from animator.api.app import create_app
from animator.api.services import Access, ApiLimits, ApiServices
from animator.api.watching import watch_requests
from animator.core.tracing import REQUEST_ID, Tracer
from animator.jobs.connection import connect, connect_async
from animator.jobs.progress import JobFollower
from animator.jobs.queue import JobQueue
from animator.launch.watching import follow_work, make_registry, tell_metrics
from animator.motion import list_motions
from animator.settings import Settings
from animator.store import WEB, open_stores
from animator.store.counter import RedisCounter

__all__ = ("gather_services", "run_web")

_REDIS_PATIENCE = 10.0
_LAST_ANSWERS = 1
"""Seconds that requests under way are given when the server stops."""

_LAST_TRACES = 1.0
"""Seconds in which what was followed of them is sent, at most."""


def run_web(settings: Settings) -> None:
    """Serve the page and the API until SIGTERM."""
    services = gather_services(settings)
    _sign_log_lines()
    logging.getLogger("uvicorn.error").addFilter(_is_our_fault)
    registry = make_registry(settings)
    tracer = follow_work(settings, "web")
    config = uvicorn.Config(
        watch_requests(create_app(services), registry, tracer),
        host=settings.host,
        port=settings.port,
        log_config=None,
        access_log=False,
        server_header=False,
        forwarded_allow_ips=settings.trusted_proxies,
        timeout_graceful_shutdown=_LAST_ANSWERS,
    )
    with tell_metrics(settings, registry):
        _Server(config, services, settings.drain_seconds, tracer).run()


def _sign_log_lines() -> None:
    """Let what is logged while a request is answered carry its id."""
    make = logging.getLogRecordFactory()

    def make_signed(*args: Any, **kwargs: Any) -> logging.LogRecord:
        record = make(*args, **kwargs)
        request_id = REQUEST_ID.get()
        if request_id:
            record.request_id = request_id
        return record

    logging.setLogRecordFactory(make_signed)


def _is_our_fault(record: logging.LogRecord) -> bool:
    """Whether a line tells more than that a client hung up before its answer.

    Its connection then refuses to be written to, which Uvicorn takes for a fault of the application
    and tells in forty lines: whoever hangs up often would fill the log.
    """
    error = record.exc_info[1] if record.exc_info else None
    while error is not None:
        if isinstance(error, RuntimeError) and "the handler is closed" in str(error):
            return False
        error = error.__cause__ or error.__context__
    return True


class _Server(uvicorn.Server):
    """Says that it stops before it waits for the requests under way, so that streams end."""

    def __init__(
        self, config: uvicorn.Config, services: ApiServices, drain: float, tracer: Tracer | None
    ) -> None:
        super().__init__(config)
        self._services = services
        self._drain = drain
        self._tracer = tracer

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let proxies turn away, end the streams, stop as ever, then send the last traces."""
        self._services.draining.set()
        await asyncio.sleep(self._drain)
        self._services.stopping.set()
        await super().shutdown(sockets)
        # Uvicorn then sends itself the signal again, which ends this process.
        if self._tracer is not None:
            await asyncio.to_thread(self._tracer.close, _LAST_TRACES)


def gather_services(settings: Settings) -> ApiServices:
    """All that the API works with."""
    stores = open_stores(settings.storage, WEB, settings.key_file)
    stopping = asyncio.Event()
    # The threads of requests under way are waited for at the end.
    client = connect(settings.redis, _REDIS_PATIENCE, stopping.is_set)
    queue = JobQueue(client, settings.job_timeout, settings.job_pauses, stores.documents)
    return ApiServices(
        documents=stores.documents,
        blobs=stores.blobs,
        queue=queue,
        follow=JobFollower(functools.partial(connect_async, settings.redis), queue.is_accepted),
        motions=list_motions(),
        web_folder=settings.web_dir,
        limits=ApiLimits(
            upload_bytes=settings.upload_bytes,
            keep_days=settings.keep_days,
            uploads_a_minute=settings.uploads_a_minute,
            animations_a_minute=settings.animations_a_minute,
            requests_a_minute=settings.requests_a_minute,
        ),
        access=Access(
            anonymous=settings.anonymous,
            origins=settings.origins,
            find_key=stores.keys.find,
        ),
        count=RedisCounter(functools.partial(connect_async, settings.redis)),
        learning=settings.learning,
        stopping=stopping,
    )
