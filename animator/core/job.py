"""Jobs as the outside sees them: where the work stands, and how it ended."""

import secrets
from typing import Literal

import msgspec

from animator.core.annotation import Annotation
from animator.core.errors import AnimatorError, Page

__all__ = (
    "STEPS",
    "JobEvent",
    "JobProblem",
    "JobState",
    "Step",
    "new_job",
    "problem_from_error",
    "subject_of",
    "waiting",
)

JobState = Literal["queued", "running", "done", "failed"]

Step = Literal[
    "waiting", "reading", "detecting", "outlining", "rigging", "moving", "drawing", "done"
]

STEPS: tuple[Step, ...] = (
    "waiting",
    "reading",
    "detecting",
    "outlining",
    "rigging",
    "moving",
    "drawing",
    "done",
)
"""The steps in the order in which a job walks through them; a job may skip some."""


class JobProblem(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why a job failed.

    Attributes:
        code: stable name, see `animator.core.errors`.
        message: one sentence for the user.
        page: the page on which the user can mend it.
        about: names of the things that it is about, such as missing parts of a body.
    """

    code: str
    message: str
    page: Page = "upload"
    about: tuple[str, ...] = ()


class JobEvent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The state of a job at one instant; the last one is kept.

    Attributes:
        job: id of the job.
        state: queued, running, done or failed; the last two end it.
        step: what is being done.
        progress: share of the whole job that is done, in [0, 1]; never falls while it runs.
        problem: set when failed, and only then.
        found: what is known so far of a drawing that is being read; figures lack what is yet to be
            found. None where nothing is known, and in the end, when the annotation is there.
    """

    job: str
    state: JobState
    step: Step
    progress: float
    problem: JobProblem | None = None
    found: Annotation | None = None


def waiting(job: str) -> JobEvent:
    """The first event of a job."""
    return JobEvent(job=job, state="queued", step="waiting", progress=0.0)


def problem_from_error(error: AnimatorError) -> JobProblem:
    """What the user is told of an error."""
    return JobProblem(code=error.code, message=error.message, page=error.page, about=error.about)


def new_job(subject: str) -> str:
    """An id for a job about a thing, such as a drawing: whose the thing is, his is the job."""
    return f"{subject}-{secrets.token_hex(8)}"


def subject_of(job: str) -> str:
    """Id of the thing that a job is about; an empty word where the id names none."""
    return job.rpartition("-")[0]
