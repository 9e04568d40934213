"""Documents and blobs: what is kept, and where."""

from animator.store.base import BlobStore, Document, DocumentStore
from animator.store.files import FileBlobs, FileDocuments

__all__ = ("BlobStore", "Document", "DocumentStore", "FileBlobs", "FileDocuments")
