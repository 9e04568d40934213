"""The stores of a place: a folder of this machine, or a bucket that machines share."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from animator.core.places import BucketPlace
from animator.store.base import BlobStore, DocumentStore
from animator.store.blobs import FileBlobs
from animator.store.bucket import Bucket, Patience
from animator.store.bucket_keys import BucketKeys
from animator.store.files import FileDocuments
from animator.store.keys import KeyFile, Keys
from animator.store.object_blobs import ObjectBlobs
from animator.store.object_documents import ObjectDocuments

__all__ = ("JOB", "LOOK", "WEB", "Stores", "open_stores")

WEB = Patience(attempts=2, silence=4.0, rest=1.0)
"""Of a page: somebody waits, and others too."""

JOB = Patience(attempts=6, silence=10.0, rest=0.0)
"""Of a job, which nobody else waits for."""

LOOK = Patience(attempts=2, silence=4.0, rest=0.0)
"""Of a command, or of a look whether all is well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """What is kept in one place.

    Attributes:
        documents: drawings, what is made of them, and what is allowed.
        blobs: uploads, pictures and finished files.
        keys: who may use the API.
        get_ready: loads what is needed, for processes that fork; without a word to a server.
        probe: finds out whether a server can be used; raises StorageUnavailable, or StorageRefused
            when it is the wrong one.
    """

    documents: DocumentStore
    blobs: BlobStore
    keys: Keys
    get_ready: Callable[[], None]
    probe: Callable[[], None]


def _do_nothing() -> None:
    """A folder is there when it is used."""


def open_stores(
    place: Path | BucketPlace, patience: Patience, key_file: Path | None = None
) -> Stores:
    """The stores of a place; nothing is made or asked before it is used.

    Args:
        place: folder, or part of a bucket.
        patience: with a server elsewhere: `WEB`, `JOB` or `LOOK`.
        key_file: where the keys are; None: in that place.
    """
    file = KeyFile(key_file) if key_file else None
    if isinstance(place, BucketPlace):
        bucket = Bucket(place, patience)
        return Stores(
            documents=ObjectDocuments(bucket),
            blobs=ObjectBlobs(bucket),
            keys=file or BucketKeys(bucket),
            get_ready=bucket.get_ready,
            probe=bucket.probe,
        )
    return Stores(
        documents=FileDocuments(place / "documents"),
        blobs=FileBlobs(place / "blobs"),
        keys=file or KeyFile(place / "keys.toml"),
        get_ready=_do_nothing,
        probe=_do_nothing,
    )
