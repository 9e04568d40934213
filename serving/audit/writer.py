"""AuditWriter: puts entries into the chain in the order in which they came, in a thread of its own.

A disk that is slow holds up no request so.
"""

import asyncio
import logging
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import msgspec

from serving.audit.entry import AuditEntry, digest, encode
from serving.audit.reading import AuditPage, AuditQuery, page_of
from serving.audit.settings import AuditSettings
from serving.audit.trail import AuditFile
from serving.errors import AuditUnavailable, reason_of

__all__ = ("AuditWriter",)

_MOST_WAITING = 10_000
"""Entries that wait for a disk that does not take them; more are lost, and counted."""

_KEPT = 1000
"""Entries in memory, where there is no file."""

_log = logging.getLogger(__name__)


class AuditWriter:
    """Puts entries into the chain.

    Args:
        settings: where it is written, and how much of it is kept.

    Attributes:
        written: entries since the start of the server.
        lost: entries that could not be written.
    """

    def __init__(self, settings: AuditSettings) -> None:
        self._settings = settings
        self._chain = AuditFile(
            Path(settings.file or "audit.jsonl"), settings.max_bytes, settings.max_files
        )
        self._kept: deque[bytes] = deque(maxlen=_KEPT)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="audit")
        # Who reads holds up nobody who writes.
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="audit-reader")
        self._waiting = 0
        self._is_failing = False
        self.written = self.lost = 0

    def start(self) -> None:
        """Take up the chain of the file.

        Raises:
            AuditUnavailable: when it cannot be written, and must be.
        """
        if not self._settings.file:
            return
        try:
            self._thread.submit(self._chain.open).result()
        except OSError as error:
            self._tell_failure(error)
            if self._settings.required:
                raise self._unavailable(error) from error

    def close(self) -> None:
        """Write what waits, and no more."""
        self._thread.submit(self._chain.close)
        self._thread.shutdown(wait=True)
        self._reader.shutdown(wait=True, cancel_futures=True)

    def submit(self, entry: AuditEntry) -> None:
        """Write an entry, whose place in the chain it gets then; never fails."""
        if self._waiting >= _MOST_WAITING:
            self.lost += 1
            return
        self._waiting += 1
        self._thread.submit(self._write, entry).add_done_callback(self._submitted)

    async def write(self, entry: AuditEntry) -> None:
        """Write an entry, and return when the disk has it.

        Raises:
            AuditUnavailable: when it cannot be written.
        """
        try:
            await asyncio.wrap_future(self._thread.submit(self._write, entry))
        except OSError as error:
            raise self._unavailable(error) from error

    async def page(self, query: AuditQuery) -> AuditPage:
        """Read entries, the latest first, with all that came until now.

        Raises:
            AuditUnavailable: when the file cannot be read.
        """
        kept, head = await asyncio.wrap_future(self._thread.submit(self._state))
        source = Path(self._settings.file) if self._settings.file else kept
        try:
            found = self._reader.submit(page_of, source, query, head)
            return await asyncio.wrap_future(found)
        except OSError as error:
            msg = f"the audit log cannot be read: {self._why(error)}"
            raise AuditUnavailable(msg) from error

    def _state(self) -> tuple[list[bytes], tuple[int, str]]:
        """What is in memory, and where the chain ends; in the thread, after all that waits."""
        return list(self._kept), (self._chain.sequence, self._chain.head)

    def _submitted(self, written: "Future[None]") -> None:
        self._waiting -= 1
        error = written.exception()
        if error is not None and not isinstance(error, OSError):
            _log.error("an entry of the audit log could not be made", exc_info=error)

    def _write(self, entry: AuditEntry) -> None:
        """Give an entry its place in the chain and write it; in the thread.

        Raises:
            OSError: when it cannot be written.
        """
        try:
            if self._settings.file:
                # It may first have to be opened, and tells only then where the chain ends.
                self._chain.open()
            line = encode(self._chained(entry))
            if self._settings.file:
                self._chain.append(line)
                if self._settings.required:
                    self._chain.sync()
            else:
                self._keep(line)
        except OSError as error:
            self.lost += 1
            self._tell_failure(error)
            raise
        self._tell(entry)

    def _chained(self, entry: AuditEntry) -> AuditEntry:
        chain = self._chain
        return msgspec.structs.replace(entry, sequence=chain.sequence + 1, previous=chain.head)

    def _keep(self, line: bytes) -> None:
        self._chain.sequence += 1
        self._chain.head = digest(line)
        self._kept.append(line)

    def _tell(self, entry: AuditEntry) -> None:
        """Tell the server's log, which may be kept elsewhere, with the hash of the chain's end."""
        self.written += 1
        if self._is_failing:
            self._is_failing = False
            _log.warning("the audit log is written again; %d entries are lost", self.lost)
        subject = f" {entry.model}@{entry.version}" if entry.model else ""
        who = f"{entry.who} {entry.address}".strip()
        place = (self._chain.sequence, self._chain.head)
        _log.info("audit: %s%s by %s: %s (%d, %s)", entry.what, subject, who, entry.result, *place)

    def _tell_failure(self, error: OSError) -> None:
        """Say once that nothing is written, until it is again."""
        if not self._is_failing:
            self._is_failing = True
            _log.error("the audit log is not written: %s", self._why(error))

    def _unavailable(self, error: OSError) -> AuditUnavailable:
        return AuditUnavailable(
            f"nothing is changed here while the audit log cannot be written ({self._why(error)}); "
            "make room for it, or set audit.required = false"
        )

    def _why(self, error: OSError) -> str:
        return f"{self._settings.file}: {reason_of(error)}"
