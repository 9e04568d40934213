"""Accounts: what jobs did and how long it took, kept in Redis until Prometheus asks."""

from collections.abc import Mapping

from redis import Redis
from rq import get_current_job
from rq.job import Job

from animator.jobs.progress import JobProgress
from animator.store.tally import Tallied, Tally

__all__ = ("KINDS", "Accounts", "task_of")

_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0)

KINDS = (
    Tallied("animator_jobs", "Jobs that ended, by what came of them.", ("task", "result")),
    Tallied(
        "animator_job_attempts", "Attempts; after a broken one follows another.", ("task", "result")
    ),
    Tallied("animator_job_wait_seconds", "From handing in to an attempt.", ("task",), _SECONDS),
    Tallied("animator_job_seconds", "An attempt, from beginning to end.", ("task",), _SECONDS),
    Tallied("animator_job_step_seconds", "A step of an attempt.", ("task", "step"), _SECONDS),
    Tallied("animator_sweeps", "Looks for what is over.", ()),
    Tallied("animator_swept", "What was forgotten because its time was over.", ("kind",)),
)
"""All that is counted over the job workers; a result is "done", "broken" or a problem's code."""


class Accounts:
    """Where job workers write down what they did.

    Args:
        client: the Redis that all share.
    """

    def __init__(self, client: Redis) -> None:
        self._tally = Tally(client, KINDS)

    def attempted(self, progress: JobProgress) -> None:
        """Count an attempt at the job at hand, and its end; outside of a job worker nothing."""
        job = get_current_job()
        if job is None:
            return
        task, result = task_of(job), _result(progress)
        entries: list[tuple[str, tuple[str, ...], float]] = [
            ("animator_job_attempts", (task, result), 1),
            ("animator_job_seconds", (task,), sum(progress.steps.values())),
        ]
        for step, seconds in progress.steps.items():
            entries.append(("animator_job_step_seconds", (task, step), seconds))
        if progress.is_over:
            entries.append(("animator_jobs", (task, result), 1))
        if job.enqueued_at is not None and job.started_at is not None:
            wait_s = (job.started_at - job.enqueued_at).total_seconds()
            entries.append(("animator_job_wait_seconds", (task,), max(wait_s, 0.0)))
        self._tally.add(entries)

    def given_up(self, job: Job, result: str) -> None:
        """Count a job of which no further attempt is made."""
        self._tally.add([("animator_jobs", (task_of(job), result), 1)])

    def swept(self, counts: Mapping[str, int]) -> None:
        """Count a sweep, and what it forgot, by its kind."""
        forgotten = [("animator_swept", (kind,), number) for kind, number in counts.items()]
        self._tally.add([("animator_sweeps", (), 1), *forgotten])


def task_of(job: Job) -> str:
    """The name of a job's task, such as "annotate_drawing"."""
    return str(job.func_name).rpartition(".")[2]


def _result(progress: JobProgress) -> str:
    if progress.problem is not None:
        return progress.problem.code
    return "done" if progress.is_over else "broken"
