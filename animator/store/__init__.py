"""Documents and blobs: what is kept, and where."""

from animator.store.base import BlobStore, Document, DocumentStore, OpenBlob
from animator.store.blobs import FileBlobs
from animator.store.files import FileDocuments
from animator.store.forget import forget_animation, forget_drawing, forget_motion
from animator.store.opening import JOB, LOOK, WEB, Stores, open_stores

__all__ = (
    "JOB",
    "LOOK",
    "WEB",
    "BlobStore",
    "Document",
    "DocumentStore",
    "FileBlobs",
    "FileDocuments",
    "OpenBlob",
    "Stores",
    "forget_animation",
    "forget_drawing",
    "forget_motion",
    "open_stores",
)
