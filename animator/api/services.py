"""What the API needs from outside: stores, the queue, news of jobs, motions, limits."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeAlias

from litestar.di import NamedDependency
from litestar.params import SkipValidation

from animator.core.job import JobEvent
from animator.core.motion import MotionInfo
from animator.store import BlobStore, DocumentStore

__all__ = ("ApiLimits", "ApiServices", "JobFollower", "JobQueue", "Services")


class JobQueue(Protocol):
    """Work outside the request; the caller names the job, so its document can be stored first."""

    def enqueue_annotation(self, job: str, drawing: str) -> None:
        """Have a drawing read and annotated; raises JobFailed when no work is taken."""
        ...

    def enqueue_animation(self, job: str, animation: str) -> None:
        """Have an animation made; raises JobFailed when no work is taken."""
        ...

    def last_event(self, job: str) -> JobEvent:
        """Where the job stands; raises NotFound."""
        ...


class JobFollower(Protocol):
    """News of a job, from wherever it stands."""

    def __call__(self, job: str) -> AsyncIterator[JobEvent]:
        """Yield the last event at once, then each new one; end after done or failed."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiLimits:
    """Limits that are checked before anything is stored.

    Attributes:
        upload_bytes: largest upload, bytes, > 0.
        heartbeat: seconds of silence after which an event stream says that it lives, > 0.
    """

    upload_bytes: int = 20 * 1024 * 1024
    heartbeat: float = 10.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ApiServices:
    """All that the API works with; whoever starts the web process fills it in.

    Attributes:
        documents: drawings, annotations and animations.
        blobs: uploads, pictures and finished files.
        queue: takes work, and tells where it stands.
        follow: news of one job.
        motions: the gallery, in the order in which it is shown.
        web_folder: the page's files, served as they are.
        limits: what is refused.
        learning: whether consent to learn from a drawing is taken.
        stopping: set when the server is about to stop, so that open streams end.
    """

    documents: DocumentStore
    blobs: BlobStore
    queue: JobQueue
    follow: JobFollower
    motions: tuple[MotionInfo, ...]
    web_folder: Path
    limits: ApiLimits = field(default_factory=ApiLimits)
    learning: bool = False
    stopping: asyncio.Event = field(default_factory=asyncio.Event)


Services: TypeAlias = NamedDependency[SkipValidation[ApiServices]]
"""How a route asks for the services: by a parameter called `services`."""
