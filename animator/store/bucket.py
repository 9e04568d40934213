"""A bucket: bytes by key in an object store that speaks S3, through botocore.

Its laws are those on which `object_documents` builds: an object appears whole or not at all, what
was written is read and listed at once, and a write may be bound to what is there before it. Servers
that ignore such a condition are told apart by `probe`.
"""

import base64
import functools
import hashlib
import os
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from animator.core.errors import NotFound, StorageRefused, StorageUnavailable
from animator.core.places import BucketPlace
from animator.store.base import OpenBlob
from animator.store.bucket_client import Patience, make_client
from animator.store.bucket_errors import broken_bodies, translated

__all__ = ("Bucket", "Listed", "Patience", "Stored")

MOST_BYTES = 256 * 1024 * 1024
"""Largest object that is read in one piece."""

_CHUNK = 256 * 1024
_READS = 4
"""How often in a row an object whose bytes end too early is asked for."""

_AT_A_TIME = 8
"""Requests that `each` has under way, of all who call it: reading takes the processor too, so more
of them finish no sooner."""

_Asked = TypeVar("_Asked")
_Told = TypeVar("_Told")


@dataclass(frozen=True, slots=True)
class Stored:
    """An object: its bytes, and the tag that names just these."""

    data: bytes
    tag: str


@dataclass(frozen=True, slots=True)
class Listed:
    """An object in a listing: its key without the prefix, and when it was written."""

    key: str
    written: float


class Bucket:
    """Objects by key, below the prefix of a place.

    A process that was forked from one that used it goes on with connections of its own.
    """

    def __init__(self, place: BucketPlace, patience: Patience) -> None:
        """Use a place; nothing is asked before the first call.

        Args:
            place: bucket and prefix.
            patience: with its server.
        """
        self._place = place
        self._patience = patience
        self._rests_until = 0.0
        self._lock = threading.Lock()
        self._made: Any = None
        self._pid = 0
        self._pool: tuple[int, ThreadPoolExecutor] | None = None

    def get_ready(self) -> None:
        """Load the library and find the credentials, without a word to the server."""
        with self._asking():
            self._client()

    def get(self, key: str) -> Stored:
        """Read an object.

        Raises:
            NotFound: when there is none.
            StorageUnavailable: when the server does not give it.
        """
        with self._asking():
            return self._read(key, _READS)

    def put(self, key: str, data: bytes) -> None:
        """Write an object, whatever is there.

        Raises:
            StorageUnavailable: when the server does not take it.
        """
        self._put(key, data)

    def put_file(self, key: str, file: Path) -> None:
        """Write an object from a file, which is not held in memory.

        Raises:
            StorageUnavailable: when the server does not take it.
        """
        with file.open("rb") as content:
            self._put(key, content)

    def put_if(self, key: str, data: bytes, replaced: str | None) -> bool:
        """Write an object, if what is there has that tag; None: if there is nothing.

        Returns:
            Whether it was written.

        Raises:
            StorageUnavailable: when the server does not say.
        """
        condition = {"IfNoneMatch": "*"} if replaced is None else {"IfMatch": replaced}
        # Where an answer is lost the request is sent again, and refused for what it did itself.
        mark = secrets.token_hex(8)
        try:
            self._put(key, data, Metadata={"mark": mark}, **condition)
        except NotFound:
            return self._mark_of(key) == mark
        return True

    def each(self, ask: Callable[[_Asked], _Told], those: Sequence[_Asked]) -> list[_Told]:
        """Ask something of each, a few at a time, by a function that asks the bucket.

        The first error that it raises is raised, and the rest not asked.
        """
        if len(those) < 2:
            return [ask(one) for one in those]
        return list(self._helpers().map(ask, those))

    def delete(self, key: str) -> None:
        """Forget an object; one that is not there is no error."""
        with self._asking():
            self._client().delete_object(**self._named(key))

    def tag(self, key: str) -> str:
        """The tag of an object.

        Raises:
            NotFound: when there is none.
        """
        return _bare(self._head(key)["ETag"])

    def open(self, key: str) -> OpenBlob:
        """Prepare to read an object bit by bit; what breaks is taken up where it broke.

        Raises:
            NotFound: when there is none; while it is read, when it is another one meanwhile.
        """
        found = self._head(key)
        stream = functools.partial(self._stream, key, _bare(found["ETag"]))
        return OpenBlob(int(found["ContentLength"]), stream)

    def has(self, key: str) -> bool:
        """Whether there is an object."""
        try:
            self._head(key)
        except NotFound:
            return False
        return True

    def list(self, prefix: str, after: str = "") -> Iterator[Listed]:
        """Objects whose key begins so, after a key, in the order of keys, a thousand at a time."""
        own = self._place.prefix
        with self._asking():
            pages = self._client().get_paginator("list_objects_v2")
            begin = {"StartAfter": own + after} if after else {}
            for page in pages.paginate(Bucket=self._place.bucket, Prefix=own + prefix, **begin):
                for found in page.get("Contents", ()):
                    key = found["Key"].removeprefix(own)
                    yield Listed(key, found["LastModified"].timestamp())

    def probe(self) -> None:
        """Find out whether the server can be used: write, and see that conditions are kept.

        Raises:
            StorageRefused: when it cannot, and will not by itself.
            StorageUnavailable: when it does not answer.
        """
        key = f"probe/{secrets.token_hex(8)}"
        try:
            self.put(key, b"probe")
            wrongly = self.put_if(key, b"wrong", None) or self.put_if(key, b"wrong", "none")
            rightly = self.put_if(key, b"right", self.tag(key))
        finally:
            self.delete(key)
        if wrongly or not rightly:
            msg = "The object store does not keep conditions (If-Match and If-None-Match), so one "
            msg += "machine could undo what another has just stored. Use a server that does."
            raise StorageRefused(msg)

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """Errors of the library as ours; after one that passes, a rest."""
        if time.monotonic() < self._rests_until:
            raise StorageUnavailable("The object store did not answer a moment ago.")
        try:
            with translated(self._place):
                yield
        except StorageUnavailable:
            self._rests_until = time.monotonic() + self._patience.rest
            raise

    def _read(self, key: str, reads: int) -> Stored:
        answer = self._client().get_object(**self._named(key))
        if answer["ContentLength"] > MOST_BYTES:
            msg = f"An object in the storage has more than {MOST_BYTES} bytes: {key}"
            raise StorageRefused(msg)
        with closing(answer["Body"]) as body:
            try:
                return Stored(body.read(), _bare(answer["ETag"]))
            except broken_bodies():
                if reads == 1:
                    raise
        return self._read(key, reads - 1)

    def _stream(self, key: str, tag: str, part: range) -> Iterator[bytes]:
        at, failures = part.start, 0
        breaks: tuple[type[Exception], ...] = (*broken_bodies(), StorageUnavailable)
        while at < part.stop:
            with self._asking(), closing(self._ask(key, at, part.stop, tag)) as body:
                try:
                    for chunk in body.iter_chunks(_CHUNK):
                        at, failures = at + len(chunk), 0
                        yield chunk
                    if at < part.stop:
                        msg = f"The object store gives too few bytes, {at} of {part.stop}: {key}"
                        raise StorageUnavailable(msg)
                except breaks:
                    failures += 1
                    if failures == _READS:
                        raise

    def _ask(self, key: str, start: int, stop: int, tag: str) -> Any:
        wanted = {"Range": f"bytes={start}-{stop - 1}", "IfMatch": tag}
        return self._client().get_object(**self._named(key), **wanted)["Body"]

    def _put(self, key: str, data: bytes | BinaryIO, **more: Any) -> None:
        with self._asking():
            digest = _md5(data)
            self._client().put_object(**self._named(key), Body=data, ContentMD5=digest, **more)

    def _head(self, key: str) -> Any:
        with self._asking():
            return self._client().head_object(**self._named(key))

    def _mark_of(self, key: str) -> str | None:
        try:
            mark: str | None = self._head(key)["Metadata"].get("mark")
        except NotFound:
            return None
        return mark

    def _named(self, key: str) -> dict[str, str]:
        return {"Bucket": self._place.bucket, "Key": self._place.prefix + key}

    def _client(self) -> Any:
        with self._lock:
            if self._made is None:
                self._made = make_client(self._place, self._patience)
            elif self._pid != os.getpid():
                # The connections are the parent's; closed here, they stay open there.
                self._made.close()
            self._pid = os.getpid()
            return self._made

    def _helpers(self) -> ThreadPoolExecutor:
        with self._lock:
            # No thread lives through a fork.
            if self._pool is None or self._pool[0] != os.getpid():
                self._pool = (
                    os.getpid(),
                    ThreadPoolExecutor(_AT_A_TIME, thread_name_prefix="bucket"),
                )
            return self._pool[1]


def _bare(tag: str) -> str:
    """A tag without its quotes: some servers take it for another with them when it comes back."""
    return tag.strip('"')


def _md5(data: bytes | BinaryIO) -> str:
    """By which the server sees that it got all; no secret hangs on it."""
    if isinstance(data, bytes):
        digest = hashlib.md5(data, usedforsecurity=False)
    else:
        digest = hashlib.md5(usedforsecurity=False)
        while chunk := data.read(_CHUNK):
            digest.update(chunk)
        data.seek(0)
    return base64.b64encode(digest.digest()).decode()
