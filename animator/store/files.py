"""Documents as files in one folder, which several processes may use at a time.

Each file is written beside its place, flushed to the disk, and moved there, so that a reader or a
power cut finds the old one or the new one, whole. What must be checked before it is written is
checked under a lock of the operating system, which a process that dies gives back by itself.
"""

import fcntl
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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
from animator.core.errors import Conflict, NotFound
from animator.core.motion import MotionInfo
from animator.store.base import Document
from animator.store.disk import ID, check_name, list_names, mark, write_file

__all__ = ("FileDocuments",)

_FOLDERS: dict[type, str] = {
    DrawingDocument: "drawings",
    AnimationDocument: "animations",
    Annotation: "annotations",
    Consent: "consents",
    MotionDocument: "motions",
    Ownership: "ownerships",
    Share: "shares",
}
_LISTED = (AnimationDocument, MotionDocument, Ownership, Share)
"""Kinds that are listed in an index under what they belong to."""

_Dated = TypeVar("_Dated", AnimationDocument, MotionDocument, Share)
_Perishable = TypeVar("_Perishable", DrawingDocument, MotionDocument)

_ENTRY = re.compile(r"([0-9a-f]{14})-([0-9a-f]{64})-([A-Za-z0-9_-]{1,64})")
"""A drawing in the index of its owner: microseconds since 1970, hash of its bytes, id."""


class FileDocuments:
    """A `DocumentStore` of JSON files: one folder a kind, and an index a kind of belonging."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, kind: type[Document], id: str) -> Document:
        """Read a document; see `DocumentStore.get`."""
        try:
            data = self._file(kind, id).read_bytes()
        except FileNotFoundError as error:
            msg = f"There is no such {kind.__name__.removesuffix('Document').lower()}."
            raise NotFound(msg) from error
        return msgspec.json.decode(data, type=kind)

    def put(self, id: str, document: Document) -> None:
        """Write a document; see `DocumentStore.put`."""
        file = self._file(type(document), id)
        with self._lock():
            self._check(id, document)
            entry = self._entry(id, document)
            if entry is not None:
                mark(entry)
            write_file(file, msgspec.json.encode(document))

    def delete(self, kind: type[Document], id: str) -> None:
        """Forget a document and those that belong to it; see `DocumentStore.delete`."""
        with self._lock():
            self._delete(kind, id)

    def animations_of(self, drawing: str) -> tuple[AnimationDocument, ...]:
        """All animations of a drawing, oldest first."""
        return self._those_of("animations_of", drawing, AnimationDocument)

    def shares_of(self, animation: str) -> tuple[Share, ...]:
        """All shares of an animation, oldest first."""
        return self._those_of("shares_of", animation, Share)

    def drawings_of(self, owner: str) -> tuple[str, ...]:
        """Ids of all drawings of an owner, newest first."""
        return tuple(entry[3] for entry in reversed(self._entries(owner)))

    def motions_of(self, owner: str) -> tuple[MotionDocument, ...]:
        """All motions that an owner handed in, oldest first."""
        return self._those_of("motions_of", owner, MotionDocument)

    def find_upload(self, owner: str, sha256: str) -> str | None:
        """Id of the owner's drawing that came as these bytes; None when there is none."""
        found = (entry[3] for entry in self._entries(owner) if entry[2] == sha256)
        return next((id for id in found if self._file(DrawingDocument, id).exists()), None)

    def consents(self) -> tuple[str, ...]:
        """Ids of the drawings that may be learned from, sorted."""
        return self._ids(Consent)

    def knows(self, id: str) -> bool:
        """Whether there is a document of this id, of whichever kind."""
        return any(self._file(kind, id).exists() for kind in _FOLDERS)

    def expired(self, now: float) -> tuple[str, ...]:
        """Ids of the drawings whose time is over; see `DocumentStore.expired`."""
        return self._expired(DrawingDocument, now)

    def expired_motions(self, now: float) -> tuple[str, ...]:
        """Ids of the motions whose time is over; see `DocumentStore.expired_motions`."""
        return self._expired(MotionDocument, now)

    def _check(self, id: str, document: Document) -> None:
        """Refuse what does not follow the stored one, or belongs to what is gone."""
        match document:
            case Annotation():
                self._check_revision(id, document)
            case Consent():
                self.get(DrawingDocument, id)
            case Ownership():
                self.get(DrawingDocument, id)
                if self.find_upload(document.owner, document.sha256) not in (None, id):
                    msg = "This picture was handed in already."
                    raise Conflict(msg)
            case Share():
                self.get(AnimationDocument, document.animation)
            case AnimationDocument():
                self.get(DrawingDocument, document.drawing)
                if document.files:
                    # It was asked for, so it was there: no job may bring a deleted one back.
                    self.get(AnimationDocument, id)
            case MotionDocument(info=MotionInfo()):
                self.get(MotionDocument, id)  # likewise
            case DrawingDocument(picture=str()):
                # It was read, so it was there before: no job may bring a deleted one back.
                self.get(DrawingDocument, id)

    def _check_revision(self, id: str, annotation: Annotation) -> None:
        self.get(DrawingDocument, id)
        try:
            expected = self.get(Annotation, id).revision + 1
        except NotFound:
            return
        if annotation.revision != expected:
            msg = "The figures were changed by someone else in the meantime."
            raise Conflict(msg)

    def _entry(self, id: str, document: Document) -> Path | None:
        """Where a document is listed under what it belongs to."""
        match document:
            case AnimationDocument():
                return self._index("animations_of", document.drawing) / id
            case Share():
                return self._index("shares_of", document.animation) / id
            case MotionDocument():
                return self._index("motions_of", document.owner) / id
            case Ownership():
                instant = f"{round(document.created * 1e6):014x}"
                name = check_name(f"{instant}-{document.sha256}-{id}", _ENTRY)
                return self._index("drawings_of", document.owner) / name
        return None

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
            if kind in _LISTED:
                self._delete_entry(self._entry(id, self.get(kind, id)))
            self._file(kind, id).unlink(missing_ok=True)

    def _delete_entry(self, entry: Path | None) -> None:
        if entry is not None:
            entry.unlink(missing_ok=True)
            with suppress(OSError):  # others are in the folder, or it is gone already
                entry.parent.rmdir()

    def _those_of(self, index: str, whose: str, kind: type[_Dated]) -> tuple[_Dated, ...]:
        """What is listed there and not gone, oldest first."""
        found: list[_Dated] = []
        for id in self._listed(index, whose):
            with suppress(NotFound):
                found.append(self.get(kind, id))
        return tuple(sorted(found, key=lambda document: (document.created, document.id)))

    def _entries(self, owner: str) -> list[re.Match[str]]:
        """What an owner's index holds, oldest first."""
        names = self._listed("drawings_of", owner, _ENTRY)
        return [entry for name in names if (entry := _ENTRY.fullmatch(name))]

    def _listed(self, index: str, whose: str, pattern: re.Pattern[str] = ID) -> list[str]:
        try:
            return list_names(self._index(index, whose), pattern)
        except NotFound:
            return []

    def _expired(self, kind: type[_Perishable], now: float) -> tuple[str, ...]:
        return tuple(id for id in self._ids(kind) if self._is_expired(kind, id, now))

    def _is_expired(self, kind: type[_Perishable], id: str, now: float) -> bool:
        try:
            expires = self.get(kind, id).expires
        except NotFound:
            return False
        return expires is not None and expires <= now

    def _ids(self, kind: type) -> tuple[str, ...]:
        names = list_names(self._folder / _FOLDERS[kind], re.compile(rf"{ID.pattern}\.json"))
        return tuple(sorted(name.removesuffix(".json") for name in names))

    def _index(self, name: str, whose: str) -> Path:
        return self._folder / name / check_name(whose)

    def _file(self, kind: type, id: str) -> Path:
        return self._folder / _FOLDERS[kind] / f"{check_name(id)}.json"

    @contextmanager
    def _lock(self) -> Iterator[None]:
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / "lock").open("wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
