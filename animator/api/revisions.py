"""Revisions of annotations: told as an entity tag, asked for in `If-Match`, stored if they follow.

A change that leaves something of a figure to be found is stored together with the job that finds
it.
"""

from contextlib import suppress
from typing import Annotated, Any, TypeAlias

import msgspec
from litestar import Response
from litestar.datastructures import ResponseHeader
from litestar.params import HeaderParameter

from animator.api.services import ApiServices
from animator.core.annotation import Annotation
from animator.core.errors import Conflict, JobFailed, NotFound, UnknownRevision
from animator.core.job import new_job

__all__ = ("MOST_BYTES", "TAGGED", "ChangedRevision", "KnownRevision", "respond", "save", "take_up")

_CACHE = "private, no-cache"
"""It may be kept, but must be asked for again each time."""

MOST_BYTES = 4_000_000
"""Of a change; twenty figures of a photo of 12 megapixels are a fifth of that."""

TAGGED = (
    ResponseHeader(
        name="ETag", documentation_only=True, description="the revision, in quotes", required=True
    ),
)
"""What is told of the headers of an answer with a revision."""

ChangedRevision: TypeAlias = Annotated[
    str, HeaderParameter(name="If-Match", description="ETag of the revision that is changed")
]
"""How a route asks which revision a request changes; empty when it does not say."""

KnownRevision: TypeAlias = Annotated[
    str, HeaderParameter(name="If-None-Match", description="ETag of the revision that is known")
]
"""How a route asks which revision a client has; empty when it does not say."""


def respond(annotation: Annotation, status: int = 200, known: str = "") -> Response[Any]:
    """An annotation with its tag; nothing but the tag when the client knows this revision."""
    tag = _tag_of(annotation)
    headers = {"ETag": tag, "Cache-Control": _CACHE}
    if tag in _tags(known):
        return Response(None, status_code=304, headers=headers)
    return Response(annotation, status_code=status, headers=headers)


def take_up(services: ApiServices, drawing_id: str, changed: str) -> Annotation:
    """The stored annotation, when it is the one that is to be changed.

    changed: the header `If-Match`.

    Raises:
        NotFound: when the drawing was not annotated yet.
        UnknownRevision: when the request does not say which revision it changes.
        Conflict: when that is not the stored one.
    """
    annotation = services.documents.get(Annotation, drawing_id)
    tags = _tags(changed)
    if not tags:
        msg = 'Name the revision that you change, as its ETag says: If-Match: "3".'
        raise UnknownRevision(msg)
    if not tags & {_tag_of(annotation), "*"}:
        msg = "The figures were changed by someone else in the meantime."
        raise Conflict(msg)
    return annotation


def save(
    services: ApiServices, drawing_id: str, before: Annotation, after: Annotation
) -> Annotation:
    """Store the revision that follows, with the job that finds what its figures lack.

    Raises:
        Conflict: when another one was stored in the meantime.
        NotFound: when the drawing is gone.
        JobFailed: when a job is needed and none is taken; the figures are as before then.
    """
    after = msgspec.structs.replace(after, job=_choose_job(services, drawing_id, before, after))
    services.documents.put(drawing_id, after)
    if after.job is not None and after.job != before.job:
        try:
            services.queue.enqueue_completion(after.job, drawing_id)
        except JobFailed:
            undone = msgspec.structs.replace(before, revision=after.revision + 1)
            with suppress(Conflict, NotFound):
                services.documents.put(drawing_id, undone)
            raise
    return after


def _choose_job(
    services: ApiServices, drawing_id: str, before: Annotation, after: Annotation
) -> str | None:
    """None when nothing lacks; the job that is at it, for it does not end before nothing lacks."""
    if not after.is_pending:
        return None
    if before.job is not None:
        with suppress(NotFound):
            if services.queue.last_event(before.job).state in ("queued", "running"):
                return before.job
    return new_job(drawing_id)


def _tag_of(annotation: Annotation) -> str:
    return f'"{annotation.revision}"'


def _tags(header: str) -> set[str]:
    """The tags that a header names; weak ones keep their mark, so they match none of ours."""
    return {tag.strip() for tag in header.split(",")} - {""}
