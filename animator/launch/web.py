"""The web process: the page and its API on uvicorn."""

import functools

import uvicorn

from animator.api.app import create_app
from animator.api.services import ApiLimits, ApiServices
from animator.jobs.connection import connect, connect_async
from animator.jobs.progress import JobFollower
from animator.jobs.queue import JobQueue
from animator.motion import list_motions
from animator.settings import Settings
from animator.store import FileBlobs, FileDocuments

__all__ = ("gather_services", "run_web")

_REDIS_PATIENCE = 10.0
_LAST_ANSWERS = 1
"""Seconds that open streams are given when the server stops."""


def run_web(settings: Settings) -> None:
    """Serve the page and the API until SIGTERM."""
    config = uvicorn.Config(
        create_app(gather_services(settings)),
        host=settings.host,
        port=settings.port,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_LAST_ANSWERS,
    )
    uvicorn.Server(config).run()


def gather_services(settings: Settings) -> ApiServices:
    """All that the API works with."""
    return ApiServices(
        documents=FileDocuments(settings.documents_dir),
        blobs=FileBlobs(settings.blobs_dir),
        queue=JobQueue(connect(settings.redis, patience=_REDIS_PATIENCE), settings.job_timeout),
        follow=JobFollower(functools.partial(connect_async, settings.redis)),
        motions=list_motions(),
        web_folder=settings.web_dir,
        limits=ApiLimits(upload_bytes=settings.upload_bytes),
    )
