"""What the API needs from outside: stores, the queue, news of jobs, motions, limits."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeAlias

from litestar.di import NamedDependency
from litestar.params import SkipValidation

from animator.core.job import JobEvent
from animator.core.motion import MotionInfo
from animator.store import BlobStore, DocumentStore
from animator.store.keys import ApiKey

__all__ = (
    "Access",
    "ApiLimits",
    "ApiServices",
    "JobFollower",
    "JobQueue",
    "RequestCounter",
    "Services",
)


class JobQueue(Protocol):
    """Work outside the request; the caller names the job, so its document can be stored first."""

    def enqueue_annotation(self, job: str, drawing: str) -> None:
        """Have a drawing read and annotated; raises JobFailed when no work is taken."""
        ...

    def enqueue_completion(self, job: str, drawing: str) -> None:
        """Have what figures lack be found; raises JobFailed when no work is taken."""
        ...

    def enqueue_animation(self, job: str, animation: str) -> None:
        """Have an animation made; raises JobFailed when no work is taken."""
        ...

    def enqueue_previews(self, job: str, animation: str) -> None:
        """Have one made when there is nothing else to do; raises JobFailed likewise."""
        ...

    def enqueue_motion(self, job: str, motion: str) -> None:
        """Have a motion file read; raises JobFailed when no work is taken."""
        ...

    def last_event(self, job: str) -> JobEvent:
        """Where the job stands; raises NotFound."""
        ...


class RequestCounter(Protocol):
    """Counts over all web processes."""

    async def __call__(self, name: str, seconds: int) -> int | None:
        """One more of a name: how many in these seconds now; None when nobody can count."""
        ...

    async def close(self) -> None:
        """Count no more."""
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
        keep_days: days for which a drawing is kept; 0: until it is deleted.
        uploads_a_minute: pictures that one client may hand in; 0: without limit.
        animations_a_minute: animations that one client may ask for; 0: without limit.
        requests_a_minute: other requests of one client; 0: without limit.
        heartbeat: seconds of silence after which an event stream says that it lives, > 0.
    """

    upload_bytes: int = 20 * 1024 * 1024
    keep_days: int = 0
    uploads_a_minute: int = 0
    animations_a_minute: int = 0
    requests_a_minute: int = 0
    heartbeat: float = 10.0

    @property
    def keep_seconds(self) -> int:
        """Seconds for which a drawing is kept; 0: until it is deleted."""
        return self.keep_days * 24 * 3600

    def expiry(self, now: float) -> float | None:
        """When what is handed in now is forgotten, seconds since 1970; None: not by itself."""
        return now + self.keep_seconds if self.keep_seconds else None


def know_no_key(_: str) -> ApiKey | None:
    """There are no keys."""
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Who may do what.

    Attributes:
        anonymous: whether those without a key may hand in and change things.
        origins: other origins whose pages may use the API, such as "https://example.org".
        find_key: whose key it is; None: nobody's.
    """

    anonymous: bool = True
    origins: tuple[str, ...] = ()
    find_key: Callable[[str], ApiKey | None] = know_no_key


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
        access: who may do what.
        count: counts requests; None: nobody counts them.
        learning: whether consent to learn from a drawing is taken.
        draining: set when others should be asked instead; all is still answered.
        stopping: set when the server is about to stop, so that open streams end.
    """

    documents: DocumentStore
    blobs: BlobStore
    queue: JobQueue
    follow: JobFollower
    motions: tuple[MotionInfo, ...]
    web_folder: Path
    limits: ApiLimits = field(default_factory=ApiLimits)
    access: Access = field(default_factory=Access)
    count: RequestCounter | None = None
    learning: bool = False
    draining: asyncio.Event = field(default_factory=asyncio.Event)
    stopping: asyncio.Event = field(default_factory=asyncio.Event)


Services: TypeAlias = NamedDependency[SkipValidation[ApiServices]]
"""How a route asks for the services: by a parameter called `services`."""
