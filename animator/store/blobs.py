"""Blobs as files in one folder, which several processes may use at a time."""

import functools
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from animator.core.errors import NotFound
from animator.store.base import OpenBlob
from animator.store.disk import check_name, copy_file, list_names, write_file
from animator.store.turns import part_of

__all__ = ("FileBlobs", "check_blob")

_BLOB = re.compile(r"[A-Za-z0-9_-]{1,64}(\.[A-Za-z0-9_-]{1,32}){0,3}")
_CHUNK = 256 * 1024


def check_blob(name: str) -> str:
    """The name, when a blob can have it.

    Raises:
        NotFound: when none can.
    """
    return check_name(name, _BLOB)


class FileBlobs:
    """A `BlobStore` of one file a blob."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, name: str, data: bytes) -> None:
        """Write a blob; see `BlobStore.put`."""
        write_file(self._file(name), data)

    def put_file(self, name: str, file: Path) -> None:
        """Write a blob from a file; see `BlobStore.put_file`."""
        copy_file(file, self._file(name))

    def get(self, name: str) -> bytes:
        """Read a blob; see `BlobStore.get`."""
        try:
            return self._file(name).read_bytes()
        except FileNotFoundError as error:
            raise _not_found() from error

    def open(self, name: str) -> OpenBlob:
        """Prepare to read a blob; see `BlobStore.open`."""
        file = self._file(name)
        try:
            return OpenBlob(file.stat().st_size, functools.partial(_stream, file))
        except FileNotFoundError as error:
            raise _not_found() from error

    def delete(self, name: str) -> None:
        """Forget a blob; see `BlobStore.delete`."""
        with suppress(NotFound):
            self._file(name).unlink(missing_ok=True)

    def written_before(self, instant: float) -> tuple[str, ...]:
        """Names of blobs that nobody wrote since; see `BlobStore.written_before`."""
        names = part_of(list_names(self._folder, _BLOB), instant)
        return tuple(name for name in names if self._age(name) < instant)

    def _age(self, name: str) -> float:
        try:
            return self._file(name).stat().st_mtime
        except FileNotFoundError:
            return float("inf")

    def _file(self, name: str) -> Path:
        return self._folder / check_blob(name)


def _stream(path: Path, part: range) -> Iterator[bytes]:
    try:
        file = path.open("rb")
    except FileNotFoundError as error:
        raise _not_found() from error
    with file:
        file.seek(part.start)
        left = len(part)
        while left and (chunk := file.read(min(_CHUNK, left))):
            left -= len(chunk)
            yield chunk


def _not_found() -> NotFound:
    return NotFound("There is no such file.")
