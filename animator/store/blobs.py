"""Blobs as files in one folder, which several processes may use at a time."""

import re
from contextlib import suppress
from pathlib import Path

from animator.core.errors import NotFound
from animator.store.disk import check_name, list_names, write_file

__all__ = ("FileBlobs",)

_BLOB = re.compile(r"[A-Za-z0-9_-]{1,64}(\.[A-Za-z0-9_-]{1,32}){0,3}")


class FileBlobs:
    """A `BlobStore` of one file a blob."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, name: str, data: bytes) -> None:
        """Write a blob; see `BlobStore.put`."""
        write_file(self._file(name), data)

    def get(self, name: str) -> bytes:
        """Read a blob; see `BlobStore.get`."""
        try:
            return self._file(name).read_bytes()
        except FileNotFoundError as error:
            msg = "There is no such file."
            raise NotFound(msg) from error

    def delete(self, name: str) -> None:
        """Forget a blob; see `BlobStore.delete`."""
        with suppress(NotFound):
            self._file(name).unlink(missing_ok=True)

    def written_before(self, instant: float) -> tuple[str, ...]:
        """Names of blobs that nobody wrote since; see `BlobStore.written_before`."""
        return tuple(name for name in list_names(self._folder, _BLOB) if self._age(name) < instant)

    def _age(self, name: str) -> float:
        try:
            return self._file(name).stat().st_mtime
        except FileNotFoundError:
            return float("inf")

    def _file(self, name: str) -> Path:
        return self._folder / check_name(name, _BLOB)
