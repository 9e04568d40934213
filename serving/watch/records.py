"""Records: what was seen in a watched place, and what became of it; kept over restarts."""

import logging
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

import msgspec

__all__ = ("Outcome", "Record", "Records")

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
            if path.stat().st_size > _MOST_BYTES:
                raise OSError(f"it has more than {_MOST_BYTES} bytes")
            kept = msgspec.json.decode(path.read_bytes(), type=_Kept)
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
        written = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            written.write_bytes(msgspec.json.format(msgspec.json.encode(kept), indent=2))
            written.replace(path)
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

    def of(self, model: str, version: str) -> Iterator[Record]:
        """Those of one version, under whatever key."""
        return (
            record
            for record in self._by_key.values()
            if (record.model, record.version) == (model, version)
        )
