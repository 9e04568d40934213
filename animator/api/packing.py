"""A zip that is made while it is sent: nothing of it is on a disk, and little in memory.

The files in it are stored as they are, for pictures and films are compressed already; so its length
is known before it begins. What is not known then, their checksums, follows each file (APPNOTE.TXT
6.3.10, 4.3.9, the data descriptor).
"""

import io
import time
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from animator.store import OpenBlob

__all__ = ("Packed", "pack", "size_of")

_LARGEST = 1 << 30
"""Bytes; what is longer may have fields of 64 bits, and its length is not told."""

_END = 22
_AROUND = 30 + 16 + 46
"""Bytes of a file's head, of what follows it, and of its entry at the end, but for its name."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A file in a zip.

    Attributes:
        name: with the folders in the zip.
        blob: what it holds.
    """

    name: str
    blob: OpenBlob


class _Outlet(io.RawIOBase):
    """A file that cannot be gone back in, out of which is taken what was written."""

    def __init__(self) -> None:
        self._written: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._written.append(bytes(data))
        return len(self._written[-1])

    def take(self) -> bytes:
        taken = b"".join(self._written)
        self._written.clear()
        return taken


def size_of(files: Sequence[Packed]) -> int | None:
    """Bytes of the zip that `pack` makes of files; None where that is not known."""
    names = sum(len(file.name.encode()) for file in files)
    size = _END + len(files) * _AROUND + 2 * names + sum(file.blob.size for file in files)
    return size if size <= _LARGEST else None


def pack(files: Sequence[Packed]) -> Iterator[bytes]:
    """The bytes of a zip of files, bit by bit; raises NotFound when one is gone meanwhile."""
    outlet = _Outlet()
    now = time.localtime()[:6]
    with zipfile.ZipFile(outlet, "w") as packed:
        for file in files:
            head = zipfile.ZipInfo(file.name, now)
            head.file_size = file.blob.size  # says whether its fields need 64 bits
            with packed.open(head, "w") as entry:
                for chunk in file.blob.stream(range(file.blob.size)):
                    entry.write(chunk)
                    yield outlet.take()
    yield outlet.take()
