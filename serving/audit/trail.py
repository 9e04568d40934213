"""AuditFile: entries appended to a file, each with the hash of the one before; full files go aside.

The file that is written is `audit.jsonl`; one that was put aside has the number of its last entry
in its name, `audit.000000000512.jsonl`.
"""

import errno
import os
import re
from collections.abc import Sequence
from pathlib import Path

from serving.audit.entry import FIRST, NoEntry, digest, read_entry

__all__ = ("AuditFile", "CannotLock", "files_of")

_TAIL = 1 << 20
"""No line is longer, bytes."""


class CannotLock(OSError):
    """Another server writes this file."""


class AuditFile:
    """The file of one server's audit log.

    Args:
        path: the file; its folder is made.
        max_bytes: of the file, then it goes aside.
        max_files: that are kept.
    """

    def __init__(self, path: Path, max_bytes: int, max_files: int) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._max_files = max_files
        self._descriptor = -1
        self.sequence = 0
        self.head = FIRST

    def open(self) -> None:
        """Take up the chain where it ends; harmless when it is open.

        Raises:
            OSError: when the file cannot be written, or (CannotLock) another server does.
        """
        if self._descriptor >= 0:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        # What is here tells of keys and addresses: it is for its owner.
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(self._path, flags, 0o600)
        try:
            _lock(descriptor)
            self._resume(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor

    def append(self, line: bytes) -> None:
        """Write one line; `sequence` and `head` are the chain's then.

        Raises:
            OSError: when it is not on the file; nothing of it stays there.
        """
        self._reopen_if_gone()
        size = os.fstat(self._descriptor).st_size
        if size and size + len(line) > self._max_bytes:
            self._rotate()
            size = 0
        try:
            _write(self._descriptor, line + b"\n")
        except OSError:
            # A disk that became full in the middle of a line keeps none of it.
            os.ftruncate(self._descriptor, size)
            raise
        self.sequence += 1
        self.head = digest(line)

    def sync(self) -> None:
        """Wait until the disk has it.

        Raises:
            OSError: when the disk does not take it.
        """
        if self._descriptor >= 0:
            os.fsync(self._descriptor)

    def close(self) -> None:
        """Write no more."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _reopen_if_gone(self) -> None:
        """Open a new file where somebody took this one away; the chain goes on, with a gap."""
        if self._descriptor >= 0:
            held = os.fstat(self._descriptor)
            try:
                found = os.stat(self._path, follow_symlinks=False)  # noqa: PTH116
            except FileNotFoundError:
                found = None
            if found is not None and (found.st_dev, found.st_ino) == (held.st_dev, held.st_ino):
                return
            self.close()
            self._open_anew()
        self.open()

    def _rotate(self) -> None:
        aside = self._path.with_name(f"{self._path.stem}.{self.sequence:012d}{self._path.suffix}")
        self.close()
        self._path.rename(aside)
        self._open_anew()
        for old in files_of(self._path)[: -self._max_files]:
            old.unlink(missing_ok=True)

    def _open_anew(self) -> None:
        sequence, head = self.sequence, self.head
        self.open()
        self.sequence, self.head = sequence, head

    def _resume(self, descriptor: int) -> None:
        last = _last_line(descriptor)
        if not last:
            files = files_of(self._path)[:-1]
            last = _last_line_of(files[-1]) if files else b""
        if last:
            self.head = digest(last)
            self.sequence = _sequence_of(last, self._path)


def files_of(path: Path) -> Sequence[Path]:
    """All files of a log, the oldest first; the last is the one that is written."""
    pattern = re.compile(rf"{re.escape(path.stem)}\.(\d{{12}}){re.escape(path.suffix)}")
    try:
        entries = sorted(entry for entry in path.parent.iterdir() if pattern.fullmatch(entry.name))
    except FileNotFoundError:
        entries = []
    return [*entries, path]


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        written = os.write(descriptor, view)
        if not written:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        view = view[written:]


def _lock(descriptor: int) -> None:
    try:
        import fcntl
    except ImportError:  # Windows has none; two servers on one file are the operator's fault
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise CannotLock(error.errno, "another server writes it") from error


def _last_line_of(path: Path) -> bytes:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return _last_line(descriptor)
    finally:
        os.close(descriptor)


def _last_line(descriptor: int) -> bytes:
    """The last line; one that a crash cut short is ended, and stays as it is."""
    size = os.fstat(descriptor).st_size
    start = max(size - _TAIL, 0)
    os.lseek(descriptor, start, os.SEEK_SET)
    tail = os.read(descriptor, size - start)
    if not tail:
        return b""
    if not tail.endswith(b"\n"):
        _write(descriptor, b"\n")
        tail += b"\n"
    return tail[:-1].rpartition(b"\n")[2]


def _sequence_of(line: bytes, path: Path) -> int:
    """The number of the last entry; after a line that is none, counted on from those before it."""
    try:
        return read_entry(line).sequence
    except NoEntry:
        found = 0
        for file in files_of(path):
            for each in file.read_bytes().removesuffix(b"\n").split(b"\n"):
                try:
                    found = read_entry(each).sequence
                except NoEntry:
                    found += 1
        return found
