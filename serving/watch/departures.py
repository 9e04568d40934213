"""Departures: what was in a watched place and is there no longer."""

import logging
from collections.abc import Collection

from serving.audit.log import AuditLog
from serving.errors import ServingError
from serving.watch.counts import WatchCounts
from serving.watch.deployer import Deployer
from serving.watch.records import Record, Records
from serving.watch.waiting import NotNow

__all__ = ("Departures",)

_log = logging.getLogger(__name__)


class Departures:
    """What is taken away from a watched place.

    Args:
        records: what was seen there.
        deployer: serves it no longer.
        audit: takes note.
        counts: told what is removed.

    Attributes:
        is_removing: whether what is taken away there is served no longer.
    """

    def __init__(
        self, records: Records, deployer: Deployer, audit: AuditLog, counts: WatchCounts
    ) -> None:
        self._records = records
        self._deployer = deployer
        self._audit = audit
        self._counts = counts
        self._missing: frozenset[str] = frozenset()
        self._is_empty = False
        self.is_removing = False

    async def look(self, there: Collection[str]) -> None:
        """Deal with what was there and is not: what is missing in two looks is gone.

        What took itself back is remembered, should it come again.

        Args:
            there: keys of what is there now.
        """
        missing = frozenset(
            key
            for key, record in self._records.items().items()
            if key not in there and record.outcome != "rolled_back"
        )
        if missing and not there:
            # A disk that is not mounted looks like this: nothing is taken for gone.
            if not self._is_empty:
                _log.warning("nothing is there any more; what is served goes on")
            self._is_empty = True
            return
        self._is_empty = False
        for key in missing & self._missing:
            record = self._records.get(key)
            if record is not None and await self._is_removed(key, record):
                self._records.forget(key)
        self._missing = missing

    async def _is_removed(self, key: str, record: Record) -> bool:
        """Serve it no longer, where that is wanted; whether it is dealt with."""
        if not self.is_removing or record.outcome != "served":
            return True
        try:
            async with self._audit.change("unregister", record.model, record.version) as change:
                change.reason = f"{key} was taken away"
                try:
                    await self._deployer.remove(record, change)
                except NotNow:
                    change.is_dropped = True
                    raise
        except NotNow:
            return False
        except ServingError as error:
            _log.error("%s was taken away and is served still: %s", key, error)
            return False
        self._counts.removed += 1
        return True
