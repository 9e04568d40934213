"""Documents and blobs: what is kept, and where."""

from animator.store.base import BlobStore, Document, DocumentStore
from animator.store.blobs import FileBlobs
from animator.store.files import FileDocuments
from animator.store.forget import forget_animation, forget_drawing, forget_motion

__all__ = (
    "BlobStore",
    "Document",
    "DocumentStore",
    "FileBlobs",
    "FileDocuments",
    "forget_animation",
    "forget_drawing",
    "forget_motion",
)
