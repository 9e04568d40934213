"""Tasks that end badly, and some that are counted."""

import logging
import os
import signal
import time

from rq import get_current_job
from rq.job import Job

from animator.core.errors import NoFigureFound
from animator.core.job import problem_from_error
from animator.core.tracing import outgoing, part
from animator.jobs.accounts import Accounts
from animator.jobs.progress import JobEvents, JobProgress


def raise_error(_job: str) -> None:
    msg = "secret details"
    raise ZeroDivisionError(msg)


def die(_job: str) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def stop_its_worker(_job: str) -> None:
    """Has the worker told to stop in the middle of this.

    A thread of the test could do so, too, but no fork is safe beside one that speaks to Redis.
    """
    time.sleep(0.2)
    os.kill(os.getppid(), signal.SIGTERM)
    time.sleep(600)


def find_nobody(job: str) -> None:
    """Takes two steps, then tells that it found no figure."""
    progress = _progress(job)
    progress("reading", 0.1)
    time.sleep(0.03)
    progress("detecting", 0.2)
    progress.fail(problem_from_error(NoFigureFound("There is no figure.")))
    _accounts().attempted(progress)


def stop_half_way(job: str) -> None:
    """Leaves after its first step, as what breaks does."""
    progress = _progress(job)
    progress("reading", 0.1)
    _accounts().attempted(progress)


def sign(_job: str) -> None:
    """Keeps what a line of the log would carry."""
    record = logging.getLogger("any").makeRecord("any", logging.INFO, "file", 1, "text", (), None)
    _at_work().connection.set("signed", f"{vars(record)['job']} {vars(record)['task']}")


def show_origin(_job: str) -> None:
    """Keeps whose request a line of the log would name, and what would go along with a call."""
    record = logging.getLogger("any").makeRecord("any", logging.INFO, "file", 1, "text", (), None)
    with part("step"):
        headers = outgoing()
        told = f"{vars(record).get('request_id')} {headers.get('traceparent')}"
    _at_work().connection.set("origin", told)


def count(job: str) -> None:
    """Notes that it was done."""
    _at_work().connection.hincrby("done", job, 1)


def _progress(job: str) -> JobProgress:
    events = JobEvents(_at_work().connection)
    return JobProgress(events, events.last(job))


def _accounts() -> Accounts:
    return Accounts(_at_work().connection)


def _at_work() -> Job:
    job = get_current_job()
    assert job is not None
    return job
