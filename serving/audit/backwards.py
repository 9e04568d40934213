"""Lines of an audit log from the last to the first, a block at a time, while others are written."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from serving.audit.entry import NoEntry, read_entry
from serving.audit.trail import files_of

__all__ = ("lines_backwards",)

_BLOCK = 1 << 16


def lines_backwards(path: Path, below: int | None = None) -> Iterator[bytes]:
    """Give the lines of all files of a log, without their ends, the latest first.

    A file that is put aside meanwhile is read once; one that is taken away is passed over.

    Args:
        path: the file that is written.
        below: entries from this number on may be left out; None: none may.

    Raises:
        OSError: when a file cannot be read.
    """
    with _opened(path) as file:
        # Listed after it was opened: what is put aside in between is there twice, never nowhere.
        older = [each for each in files_of(path)[:-1] if not _is_same(each, file)]
        numbers = [int(each.name.removesuffix(path.suffix)[-12:]) for each in older]
        if _may_hold(numbers, below):
            yield from _lines_of(file, below)
    while older:
        numbers.pop()
        with _opened(older.pop()) as file:
            if _may_hold(numbers, below):
                yield from _lines_of(file, below)


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """A file; one that is not there is empty."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        file = Path(os.devnull).open("rb")  # noqa: SIM115  (closed below)
    with file:
        yield file


def _is_same(path: Path, file: BinaryIO) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    return False


def _may_hold(before: Sequence[int], below: int | None) -> bool:
    """Whether a file may hold what is asked for; `before`: last entries of those before it."""
    return below is None or not before or before[-1] < below - 1


def _lines_of(file: BinaryIO, below: int | None) -> Iterator[bytes]:
    size = os.fstat(file.fileno()).st_size
    if not size:
        return
    at = size if below is None else _place_of(file, size, below)
    file.seek(at - 1)
    at -= file.read(1) == b"\n"
    rest = b""  # of a line that begins before what was read
    while at:
        start = max(at - _BLOCK, 0)
        file.seek(start)
        first, *lines = (file.read(at - start) + rest).split(b"\n")
        yield from reversed(lines)
        at, rest = start, first
    yield rest


def _place_of(file: BinaryIO, size: int, below: int) -> int:
    """Where a line begins from which on no entry is below a number; the numbers ascend."""
    low, high = 0, size
    while high - low > _BLOCK:
        file.seek((low + high) // 2)
        file.readline()
        place = file.tell()
        try:
            is_below = place < high and read_entry(file.readline().rstrip(b"\n")).sequence < below
        except NoEntry:
            break  # what a crash cut short; then more is read than must be
        if is_below:
            low = place
        elif place < high:
            high = place
        else:
            break  # one long line
    return high
