"""Blobs as objects in a bucket."""

import string
from contextlib import suppress
from pathlib import Path

from animator.core.errors import NotFound
from animator.store.base import OpenBlob
from animator.store.blobs import check_blob
from animator.store.bucket import Bucket

__all__ = ("ObjectBlobs",)

_FIRST_LETTERS = string.ascii_letters + string.digits + "-_"
_TURN = 600
"""Seconds after which `written_before` looks at names with another first letter."""


class ObjectBlobs:
    """A `BlobStore` of one object a blob."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket

    def put(self, name: str, data: bytes) -> None:
        """Write a blob; see `BlobStore.put`."""
        self._bucket.put(_key(name), data)

    def put_file(self, name: str, file: Path) -> None:
        """Write a blob from a file; see `BlobStore.put_file`."""
        self._bucket.put_file(_key(name), file)

    def get(self, name: str) -> bytes:
        """Read a blob; see `BlobStore.get`."""
        return self._bucket.get(_key(name)).data

    def open(self, name: str) -> OpenBlob:
        """Prepare to read a blob; see `BlobStore.open`."""
        return self._bucket.open(_key(name))

    def delete(self, name: str) -> None:
        """Forget a blob; see `BlobStore.delete`."""
        with suppress(NotFound):
            self._bucket.delete(_key(name))

    def written_before(self, instant: float) -> tuple[str, ...]:
        """Names of old blobs with one first letter, which goes by the instant.

        A bucket may hold millions, and a listing gives a thousand at a time; with ten minutes
        between two instants all letters have had their turn after eleven hours.
        """
        letter = _FIRST_LETTERS[int(instant // _TURN) % len(_FIRST_LETTERS)]
        found = self._bucket.list(f"blobs/{letter}")
        return tuple(one.key.removeprefix("blobs/") for one in found if one.written < instant)


def _key(name: str) -> str:
    return f"blobs/{check_blob(name)}"
