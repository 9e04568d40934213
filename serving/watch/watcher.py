"""Watcher: looks at a place again and again, and lets what has arrived wholly be served."""

import asyncio
import logging
import random
import time
from collections.abc import Callable, Mapping, Sequence

import msgspec

from serving.archive.content import digest_of
from serving.archive.stored import StoredModel
from serving.audit.actor import Actor, acting_as
from serving.audit.log import AuditLog, Change
from serving.errors import InvalidModel, ServerUnavailable, ServingError, reason_of
from serving.releases.releases import Releases
from serving.watch.counts import WatchCounts
from serving.watch.departures import Departures
from serving.watch.deployer import Deployer
from serving.watch.found import Found, LookFailed, Source
from serving.watch.passing import is_passing
from serving.watch.records import Record, Records, record_of
from serving.watch.waiting import NotNow, Waiting

__all__ = ("Watcher",)

_WATCHER = Actor("watcher")

_log = logging.getLogger(__name__)


class Watcher:
    """Watches a place.

    Args:
        source: the place.
        records: what was seen there.
        deployer: serves what has arrived.
        releases: tells what goes on, and what was taken back.
        audit: takes note.

    Attributes:
        counts: what it has done.
        departures: what is taken away there.
        is_arriving: whether somebody registers what lies at a key just now, who goes first.
    """

    def __init__(
        self,
        source: Source,
        records: Records,
        deployer: Deployer,
        releases: Releases,
        audit: AuditLog,
    ) -> None:
        self._source = source
        self._records = records
        self._deployer = deployer
        self._releases = releases
        self._audit = audit
        self._waiting: dict[str, Waiting] = {}
        self._there: set[str] = set()
        self._has_failed = False
        self.counts = WatchCounts()
        self.departures = Departures(records, deployer, audit, self.counts)
        self.is_arriving: Callable[[str], bool] = lambda _: False
        deployer.was_taken_back = records.was_taken_back
        deployer.holder_of = lambda *version: records.holder_of(self._there, *version)

    async def prepare(self) -> frozenset[str]:
        """Learn what is there before anything is loaded; the keys of what shall not be.

        That is what is not known to be good: it comes later, and spoils no start. Where nothing is
        known of before, everything is loaded.

        Raises:
            ServerUnavailable: when the place cannot be looked at.
        """
        await asyncio.to_thread(self._records.read)
        if not self._records.was_kept:
            return frozenset()
        for record in self._records.items().values():
            if record.is_beside:
                self._deployer.put_beside(record.model, record.version)
        found = await self._first_look()
        return frozenset(each.key for each in found if not self._records.is_known_good(each))

    async def take_up(self, served: Mapping[str, StoredModel], *, is_all: bool) -> None:
        """Go on from what was loaded, and load what was there before and is not; then look on.

        What came meanwhile and is not known waits for the next looks, like all that comes later.

        Args:
            served: by key, what the server has loaded from there by itself.
            is_all: whether it loads nothing from there by itself, so that all is left to this.

        Raises:
            ServerUnavailable: when the place cannot be looked at.
        """
        found = await self._first_look()
        self._there = {each.key for each in found}
        with acting_as(_WATCHER):
            for each in found:
                known = self._records.get(each.key)
                if each.key in served:
                    self._records.set(each.key, record_of(each, served[each.key], known))
                elif self._records.was_kept or is_all:
                    was_served = known is not None and known.outcome == "served"
                    if was_served or not self._records.was_kept:
                        await self._return(each, known)
                else:
                    self._records.set(
                        each.key, Record(signature=each.signature, outcome="passed_over")
                    )
        for key, record in self._records.items().items():
            if key not in self._there and record.outcome != "rolled_back":
                self._records.forget(key)
        await asyncio.to_thread(self._records.save)

    def is_rejected(self, key: str) -> bool:
        """Whether what lies there cannot be served."""
        record = self._records.get(key)
        return record is not None and record.outcome == "rejected"

    async def run(self, interval_s: float) -> None:
        """Look every so many seconds, give or take a tenth, until this is cancelled."""
        while True:
            spread = random.uniform(0.9, 1.1)  # nosec B311: moments are no secrets
            await asyncio.sleep(interval_s * spread)
            try:
                await self.look_once()
            except Exception as error:
                # A fault of ours shall not end the watching, nor be told every few seconds.
                self._tell_failure(error)

    async def look_once(self) -> None:
        """Look, and deploy what has arrived wholly; whatever fails is told in the log."""
        try:
            found = await asyncio.to_thread(self._source.look)
        except LookFailed as error:
            self._tell_failure(error)
            return
        with acting_as(_WATCHER):
            self._there = {each.key for each in found}
            self._learn_rollbacks()
            await self._learn_digests(found)
            pending = [each for each in found if await self._is_pending_still(each)]
            self.counts.pending = len(pending)
            await self.departures.look(self._there)
        await asyncio.to_thread(self._records.save)
        self._has_failed = False
        self.counts.looks += 1
        self.counts.looked_at = time.time()

    async def _first_look(self) -> Sequence[Found]:
        try:
            return await asyncio.to_thread(self._source.look)
        except LookFailed as error:
            msg = f"what shall be watched cannot be looked at: {error}"
            raise ServerUnavailable(msg) from error

    async def _return(self, found: Found, known: Record | None) -> None:
        """Serve at the start what was served before it, or would have been loaded."""
        if found.problem:
            self._note_problem(found)
            return
        await self._attempt(found, known, Waiting(found.signature), is_return=True)

    async def _is_pending_still(self, found: Found) -> bool:
        """Deal with what was found, if it is time; whether it has to wait."""
        known = self._records.get(found.key)
        if known is not None and known.signature == found.signature:
            self._waiting.pop(found.key, None)
            return False
        if self.is_arriving(found.key):
            return True
        waiting = self._waiting.get(found.key)
        if waiting is None or waiting.signature != found.signature:
            waiting = self._waiting[found.key] = Waiting(found.signature)
            if not found.is_whole:
                # What looks the same the next time is no longer being written.
                return True
        if found.problem:
            self._note_problem(found)
            return False
        if time.monotonic() < waiting.not_before or self._releases.is_on(waiting.model):
            return True
        return not await self._attempt(found, known, waiting, is_return=False)

    async def _attempt(
        self, found: Found, known: Record | None, waiting: Waiting, *, is_return: bool
    ) -> bool:
        """Try to deploy; whether that is settled, for good or ill."""
        try:
            record = await self._deploy(found, known, is_return=is_return)
        except NotNow as later:
            waiting.model = later.model
            return False
        except LookFailed as error:
            _log.info("%s", error)
            return False
        except Exception as error:
            if not is_passing(error):
                if not isinstance(error, ServingError):
                    _log.exception("%s could not be deployed", found.key)
                self._reject(found, error)
                return True
            waiting.postpone(time.monotonic())
            _log.error("%s is not served yet: %s", found.key, error)
            return False
        if known is None or record.digest != known.digest:
            self.counts.deployed += 1
        self._records.set(found.key, record)
        self._waiting.pop(found.key, None)
        return True

    async def _deploy(self, found: Found, known: Record | None, *, is_return: bool) -> Record:
        """Bring it here and serve it.

        Raises:
            LookFailed, NotNow: when it has to wait.
            ServingError: why it is not served.
        """
        async with self._audit.change("deploy", found.key) as change:
            change.reason = f"{found.key} was found"
            try:
                brought = await asyncio.to_thread(self._source.bring, found)
                return await self._deployer.deploy(
                    found, brought, known, change, is_return=is_return
                )
            except (LookFailed, NotNow):
                change.is_dropped = True
                raise
            except (ServingError, OSError) as error:
                change.is_dropped = is_passing(error)
                if isinstance(error, OSError):
                    msg = f"{found.key} cannot be read: {reason_of(error)}"
                    raise InvalidModel(msg) from error
                raise

    def _reject(self, found: Found, error: Exception) -> None:
        """Leave it alone until it changes."""
        self.counts.rejected += 1
        _log.error("%s is not served until it changes: %s", found.key, error)
        record = Record(signature=found.signature, outcome="rejected", reason=str(error))
        self._records.set(found.key, record)
        self._waiting.pop(found.key, None)

    def _note_problem(self, found: Found) -> None:
        error = InvalidModel(found.problem)
        change = Change(found.key, reason=found.problem)
        self._audit.note("deploy", change, error.code)
        self._reject(found, error)

    def _learn_rollbacks(self) -> None:
        for key, record in self._records.items().items():
            if (
                record.outcome == "served"
                and self._releases.was_rolled_back(record.model, record.version)
                and not self._releases.is_on(record.model)
            ):
                self._records.set(key, msgspec.structs.replace(record, outcome="rolled_back"))

    async def _learn_digests(self, found: Sequence[Found]) -> None:
        """Hash what the server loaded by itself, so that the same content is known again."""
        for each in found:
            record = self._records.get(each.key)
            is_unknown = record is not None and record.outcome == "served" and not record.digest
            if record is not None and is_unknown and record.signature == each.signature:
                self._records.set(each.key, await asyncio.to_thread(self._hashed, each, record))

    def _hashed(self, found: Found, record: Record) -> Record:
        try:
            digest = digest_of(self._source.bring(found).path)
        except (LookFailed, OSError):
            return record
        return msgspec.structs.replace(record, digest=digest)

    def _tell_failure(self, error: Exception) -> None:
        """Say once that nothing can be seen, until it can."""
        self.counts.failed_looks += 1
        if not self._has_failed:
            self._has_failed = True
            fault = None if isinstance(error, LookFailed) else error
            _log.error("%s; what is served goes on", error, exc_info=fault)
