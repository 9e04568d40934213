"""What every store of documents does alike: it asks indices, and reads what they name."""

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from typing import TypeVar

from animator.core.annotation import Annotation
from animator.core.documents import (
    AcceptedJob,
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
from animator.store.disk import ID, check_name

__all__ = (
    "FOLDERS",
    "LISTED",
    "OWNED",
    "ListedDocuments",
    "check_revision",
    "entry_of",
    "not_found",
)

FOLDERS: dict[type, str] = {
    DrawingDocument: "drawings",
    AnimationDocument: "animations",
    MotionDocument: "motions",
    Annotation: "annotations",
    Consent: "consents",
    Ownership: "ownerships",
    Share: "shares",
    AcceptedJob: "accepted",
}
"""Where the documents of a kind are; those first to which blobs belong."""

LISTED = (AnimationDocument, MotionDocument, Ownership, Share)
"""Kinds that are listed in an index under what they belong to."""

OWNED = re.compile(r"([0-9a-f]{14})-([0-9a-f]{64})-([A-Za-z0-9_-]{1,64})")
"""A drawing in the index of its owner: microseconds since 1970, hash of its bytes, id."""

_Dated = TypeVar("_Dated", AnimationDocument, MotionDocument, Share)


def entry_of(id: str, document: Document) -> tuple[str, str, str] | None:
    """Where a document is listed under what it belongs to: index, whose, and the entry's name."""
    match document:
        case AnimationDocument():
            return "animations_of", document.drawing, id
        case Share():
            return "shares_of", document.animation, id
        case MotionDocument():
            return "motions_of", document.owner, id
        case Ownership():
            instant = f"{round(document.created * 1e6):014x}"
            name = check_name(f"{instant}-{document.sha256}-{id}", OWNED)
            return "drawings_of", document.owner, name
    return None


def not_found(kind: type) -> NotFound:
    """That there is no such document, by the word for its kind."""
    return NotFound(f"There is no such {kind.__name__.removesuffix('Document').lower()}.")


class ListedDocuments(ABC):
    """The questions of a `DocumentStore`, over four that each store answers in its own way."""

    @abstractmethod
    def get(self, kind: type[Document], id: str) -> Document:
        """Read a document; see `DocumentStore.get`."""

    def get_all(self, kind: type[Document], ids: Sequence[str]) -> tuple[Document, ...]:
        """Read documents, without those that are not there; see `DocumentStore.get_all`."""
        found: list[Document] = []
        for id in ids:
            with suppress(NotFound):
                found.append(self.get(kind, id))
        return tuple(found)

    @abstractmethod
    def _has(self, kind: type, id: str) -> bool:
        """Whether there is a document of that kind; raises NotFound where that is no id."""

    @abstractmethod
    def _ids(self, kind: type) -> tuple[str, ...]:
        """Ids of all documents of a kind, sorted."""

    @abstractmethod
    def _names(self, index: str, whose: str) -> list[str]:
        """What an index lists under somebody or something, sorted."""

    def animations_of(self, drawing: str) -> tuple[AnimationDocument, ...]:
        """All animations of a drawing, oldest first."""
        return self._those_of("animations_of", drawing, AnimationDocument)

    def shares_of(self, animation: str) -> tuple[Share, ...]:
        """All shares of an animation, oldest first."""
        return self._those_of("shares_of", animation, Share)

    def drawings_of(self, owner: str) -> tuple[str, ...]:
        """Ids of all drawings of an owner, newest first."""
        return tuple(entry[3] for entry in reversed(self._owned(owner)))

    def motions_of(self, owner: str) -> tuple[MotionDocument, ...]:
        """All motions that an owner handed in, oldest first."""
        return self._those_of("motions_of", owner, MotionDocument)

    def find_upload(self, owner: str, sha256: str) -> str | None:
        """Id of the owner's drawing that came as these bytes; None when there is none."""
        found = (entry[3] for entry in self._owned(owner) if entry[2] == sha256)
        return next((id for id in found if self._has(DrawingDocument, id)), None)

    def consents(self) -> tuple[str, ...]:
        """Ids of the drawings that may be learned from, sorted."""
        return self._ids(Consent)

    def accepted(self) -> tuple[str, ...]:
        """Ids of the jobs that were accepted and have not ended, sorted."""
        return self._ids(AcceptedJob)

    def knows(self, id: str) -> bool:
        """Whether there is a document of this id, of whichever kind."""
        return any(self._has(kind, id) for kind in FOLDERS)

    def _check(self, id: str, document: Document) -> None:
        """Refuse what belongs to what is gone, or is itself gone and was there before."""
        match document:
            case Annotation() | Consent() | DrawingDocument(picture=str()):
                self._require(DrawingDocument, id)
            case Ownership():
                self._require(DrawingDocument, id)
                if self.find_upload(document.owner, document.sha256) not in (None, id):
                    msg = "This picture was handed in already."
                    raise Conflict(msg)
            case Share():
                self._require(AnimationDocument, document.animation)
            case AnimationDocument():
                self._require(DrawingDocument, document.drawing)
                if document.files:
                    # It was asked for, so it was there: no job may bring a deleted one back.
                    self._require(AnimationDocument, id)
            case MotionDocument(info=MotionInfo()):
                self._require(MotionDocument, id)  # likewise

    def _require(self, kind: type, id: str) -> None:
        if not self._has(kind, id):
            raise not_found(kind)

    def _those_of(self, index: str, whose: str, kind: type[_Dated]) -> tuple[_Dated, ...]:
        """What is listed there and not gone, oldest first."""
        found = self.get_all(kind, self._listed(index, whose))
        return tuple(sorted(found, key=lambda document: (document.created, document.id)))

    def _owned(self, owner: str) -> list[re.Match[str]]:
        """What an owner's index holds, oldest first."""
        names = self._listed("drawings_of", owner)
        return [entry for name in names if (entry := OWNED.fullmatch(name))]

    def _listed(self, index: str, whose: str) -> list[str]:
        try:
            return self._names(index, check_name(whose, ID))
        except NotFound:
            return []


def check_revision(stored: Annotation, document: Annotation) -> None:
    """Refuse an annotation that does not follow the stored one."""
    if document.revision != stored.revision + 1:
        msg = "The figures were changed by someone else in the meantime."
        raise Conflict(msg)
