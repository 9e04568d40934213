"""Records: what was seen in a watched place, and what became of it; kept over restarts."""

import logging
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from serving.archive.stored import StoredModel
from serving.kept_file import read_kept, write_kept
from serving.watch.found import Found

__all__ = ("Outcome", "Record", "Records", "record_of")

_FORMAT = 1
_MOST_BYTES = 64 << 20

Outcome = Literal["served", "rejected", "rolled_back", "passed_over"]
"""What became of it. "passed_over": it was there before, and the settings did not load it."""

_log = logging.getLogger(__name__)


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one archive or folder.

    Attributes:
        signature: of the content that was seen.
        outcome: what became of it.
        digest: SHA-256 of the content; "": nobody has asked yet.
        model: its name; "": it could not be told.
        version: of the model.
        reason: why it was rejected.
        is_beside: whether it answers only who names it.
    """

    signature: str
    outcome: Outcome
    digest: str = ""
    model: str = ""
    version: str = ""
    reason: str = ""
    is_beside: bool = False


class _Kept(msgspec.Struct, frozen=True, kw_only=True):
    format: int
    source: str
    records: dict[str, Record]


class Records:
    """What was seen, by key.

    Args:
        path: of the file where it is kept; None: it is not.
        source: the place; records of another are not taken.

    Attributes:
        was_kept: whether something is known from before the start of the server.
    """

    def __init__(self, path: Path | None, source: str) -> None:
        self._path = path
        self._source = source
        self._by_key: dict[str, Record] = {}
        self._is_changed = False
        self.was_kept = False

    def read(self) -> None:
        """Learn what was kept; what cannot be read is told in the log, and as good as nothing."""
        path = self._path
        if path is None or not path.is_file():
            return
        try:
            kept = read_kept(path, _Kept, _MOST_BYTES)
        except (OSError, msgspec.DecodeError) as error:
            _log.error("%s: what was seen before is not known: %s", path, error)
            return
        if kept.format == _FORMAT and kept.source == self._source:
            self._by_key = kept.records
            self.was_kept = True

    def save(self) -> None:
        """Keep what has changed; a disk that takes nothing is told in the log."""
        path = self._path
        if path is None or not self._is_changed:
            return
        kept = _Kept(format=_FORMAT, source=self._source, records=self._by_key)
        try:
            write_kept(path, kept)
            self._is_changed = False
        except OSError as error:
            _log.error("cannot keep what was seen in %s: %s", path, error.strerror)

    def get(self, key: str) -> Record | None:
        """What is known of a key."""
        return self._by_key.get(key)

    def set(self, key: str, record: Record) -> None:
        """Know this of a key from now on."""
        if self._by_key.get(key) != record:
            self._by_key[key] = record
            self._is_changed = True

    def forget(self, key: str) -> None:
        """Know nothing of a key any more."""
        if self._by_key.pop(key, None) is not None:
            self._is_changed = True

    def items(self) -> Mapping[str, Record]:
        """All of them, as they are now."""
        return dict(self._by_key)

    def is_known_good(self, found: Found) -> bool:
        """Whether just this was seen before, and could be served."""
        record = self._by_key.get(found.key)
        if record is None or record.signature != found.signature:
            return False
        return record.outcome != "rejected"

    def holder_of(
        self, there: Collection[str], key: str, model: str, version: str
    ) -> tuple[str, str] | None:
        """Find a version under another key; that key, and the digest of what is there.

        Args:
            there: keys of what is there now.
            key: that does not count.
            model: its name.
            version: of the model.
        """
        for other, record in self._by_key.items():
            is_meant = (record.model, record.version) == (model, version)
            is_served = record.outcome in {"served", "rolled_back"}
            if is_meant and is_served and other != key and other in there:
                return other, record.digest
        return None

    def was_taken_back(self, model: str, version: str, digest: str) -> bool:
        """Whether a version took itself back with this content, under whatever key."""
        return any(
            (record.model, record.version, record.digest) == (model, version, digest)
            for record in self._by_key.values()
            if record.outcome == "rolled_back"
        )


def record_of(found: Found, stored: StoredModel, known: Record | None) -> Record:
    """What is known of something that the server loaded by itself, at its start.

    Args:
        found: what it is.
        stored: what was loaded.
        known: what was known of its key.
    """
    usual = Record(signature=found.signature, outcome="served")
    before = known if known is not None and known.signature == found.signature else usual
    return Record(
        signature=found.signature,
        outcome="rolled_back" if before.outcome == "rolled_back" else "served",
        digest=stored.sha256 or before.digest,
        model=stored.manifest.name,
        version=stored.manifest.version,
        is_beside=before.is_beside,
    )
