"""Reading an audit log: pages of it, the latest first; and whether its chain holds."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from serving.audit.backwards import lines_backwards
from serving.audit.entry import FIRST, AuditAction, AuditEntry, NoEntry, digest, read_entry
from serving.audit.trail import files_of

__all__ = ("AuditPage", "AuditQuery", "Verified", "page_of", "verify")


_MOST_READ = 8 << 20
"""Bytes that are read for a page; who looks for something rare asks for several."""

_Moment = Annotated[datetime, msgspec.Meta(tz=True)]


class AuditQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Which entries are asked for; all that is said must be so.

    Attributes:
        limit: most entries, 1 to 1000.
        below: only those with a smaller number, as a page before told; unset: from the latest on.
        model: exactly this one.
        version: exactly this one.
        what: exactly this action.
        who: the name of a key or a part begins so.
        result: exactly this one, such as "ok"; "failed": all but "ok" and "begun".
        since: not earlier.
        until: not later.
    """

    limit: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 100
    below: Annotated[int, msgspec.Meta(ge=1, le=2**53)] | UnsetType = UNSET
    model: str = ""
    version: str = ""
    what: AuditAction | UnsetType = UNSET
    who: str = ""
    result: str = ""
    since: _Moment | UnsetType = UNSET
    until: _Moment | UnsetType = UNSET


class AuditPage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A page of entries.

    Attributes:
        entries: the latest first; fewer than were asked for, or none, where much was read for them.
        head_sequence: number of the last entry of the log.
        head: its hash, which a reader may keep: a log that was cut off later does not reach it.
        next_page_token: what the next page is asked by; None: there is none.
    """

    entries: Sequence[AuditEntry]
    head_sequence: int
    head: str
    next_page_token: str | None = None


@dataclass(frozen=True, slots=True)
class Verified:
    """What a look at the whole chain found.

    Attributes:
        entries: how many there are.
        first: number of the first; above 1: those before were rotated away.
        sequence: number of the last.
        head: hash of the last.
        faults: where the chain is broken, in sentences.
        notes: what is worth knowing and breaks nothing.
    """

    entries: int
    first: int
    sequence: int
    head: str
    faults: Sequence[str]
    notes: Sequence[str]


def page_of(source: Path | Sequence[bytes], query: AuditQuery, head: tuple[int, str]) -> AuditPage:
    """Find a page of entries, in a part of the log that is bounded.

    Args:
        source: the file, or lines in their order.
        query: which.
        head: number and hash of the last entry; later ones are not told. 0: not known.

    Raises:
        OSError: when the file cannot be read.
    """
    query = _until(query, head[0])
    found: list[AuditEntry] = []
    token = None
    with closing(_entries_backwards(source, query)) as entries:
        for read, entry in entries:
            if query.since is not UNSET and entry.time < query.since:
                break
            if _is_asked(entry, query):
                if len(found) == query.limit:
                    token = found[-1].sequence
                    break
                found.append(entry)
            if read > _MOST_READ:
                token = entry.sequence
                break
    return AuditPage(
        entries=found,
        head_sequence=head[0],
        head=head[1],
        next_page_token=None if token is None else str(token),
    )


def verify(path: Path, head: str = "") -> Verified:
    """Follow the chain through all files of a log.

    Args:
        path: the file that is written, or the last of a copy.
        head: hash of an entry that was seen, which must be there; "": none must.

    Raises:
        OSError: when a file cannot be read.
    """
    faults: list[str] = []
    notes: list[str] = []
    previous, sequence, first, count = FIRST, 0, 0, 0
    is_seen = not head
    for number, (place, line) in enumerate(_lines(path)):
        try:
            entry = read_entry(line)
        except NoEntry:
            # A crash leaves half a line; the hash in the next one says whether it always was so.
            notes.append(f"{place} is no whole entry")
            previous, sequence = digest(line), sequence + 1
            continue
        first = first or entry.sequence
        count += 1
        is_rotated = number == 0 and entry.sequence > 1
        if is_rotated:
            notes.append(f"the log begins with entry {entry.sequence}; those before are gone")
        elif entry.previous != previous:
            faults.append(f"{place}, entry {entry.sequence}: the line before is not the one it was")
        elif entry.sequence != sequence + 1:
            faults.append(f"{place}: entry {entry.sequence} follows entry {sequence}")
        previous, sequence = digest(line), entry.sequence
        is_seen = is_seen or previous == head
    if not is_seen:
        faults.append(f"no entry has the hash {head}: the end of the log was cut off, or rewritten")
    return Verified(count, first, sequence, previous, faults, notes)


def _is_asked(entry: AuditEntry, query: AuditQuery) -> bool:
    exact = all(
        not wanted or getattr(entry, name) == wanted
        for name, wanted in (
            ("model", query.model),
            ("version", query.version),
            ("what", query.what),
        )
    )
    return (
        exact
        and entry.who.startswith(query.who)
        and (query.until is UNSET or entry.time <= query.until)
        and _has_result(entry.result, query.result)
    )


def _has_result(result: str, wanted: str) -> bool:
    if wanted == "failed":
        return result not in {"ok", "begun"}
    return wanted in ("", result)


def _until(query: AuditQuery, last: int) -> AuditQuery:
    """Ask for no entry after the last one, where its number is known."""
    if not last or (query.below is not UNSET and query.below <= last):
        return query
    return msgspec.structs.replace(query, below=last + 1)


def _entries_backwards(
    source: Path | Sequence[bytes], query: AuditQuery
) -> Generator[tuple[int, AuditEntry]]:
    """Entries below what is asked for, the latest first, each with the bytes read until then."""
    below = None if query.below is UNSET else query.below
    lines = lines_backwards(source, below) if isinstance(source, Path) else reversed(source)
    read = 0
    for line in lines:
        with suppress(NoEntry):
            entry = read_entry(line)
            if below is None or entry.sequence < below:
                read += len(line)
                yield read, entry


def _lines(path: Path) -> Iterator[tuple[str, bytes]]:
    for file in files_of(path):
        with file.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                yield f"{file.name} line {number}", line.removesuffix(b"\n")
