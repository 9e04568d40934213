"""The process of one job worker."""

import logging
import socket
import sys

import redis.exceptions
from redis import Redis

import animator.jobs.tasks
from animator.jobs.chores import Chores
from animator.jobs.connection import connect, connect_once
from animator.jobs.worker import JobWorker, count_live_workers
from animator.launch.rehearsal import rehearse
from animator.launch.watching import follow_work
from animator.settings import Settings
from serving.workers.memory import keep_freed_memory

__all__ = ("TASKS", "check_worker", "run_worker")

TASKS = animator.jobs.tasks
"""Imported before the first job: each job runs in a fork, and has all its libraries at once."""

_REDIS_PATIENCE = 20.0

logger = logging.getLogger(__name__)


def run_worker(settings: Settings) -> None:
    """Work on jobs until SIGTERM."""
    # Pictures are large: a third of the time of outlining went into taking their memory anew.
    keep_freed_memory()
    client = connect(settings.redis, patience=_REDIS_PATIENCE)
    _greet(settings, client)
    JobWorker(client, Chores(client).walk, _get_ready, follow_work(settings, "worker")).work()


def _greet(settings: Settings, client: Redis) -> None:
    """Wait for Redis, and say so; exit with 1 when it does not come."""
    away = (redis.exceptions.ConnectionError, redis.exceptions.TimeoutError)
    try:
        with connect_once(settings.redis) as first:
            first.ping()
    except away as error:
        logger.warning("Redis does not answer: %s Is redis_url right? Waiting for it.", error)
        try:
            client.ping()
        except away:
            logger.error("Redis did not come within %.0f s.", _REDIS_PATIENCE)
            sys.exit(1)


def _get_ready() -> None:
    """What every job would have to do first, done once: each runs in a fork of this process."""
    TASKS.open_workshop()
    rehearse()


def check_worker(settings: Settings) -> None:
    """Exit with 1 unless a job worker on this machine is alive."""
    with connect(settings.redis, patience=1.0) as client:
        sys.exit(0 if count_live_workers(client, socket.gethostname()) else 1)
