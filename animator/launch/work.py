"""The process of one job worker."""

import socket
import sys

import animator.jobs.tasks
from animator.jobs.chores import Chores
from animator.jobs.connection import connect
from animator.jobs.worker import JobWorker, count_live_workers
from animator.launch.rehearsal import rehearse
from animator.launch.watching import follow_work
from animator.settings import Settings
from serving.workers.memory import keep_freed_memory

__all__ = ("TASKS", "check_worker", "run_worker")

TASKS = animator.jobs.tasks
"""Imported before the first job: each job runs in a fork, and has all its libraries at once."""

_REDIS_PATIENCE = 20.0


def run_worker(settings: Settings) -> None:
    """Work on jobs until SIGTERM."""
    # Pictures are large: a third of the time of outlining went into taking their memory anew.
    keep_freed_memory()
    client = connect(settings.redis, patience=_REDIS_PATIENCE)
    JobWorker(client, Chores(client).walk, _get_ready, follow_work(settings, "worker")).work()


def _get_ready() -> None:
    """What every job would have to do first, done once: each runs in a fork of this process."""
    TASKS.open_workshop()
    rehearse()


def check_worker(settings: Settings) -> None:
    """Exit with 1 unless a job worker on this machine is alive."""
    with connect(settings.redis, patience=1.0) as client:
        sys.exit(0 if count_live_workers(client, socket.gethostname()) else 1)
