"""Forgetting: documents and the blobs that they name, together."""

from contextlib import suppress

from animator.core.documents import (
    AnimationDocument,
    DrawingDocument,
    MotionDocument,
    background_blob,
    motion_blob,
)
from animator.core.errors import NotFound
from animator.store.base import BlobStore, DocumentStore

__all__ = ("forget_animation", "forget_drawing", "forget_motion")


def forget_drawing(documents: DocumentStore, blobs: BlobStore, id: str) -> None:
    """Forget a drawing and all that was made of it; one that is not there is no error.

    The files go first: what is left by a fault in between can still be found by its id.
    """
    for animation in documents.animations_of(id):
        _delete_files(blobs, animation)
    blobs.delete(background_blob(id))
    with suppress(NotFound):
        drawing = documents.get(DrawingDocument, id)
        for blob in (drawing.picture, drawing.upload):
            if blob is not None:
                blobs.delete(blob)
    documents.delete(DrawingDocument, id)


def forget_animation(documents: DocumentStore, blobs: BlobStore, id: str) -> None:
    """Forget an animation, its files and its shares; one that is not there is no error."""
    with suppress(NotFound):
        _delete_files(blobs, documents.get(AnimationDocument, id))
    documents.delete(AnimationDocument, id)


def forget_motion(documents: DocumentStore, blobs: BlobStore, id: str) -> None:
    """Forget a motion that was handed in, and its file; one that is not there is no error."""
    blobs.delete(motion_blob(id))
    documents.delete(MotionDocument, id)


def _delete_files(blobs: BlobStore, animation: AnimationDocument) -> None:
    for file in animation.files:
        blobs.delete(file.blob)
