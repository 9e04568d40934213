"""Files that are written whole or not at all, under names that never become other paths."""

import errno
import fcntl
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from animator.core.errors import NotFound, StorageUnavailable

__all__ = ("FULL", "ID", "check_name", "copy_file", "list_names", "locked", "mark", "write_file")

ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What the id of a document looks like."""

FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""Numbers of errors that say that there is no room."""


def check_name(name: str, pattern: re.Pattern[str] = ID) -> str:
    """The name, when it can be one; what comes from a URL never becomes another path.

    Raises:
        NotFound: when it cannot.
    """
    if pattern.fullmatch(name) is None:
        msg = "There is nothing of that name."
        raise NotFound(msg)
    return name


def list_names(folder: Path, pattern: re.Pattern[str] = ID) -> list[str]:
    """Names in a folder that can be names, sorted; none when there is no folder."""
    try:
        return sorted(file.name for file in folder.iterdir() if pattern.fullmatch(file.name))
    except FileNotFoundError:
        return []


def write_file(path: Path, data: bytes) -> None:
    """Put a file in its place, whole, and on the disk when this returns.

    Raises:
        StorageUnavailable: when there is no room for it.
    """
    with _beside(path) as file:
        file.write(data)


def copy_file(source: Path, path: Path) -> None:
    """Put a copy of a file in its place, likewise, without holding it in memory."""
    with source.open("rb") as content, _beside(path) as file:
        shutil.copyfileobj(content, file)


@contextmanager
def _beside(path: Path) -> Iterator[BinaryIO]:
    """A new file to be written, which then takes its place."""
    # A name with two dots in a row is neither an id nor a blob, so nobody reads it.
    beside = path.parent / f"..{secrets.token_hex(8)}"
    try:
        with _room():
            path.parent.mkdir(parents=True, exist_ok=True)
            with beside.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    _sync_folder(path.parent)


def mark(path: Path) -> None:
    """Put an empty file in its place, on the disk when this returns; one that is there stays.

    Raises:
        StorageUnavailable: when there is no room for it.
    """
    with _room():
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            path.touch(exist_ok=False)
        except FileExistsError:
            return
    _sync_folder(path.parent)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Be the only one, of all processes, who holds a file; one that dies gives it back by itself.

    Raises:
        StorageUnavailable: when there is no room for it.
    """
    with _room():
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("wb")
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def _room() -> Iterator[None]:
    """Say of a full disk, or a used up share of it, that it is one: that is no fault of ours."""
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise StorageUnavailable("The disk is full.") from error


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
