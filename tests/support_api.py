"""The API over plain dictionaries: doubles of stores, queue and news for tests."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from litestar import Litestar

from animator.api import Access, ApiLimits, ApiServices, create_app
from animator.api.app import state_of
from animator.api.services import RequestCounter
from animator.core.animation import Animation, AnimationFormat
from animator.core.annotation import Annotation, FigureAnnotation
from animator.core.documents import (
    AcceptedJob,
    AnimationDocument,
    AnimationRequest,
    Consent,
    DrawingDocument,
    MotionDocument,
    Ownership,
    Share,
)
from animator.core.errors import Conflict, JobFailed, NotFound
from animator.core.geometry import Box
from animator.core.job import JobEvent
from animator.core.mask import Mask, run_lengths_from_mask
from animator.core.motion import MotionInfo
from animator.core.rigging import lay_out
from animator.store import Document, OpenBlob

WEB_FOLDER = Path(__file__).parents[1] / "web"

MOTIONS = tuple(
    MotionInfo(name=name, title=name.title(), tags=(), duration=2.0, fps=30.0, loop=True)
    for name in ("wave", "jump", "dance")
)


GIF = b"GIF89a\1\0\1\0\0\0\0,\0\0\0\0\1\0\1\0\0\2\2D\1\0;"
"""One pixel."""

FULL = run_lengths_from_mask(Mask(np.ones((20, 20), np.bool_)))
"""A mask of a box of 20 x 20 pixels."""


@dataclass
class MemoryDocuments:
    documents: dict[tuple[type, str], Any] = field(default_factory=dict)

    def get(self, kind: type[Document], id: str) -> Document:
        try:
            found: Document = self.documents[kind, id]
        except KeyError:
            msg = f"There is no {kind.__name__} {id}."
            raise NotFound(msg) from None
        return found

    def get_all(self, kind: type[Document], ids: Sequence[str]) -> tuple[Document, ...]:
        return tuple(self.documents[kind, id] for id in ids if (kind, id) in self.documents)

    def put(self, id: str, document: Document) -> None:
        if isinstance(document, Ownership):
            known = self.find_upload(document.owner, document.sha256)
            if known not in (None, id):
                msg = "This picture was handed in already."
                raise Conflict(msg)
        stored = self.documents.get((Annotation, id))
        expected = 0 if stored is None else stored.revision + 1
        if isinstance(document, Annotation) and document.revision != expected:
            msg = "It was changed meanwhile."
            raise Conflict(msg)
        self.documents[type(document), id] = document

    def delete(self, kind: type[Any], id: str) -> None:
        self.documents.pop((kind, id), None)
        if kind is DrawingDocument:
            self.documents.pop((Annotation, id), None)
            self.documents.pop((Consent, id), None)
            self.documents.pop((Ownership, id), None)
            for animation in self.animations_of(id):
                self.delete(AnimationDocument, animation.id)
        if kind is AnimationDocument:
            for share in self.shares_of(id):
                self.delete(Share, share.id)

    def animations_of(self, drawing: str) -> tuple[AnimationDocument, ...]:
        return tuple(
            document
            for document in self.documents.values()
            if isinstance(document, AnimationDocument) and document.drawing == drawing
        )

    def shares_of(self, animation: str) -> tuple[Share, ...]:
        return tuple(
            document
            for document in self.documents.values()
            if isinstance(document, Share) and document.animation == animation
        )

    def drawings_of(self, owner: str) -> tuple[str, ...]:
        found = [
            (document.created, id)
            for (_, id), document in self.documents.items()
            if isinstance(document, Ownership) and document.owner == owner
        ]
        return tuple(id for _, id in sorted(found, reverse=True))

    def motions_of(self, owner: str) -> tuple[MotionDocument, ...]:
        return tuple(
            document
            for document in self.documents.values()
            if isinstance(document, MotionDocument) and document.owner == owner
        )

    def find_upload(self, owner: str, sha256: str) -> str | None:
        found = (
            id
            for (_, id), document in self.documents.items()
            if isinstance(document, Ownership)
            and (document.owner, document.sha256) == (owner, sha256)
        )
        return next(found, None)

    def knows(self, id: str) -> bool:
        return any(known == id for _, known in self.documents)

    def expired(self, now: float) -> tuple[str, ...]:
        return tuple(
            document.id
            for document in self.documents.values()
            if isinstance(document, DrawingDocument)
            and document.expires is not None
            and document.expires <= now
        )

    def expired_motions(self, now: float) -> tuple[str, ...]:
        return tuple(
            document.id
            for document in self.documents.values()
            if isinstance(document, MotionDocument)
            and document.expires is not None
            and document.expires <= now
        )

    def consents(self) -> tuple[str, ...]:
        return tuple(sorted(id for kind, id in self.documents if kind is Consent))

    def accepted(self) -> tuple[str, ...]:
        return tuple(sorted(id for kind, id in self.documents if kind is AcceptedJob))

    def tidy(self, before: float) -> None:
        """Nothing is left half done here."""


@dataclass
class MemoryBlobs:
    blobs: dict[str, bytes] = field(default_factory=dict)

    def get(self, name: str) -> bytes:
        try:
            return self.blobs[name]
        except KeyError:
            msg = f"There is no file {name}."
            raise NotFound(msg) from None

    def put(self, name: str, data: bytes) -> None:
        self.blobs[name] = data

    def put_file(self, name: str, file: Path) -> None:
        self.put(name, file.read_bytes())

    def open(self, name: str) -> OpenBlob:
        data = self.get(name)
        return OpenBlob(len(data), lambda part: iter((data[part.start : part.stop],)))

    def delete(self, name: str) -> None:
        self.blobs.pop(name, None)

    def written_before(self, instant: float) -> tuple[str, ...]:
        return tuple(self.blobs)


@dataclass
class MemoryJobs:
    """Queue and news in one: the test says what happens."""

    queued: list[tuple[str, str]] = field(default_factory=list)
    later: list[str] = field(default_factory=list)
    events: dict[str, list[JobEvent]] = field(default_factory=dict)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    is_away: bool = False

    def enqueue_annotation(self, job: str, drawing: str) -> None:
        self._enqueue(job, drawing)

    def enqueue_completion(self, job: str, drawing: str) -> None:
        self._enqueue(job, drawing)

    def enqueue_animation(self, job: str, animation: str) -> None:
        self._enqueue(job, animation)

    def enqueue_previews(self, job: str, animation: str) -> None:
        self._enqueue(job, animation)
        self.later.append(animation)

    def enqueue_motion(self, job: str, motion: str) -> None:
        self._enqueue(job, motion)

    def _enqueue(self, job: str, subject: str) -> None:
        if self.is_away:
            msg = "The queue is away."
            raise JobFailed(msg)
        self.queued.append((job, subject))
        self.report(JobEvent(job=job, state="queued", step="waiting", progress=0.0))

    def report(self, event: JobEvent) -> None:
        self.events.setdefault(event.job, []).append(event)
        self.changed.set()

    def last_event(self, job: str) -> JobEvent:
        if job not in self.events:
            msg = f"There is no job {job}."
            raise NotFound(msg)
        return self.events[job][-1]

    async def follow(self, job: str) -> AsyncIterator[JobEvent]:
        seen = len(self.events[job]) - 1
        while True:
            while seen < len(self.events[job]):
                event = self.events[job][seen]
                seen += 1
                yield event
                if event.state in {"done", "failed"}:
                    return
            self.changed.clear()
            await self.changed.wait()


@dataclass
class MemoryServices:
    """Everything behind the API, at the hand of a test."""

    documents: MemoryDocuments = field(default_factory=MemoryDocuments)
    blobs: MemoryBlobs = field(default_factory=MemoryBlobs)
    jobs: MemoryJobs = field(default_factory=MemoryJobs)
    limits: ApiLimits = field(default_factory=ApiLimits)
    access: Access = field(default_factory=Access)
    count: RequestCounter | None = None
    learning: bool = False
    web_folder: Path = WEB_FOLDER

    def as_services(self) -> ApiServices:
        return ApiServices(
            documents=self.documents,
            blobs=self.blobs,
            queue=self.jobs,
            follow=self.jobs.follow,
            motions=MOTIONS,
            web_folder=self.web_folder,
            limits=self.limits,
            access=self.access,
            count=self.count,
            learning=self.learning,
        )


@cache
def _app_with(origins: tuple[str, ...], upload_bytes: int) -> Litestar:
    limits = ApiLimits(upload_bytes=upload_bytes)
    return create_app(MemoryServices(limits=limits, access=Access(origins=origins)).as_services())


def app_over(services: ApiServices) -> Litestar:
    """An app like `create_app`'s, over its own services, for one client at a time: only routes are
    shared, since putting them together takes longer than most tests."""
    app = copy(_app_with(services.access.origins, services.limits.upload_bytes))
    app.state = state_of(services)
    return app


def put_drawing(memory: MemoryServices, figures: int = 1) -> DrawingDocument:
    """Store a drawing that has been read, with some figures, each a full box."""
    drawing = DrawingDocument(
        id="drawing", name="Max.png", upload="upload", job="job", created=0.0, width=40, height=30
    )
    memory.documents.put(drawing.id, drawing)
    found = tuple(
        FigureAnnotation(
            id=f"f{i}",
            box=Box(1.0, 2.0, 21.0, 22.0),
            mask=FULL,
            skeleton=lay_out("biped", (0.0, 0.0, 20.0, 20.0)),
        )
        for i in range(figures)
    )
    memory.documents.put(drawing.id, Annotation(width=40, height=30, figures=found))
    return drawing


def put_animation(memory: MemoryServices, drawing: str) -> AnimationDocument:
    """Store a finished animation of a drawing, ten bytes a file."""
    files = tuple(
        Animation(
            blob=f"animation.{format}", format=format, width=64, height=48, fps=30.0, frame_count=2
        )
        for format in AnimationFormat
    )
    for file in files:
        memory.blobs.put(file.blob, b"0123456789")
    animation = AnimationDocument(
        id="animation",
        drawing=drawing,
        request=AnimationRequest(motion="wave"),
        job="animation-job",
        created=1.0,
        files=files,
    )
    memory.documents.put(animation.id, animation)
    return animation
