"""Unpack: what an archive holds, into a folder of ours and nowhere else.

An archive comes from somebody else. Names that lead out of the folder ("zip slip", CWE-22), links
and devices are refused, not repaired; sizes are counted while they are written, because what a
header says of itself may be a lie (CWE-409).
"""

import gzip
import io
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from serving.errors import InvalidModel

__all__ = ("ArchiveLimits", "unpack_archive")

_CHUNK = 1 << 20
_LARGEST_READ = 16 << 20
"""No honest tar header asks for more at once, bytes."""

_BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    gzip.BadGzipFile,
    zlib.error,
    EOFError,
    NotImplementedError,  # a compression that Python does not know
    OSError,
)


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """How large an archive may become.

    Attributes:
        max_entries: files and folders, > 0.
        max_bytes: of all files unpacked, > 0.
        max_ratio: of unpacked to packed bytes, > 0; asked only above `free_bytes`, because a few
            megabytes of zeros do no harm.
        free_bytes: unpacked size at which the ratio begins to count, >= 0.
    """

    max_entries: int = 10_000
    max_bytes: int = 16 << 30
    max_ratio: float = 200.0
    free_bytes: int = 256 << 20


def unpack_archive(path: Path, folder: Path, limits: ArchiveLimits) -> None:
    """Unpack a zip (`.mar`, `.war`, stored or deflated) or a tar, gzipped or not, into a folder.

    Args:
        path: the archive; what it is, its first bytes say.
        folder: an empty folder; on failure something may be left in it.
        limits: how large it may become.

    Raises:
        InvalidModel: when it is no archive, is broken, too large, or holds what must not be there.
    """
    budget = _Budget(path, limits)
    try:
        if zipfile.is_zipfile(path):
            _unpack_zip(path, folder, budget)
        else:
            _unpack_tar(path, folder, budget)
    except _BROKEN as error:
        msg = f"{path.name} cannot be unpacked: {error or type(error).__name__}"
        raise InvalidModel(msg) from error


class _Budget:
    """Counts entries and bytes, and says when it is enough."""

    def __init__(self, path: Path, limits: ArchiveLimits) -> None:
        self.name = path.name
        self._limits = limits
        self._entries = 0
        self._bytes = 0
        self._most = min(
            limits.max_bytes, max(limits.free_bytes, int(path.stat().st_size * limits.max_ratio))
        )

    def entry(self) -> None:
        self._entries += 1
        if self._entries > self._limits.max_entries:
            msg = f"{self.name} has more than {self._limits.max_entries} entries"
            raise InvalidModel(msg)

    def spend(self, size: int) -> None:
        self._bytes += size
        if self._bytes > self._most:
            msg = f"{self.name} unpacks to more than {self._most} bytes"
            raise InvalidModel(msg)

    def place(self, folder: Path, name: str) -> Path:
        """Where an entry goes; refuses what would lie anywhere else."""
        parts = PurePosixPath(name).parts
        if not parts or parts[0] == "/" or ".." in parts or "\\" in name or "\0" in name:
            msg = f"{self.name}: an entry may not be called {name!r}"
            raise InvalidModel(msg)
        return folder.joinpath(*parts)

    def write(self, source: IO[bytes], target: Path) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as file:
            while chunk := source.read(_CHUNK):
                self.spend(len(chunk))
                file.write(chunk)


def _unpack_zip(path: Path, folder: Path, budget: _Budget) -> None:
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            budget.entry()
            target = budget.place(folder, entry.filename)
            kind = stat.S_IFMT(entry.external_attr >> 16)
            if kind not in {0, stat.S_IFREG, stat.S_IFDIR}:
                msg = f"{budget.name}: {entry.filename} is neither a file nor a folder"
                raise InvalidModel(msg)
            if entry.flag_bits & 0x1:
                msg = f"{budget.name}: {entry.filename} is encrypted"
                raise InvalidModel(msg)
            if entry.is_dir():
                target.mkdir(parents=True, exist_ok=True)
                continue
            with archive.open(entry) as source:
                budget.write(source, target)


def _unpack_tar(path: Path, folder: Path, budget: _Budget) -> None:
    with _tar_bytes(path, budget) as data, tarfile.open(fileobj=data, mode="r:") as archive:
        for entry in archive:
            budget.entry()
            # `tar -C folder .` begins with the folder itself.
            if entry.isdir() and not PurePosixPath(entry.name).parts:
                continue
            target = budget.place(folder, entry.name)
            if entry.isdir():
                target.mkdir(parents=True, exist_ok=True)
                continue
            source = archive.extractfile(entry) if entry.isreg() else None
            if source is None:
                msg = f"{budget.name}: {entry.name} is neither a file nor a folder"
                raise InvalidModel(msg)
            with source:
                budget.write(source, target)
        # What is behind the last entry says whether the file is there wholly.
        while piece := data.read(_CHUNK):
            budget.spend(len(piece))


@contextmanager
def _tar_bytes(path: Path, budget: _Budget) -> Iterator["_Careful"]:
    with path.open("rb") as file:
        is_gzip = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        if not is_gzip:
            yield _Careful(file, budget)
            return
        with gzip.GzipFile(fileobj=file) as unzipped:
            yield _Careful(unzipped, budget)


class _Careful(io.RawIOBase):
    """Reads a tar's bytes; a header that wants a huge read (a name of gigabytes) gets none."""

    def __init__(self, source: IO[bytes] | gzip.GzipFile, budget: _Budget) -> None:
        self._source = source
        self._budget = budget

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= _LARGEST_READ:
            msg = f"{self._budget.name} has a header of {size} bytes"
            raise InvalidModel(msg)
        return self._source.read(size)

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._source.seek(offset, whence)

    def tell(self) -> int:
        return self._source.tell()

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True
