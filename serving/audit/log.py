"""AuditLog: takes note of every change, and of every attempt to make one."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec

from serving.audit.actor import SERVER, Actor, acting
from serving.audit.allowance import Allowance
from serving.audit.entry import FORMAT, AuditAction, AuditEntry
from serving.audit.reading import AuditPage, AuditQuery
from serving.audit.settings import AuditSettings
from serving.audit.writer import AuditWriter
from serving.errors import ServingError, Unauthorized

__all__ = ("AuditLog", "Change")

_NAME, _REASON, _STATE = 200, 500, 8192
"""Longest name and reason of an entry, characters; largest `before` and `after`, bytes."""

_TOO_LARGE = {"too_large": True}

_QUERY = re.compile(r"(\w+://[^\s?]*)\?\S*")
"""An address with its query, which may hold a signature that opens a bucket."""


@dataclass(slots=True)
class Change:
    """A change that is made; what is set here stands in its entry.

    Attributes:
        model: its name; "": it is about no model.
        version: of the model.
        before: what was so before it.
        after: what is so now.
        reason: why.
        is_dropped: whether it came to nothing that is worth an entry.
    """

    model: str = ""
    version: str = ""
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None
    reason: str = ""
    is_dropped: bool = False


class AuditLog:
    """Every change of one server, and every attempt to make one.

    Args:
        settings: where it is written, and how much of it is kept.

    Attributes:
        suppressed: attempts that were only counted.
    """

    def __init__(self, settings: AuditSettings) -> None:
        self._is_required = settings.required
        self._writer = AuditWriter(settings)
        self._refused = Allowance(settings.refused_per_hour)
        self._failed = Allowance(settings.refused_per_hour)
        self.suppressed = 0

    @property
    def written(self) -> int:
        """Entries since the start of the server."""
        return self._writer.written

    @property
    def lost(self) -> int:
        """Entries that could not be written."""
        return self._writer.lost

    def start(self) -> None:
        """Take up the chain of the file.

        Raises:
            AuditUnavailable: when it cannot be written, and must be.
        """
        self._writer.start()

    def close(self) -> None:
        """Write what waits, and no more."""
        self._tell_suppressed(is_end=True)
        self._writer.close()

    @asynccontextmanager
    async def change(
        self, what: AuditAction, model: str = "", version: str = "", *, is_told: bool = False
    ) -> AsyncIterator[Change]:
        """Take note of a change that somebody asks for, when it is made or has failed.

        Args:
            what: is done.
            model: its name.
            version: of the model.
            is_told: whether `note` tells of it when it is made; here only when it is not.

        Raises:
            AuditUnavailable: when its entry must be written and cannot be; then nothing is changed.
        """
        change = Change(model, version)
        if self._is_required:
            await self._writer.write(_entry(what, change, "begun", acting()))
        try:
            yield change
        except asyncio.CancelledError:
            # Who asked hung up; what was begun goes on.
            self._note_failure(what, change, "cancelled")
            raise
        except ServingError as error:
            change.reason = error.message
            self._note_failure(what, change, error.code)
            raise
        except BaseException:
            self._note_failure(what, change, "fault")
            raise
        if not is_told and not self._is_dropped(change):
            self.note(what, change)

    def note(
        self, what: AuditAction, change: Change, result: str = "ok", by: Actor | None = None
    ) -> None:
        """Take note of what is done; never fails, so that no disk keeps the server from acting.

        Args:
            what: is done.
            change: what of it is to be kept.
            result: "ok", or the code of the error.
            by: who does it; None: whoever acts in this task.
        """
        self._writer.submit(_entry(what, change, result, by or acting()))

    def refuse(self, target: str, error: ServingError, by: Actor) -> None:
        """Take note of an attempt that came to no change; so many an hour, the others are counted.

        Args:
            target: method and address.
            error: why not.
            by: who attempted it.
        """
        if self._may_tell(error.code, by):
            change = Change(reason=f"{target}: {error.message}")
            self._writer.submit(_entry("refuse", change, error.code, by))

    async def page(self, query: AuditQuery) -> AuditPage:
        """Read entries, the latest first, with all that came until now.

        Raises:
            AuditUnavailable: when the file cannot be read.
        """
        return await self._writer.page(query)

    def _is_dropped(self, change: Change) -> bool:
        # What was said to begin is said to end.
        return change.is_dropped and not self._is_required

    def _note_failure(self, what: AuditAction, change: Change, result: str) -> None:
        if not self._is_dropped(change) and self._may_tell(result, acting()):
            self.note(what, change, result)

    def _may_tell(self, result: str, by: Actor) -> bool:
        self._tell_suppressed()
        # Strangers without end shall not keep those with a key from being told of.
        allowance = self._refused if result == Unauthorized.code else self._failed
        if allowance.take(time.monotonic(), by.address.rpartition(":")[0]):
            return True
        self.suppressed += 1
        return False

    def _tell_suppressed(self, *, is_end: bool = False) -> None:
        for kind, allowance in (("were refused", self._refused), ("failed", self._failed)):
            found = allowance.close(time.monotonic(), is_end=is_end)
            if found is not None:
                after = {"attempts": found.count, "hosts": found.hosts, "busiest": found.busiest}
                reason = f"attempts that {kind} and are not told one by one"
                self.note("suppress", Change(after=after, reason=reason), by=SERVER)


def _entry(what: AuditAction, change: Change, result: str, by: Actor) -> AuditEntry:
    """Make an entry, but for its place in the chain."""
    now = datetime.now(UTC)
    return AuditEntry(
        format=FORMAT,
        sequence=0,
        time=now.replace(microsecond=now.microsecond // 1000 * 1000),
        who=by.who,
        key=by.key,
        address=by.address[:_NAME],
        via=by.via,
        agent=by.agent[:_NAME],
        request_id=by.request_id[:_NAME],
        what=what,
        model=change.model[:_NAME],
        version=change.version[:_NAME],
        before=_bounded(change.before),
        after=_bounded(change.after),
        reason=_QUERY.sub(r"\1?...", change.reason)[:_REASON],
        result=result,
        previous="",
    )


def _bounded(state: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    return _TOO_LARGE if state and len(msgspec.json.encode(state)) > _STATE else state
