"""Blobs as objects in a bucket."""

import string
from contextlib import suppress
from itertools import chain, islice, takewhile
from pathlib import Path

from animator.core.errors import NotFound
from animator.store.base import OpenBlob
from animator.store.blobs import check_blob
from animator.store.bucket import Bucket
from animator.store.turns import MOST, TURN, share_of

__all__ = ("ObjectBlobs",)

_FIRST_LETTERS = string.ascii_letters + string.digits + "-_"
"""Of names, in the order of their turns."""

_LETTERS = "".join(sorted(_FIRST_LETTERS))
"""Of names, in the order of a listing."""


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
        between two instants all letters have had their turn after eleven hours. Where a letter has
        more than are looked at in one turn, it is gone on elsewhere in its next.
        """
        round_, letter = divmod(int(instant // TURN), len(_FIRST_LETTERS))
        prefix = f"blobs/{_FIRST_LETTERS[letter]}"
        begin = prefix + _place(share_of(round_))
        later = self._bucket.list(prefix, after=begin)
        earlier = takewhile(lambda one: one.key <= begin, self._bucket.list(prefix))
        found = islice(chain(later, earlier), MOST)
        return tuple(one.key.removeprefix("blobs/") for one in found if one.written < instant)


def _place(share: float) -> str:
    """Two letters with which about so many of all names begin, or smaller ones."""
    first, second = divmod(int(share * len(_LETTERS) ** 2), len(_LETTERS))
    return _LETTERS[first] + _LETTERS[second]


def _key(name: str) -> str:
    return f"blobs/{check_blob(name)}"
