"""The process of one job worker."""

import animator.jobs.tasks
from animator.jobs.connection import connect
from animator.jobs.worker import JobWorker
from animator.settings import Settings

__all__ = ("TASKS", "run_worker")

TASKS = animator.jobs.tasks
"""Imported before the first job: each job runs in a fork, and has all its libraries at once."""

_REDIS_PATIENCE = 20.0


def run_worker(settings: Settings) -> None:
    """Work on jobs until SIGTERM."""
    JobWorker(connect(settings.redis, patience=_REDIS_PATIENCE)).work()
