"""Storing an upload: a drawing of its owner, the job that reads it, and the same only once."""

import hashlib
import secrets
import time

import msgspec

from animator.api.owners import Owner
from animator.api.services import ApiServices
from animator.api.uploads import Upload
from animator.core.documents import DrawingDocument, Ownership
from animator.core.errors import Conflict, JobFailed, NotFound, StorageUnavailable
from animator.core.job import new_job
from animator.core.metadata import strip_metadata
from animator.store import forget_drawing

__all__ = ("store_upload",)


def store_upload(
    services: ApiServices, owner: Owner, upload: Upload
) -> tuple[DrawingDocument, bool]:
    """The drawing of an upload, and whether it is a new one.

    Raises:
        JobFailed: when no work is taken.
        StorageUnavailable: when nothing can be kept.
    """
    sha256 = hashlib.sha256(upload.data).hexdigest()
    known = services.documents.find_upload(owner.id, sha256)
    if known is not None:
        drawing = services.documents.get(DrawingDocument, known)
        return _read_again(services, drawing, upload, owner), False
    drawing = _describe(services, upload)
    try:
        _hand_in(services, drawing, upload, owner)
    except Conflict:  # it was handed in twice at the same instant
        forget_drawing(services.documents, services.blobs, drawing.id)
        return store_upload(services, owner, upload)
    except (JobFailed, StorageUnavailable):
        forget_drawing(services.documents, services.blobs, drawing.id)
        raise
    return drawing, True


def _hand_in(services: ApiServices, drawing: DrawingDocument, upload: Upload, owner: Owner) -> None:
    _store_picture(services, drawing, upload)
    services.documents.put(drawing.id, drawing)
    sha256 = hashlib.sha256(upload.data).hexdigest()
    ownership = Ownership(owner=owner.id, sha256=sha256, created=drawing.created)
    services.documents.put(drawing.id, ownership)
    services.queue.enqueue_annotation(drawing.job, drawing.id)


def _describe(services: ApiServices, upload: Upload) -> DrawingDocument:
    id, now = secrets.token_urlsafe(16), time.time()
    return DrawingDocument(
        id=id,
        name=upload.name,
        upload=f"{id}.upload",
        job=new_job(id),
        created=now,
        expires=services.limits.expiry(now),
    )


def _store_picture(services: ApiServices, drawing: DrawingDocument, upload: Upload) -> None:
    """Store the picture without what else its file told, such as where it was taken.

    Where that cannot be done without decoding it, the job that reads it does so.
    """
    services.blobs.put(drawing.upload, strip_metadata(upload.data) or upload.data)


def _read_again(
    services: ApiServices, drawing: DrawingDocument, upload: Upload, owner: Owner
) -> DrawingDocument:
    """A drawing that is known; one whose job failed gets another, for that may have passed.

    So does one that was handed in by half, of which it may not be noted yet whose it is.
    """
    if drawing.picture is not None or not _has_failed(services, drawing.job):
        return drawing
    drawing = msgspec.structs.replace(drawing, job=new_job(drawing.id))
    _hand_in(services, drawing, upload, owner)
    return drawing


def _has_failed(services: ApiServices, job: str) -> bool:
    try:
        return services.queue.last_event(job).state == "failed"
    except NotFound:
        return True
