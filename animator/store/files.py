"""Documents as files in one folder, which several processes may use at a time.

Each file is written beside its place, flushed to the disk, and moved there, so that a reader or a
power cut finds the old one or the new one, whole. What must be checked before it is written is
checked under a lock of the operating system, which a process that dies gives back by itself.
"""

import re
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from animator.core.annotation import Annotation
from animator.core.documents import (
    AnimationDocument,
    Consent,
    DrawingDocument,
    MotionDocument,
    Ownership,
    Share,
)
from animator.core.errors import NotFound
from animator.store.base import Document
from animator.store.disk import ID, check_name, list_names, locked, mark, write_file
from animator.store.listed import (
    FOLDERS,
    LISTED,
    OWNED,
    ListedDocuments,
    check_revision,
    entry_of,
    not_found,
)
from animator.store.turns import part_of

__all__ = ("FileDocuments",)

_Perishable = TypeVar("_Perishable", DrawingDocument, MotionDocument)


class FileDocuments(ListedDocuments):
    """A `DocumentStore` of JSON files: one folder a kind, and an index a kind of belonging."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, kind: type[Document], id: str) -> Document:
        """Read a document; see `DocumentStore.get`."""
        try:
            data = self._file(kind, id).read_bytes()
        except FileNotFoundError as error:
            raise not_found(kind) from error
        return msgspec.json.decode(data, type=kind)

    def put(self, id: str, document: Document) -> None:
        """Write a document; see `DocumentStore.put`."""
        file = self._file(type(document), id)
        with self._lock():
            self._check(id, document)
            if isinstance(document, Annotation):
                with suppress(NotFound):
                    check_revision(self.get(Annotation, id), document)
            entry = self._entry(id, document)
            if entry is not None:
                mark(entry)
            write_file(file, msgspec.json.encode(document))

    def delete(self, kind: type[Document], id: str) -> None:
        """Forget a document and those that belong to it; see `DocumentStore.delete`."""
        with self._lock():
            self._delete(kind, id)

    def tidy(self, before: float) -> None:
        """Nothing to do: what a fault left of a deletion is still found by its document."""

    def expired(self, now: float) -> tuple[str, ...]:
        """Ids of the drawings whose time is over; see `DocumentStore.expired`."""
        return self._expired(DrawingDocument, now)

    def expired_motions(self, now: float) -> tuple[str, ...]:
        """Ids of the motions whose time is over; see `DocumentStore.expired_motions`."""
        return self._expired(MotionDocument, now)

    def _entry(self, id: str, document: Document) -> Path | None:
        """Where a document is listed under what it belongs to."""
        entry = entry_of(id, document)
        if entry is None:
            return None
        index, whose, name = entry
        return self._index(index, whose) / name

    def _delete(self, kind: type[Document], id: str) -> None:
        if kind is DrawingDocument:
            for animation in self._listed("animations_of", id):
                self._delete(AnimationDocument, animation)
            self._delete(Annotation, id)
            self._delete(Consent, id)
            self._delete(Ownership, id)
        if kind is AnimationDocument:
            for share in self._listed("shares_of", id):
                self._delete(Share, share)
        with suppress(NotFound):
            if kind in LISTED:
                self._delete_entry(self._entry(id, self.get(kind, id)))
            self._file(kind, id).unlink(missing_ok=True)

    def _delete_entry(self, entry: Path | None) -> None:
        if entry is not None:
            entry.unlink(missing_ok=True)
            with suppress(OSError):  # others are in the folder, or it is gone already
                entry.parent.rmdir()

    def _names(self, index: str, whose: str) -> list[str]:
        pattern = OWNED if index == "drawings_of" else ID
        return list_names(self._index(index, whose), pattern)

    def _has(self, kind: type, id: str) -> bool:
        return self._file(kind, id).exists()

    def _expired(self, kind: type[_Perishable], now: float) -> tuple[str, ...]:
        return tuple(id for id in part_of(self._ids(kind), now) if self._is_expired(kind, id, now))

    def _is_expired(self, kind: type[_Perishable], id: str, now: float) -> bool:
        try:
            expires = self.get(kind, id).expires
        except NotFound:
            return False
        return expires is not None and expires <= now

    def _ids(self, kind: type) -> tuple[str, ...]:
        names = list_names(self._folder / FOLDERS[kind], re.compile(rf"{ID.pattern}\.json"))
        return tuple(sorted(name.removesuffix(".json") for name in names))

    def _index(self, name: str, whose: str) -> Path:
        return self._folder / name / check_name(whose)

    def _file(self, kind: type, id: str) -> Path:
        return self._folder / FOLDERS[kind] / f"{check_name(id)}.json"

    def _lock(self) -> AbstractContextManager[None]:
        return locked(self._folder / "lock")
