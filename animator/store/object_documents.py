"""Documents as objects in a bucket, which many machines may use at a time.

There is no lock over several objects, so three habits stand in for one:

- What must follow what is stored (a revision) or replace what is there (a job's result) is written
  under the condition that nothing else was written since it was read.
- What belongs to a thing is written, and then it is looked whether that thing is still there; who
  deletes a thing deletes it first, then what is listed under it. One of the two finds the other.
- A deletion is noted before it is begun, and done once more when the note is old (`tidy`): what a
  machine that died in between left goes then, and what a late one wrote after it.
"""

from collections.abc import Sequence
from contextlib import suppress
from itertools import compress, islice, takewhile
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
from animator.store.bucket import Bucket, Stored
from animator.store.disk import check_name
from animator.store.listed import (
    FOLDERS,
    LISTED,
    ListedDocuments,
    check_revision,
    entry_of,
    not_found,
)
from animator.store.turns import MOST

__all__ = ("ObjectDocuments",)

_ROUNDS = 20
"""How often others may be faster before a write is given up."""

_Kept = TypeVar("_Kept", DrawingDocument, MotionDocument)

_WITH_OTHERS: dict[str, type] = {
    FOLDERS[kind]: kind for kind in (DrawingDocument, AnimationDocument)
}
"""Kinds to which others belong; their deletion is noted."""


class ObjectDocuments(ListedDocuments):
    """A `DocumentStore` of JSON objects, one prefix a kind, and of empty ones as indices."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket

    def get(self, kind: type[Document], id: str) -> Document:
        """Read a document; see `DocumentStore.get`."""
        return msgspec.json.decode(self._read(kind, id).data, type=kind)

    def get_all(self, kind: type[Document], ids: Sequence[str]) -> tuple[Document, ...]:
        """Read documents, several at a time; see `DocumentStore.get_all`."""

        def find(id: str) -> Document | None:
            with suppress(NotFound):
                return self.get(kind, id)
            return None

        return tuple(found for found in self._bucket.each(find, ids) if found is not None)

    def put(self, id: str, document: Document) -> None:
        """Write a document; see `DocumentStore.put`."""
        self._key(type(document), id)
        self._check(id, document)
        if _replaces(document):
            self._replace(id, document)
        else:
            self._add(id, document)

    def delete(self, kind: type[Document], id: str) -> None:
        """Forget a document and those that belong to it; see `DocumentStore.delete`."""
        with suppress(NotFound):
            if FOLDERS[kind] in _WITH_OTHERS and self._has(kind, id):
                self._bucket.put(f"documents/gone/{FOLDERS[kind]}/{id}", b"")
            self._delete(kind, id)

    def tidy(self, before: float) -> None:
        """Do again what was deleted before an instant, and forget that it was."""
        for note in self._bucket.list("documents/gone/"):
            folder, _, id = note.key.removeprefix("documents/gone/").partition("/")
            if note.written < before and folder in _WITH_OTHERS:
                self._delete(_WITH_OTHERS[folder], id)
                self._bucket.delete(note.key)

    def find_upload(self, owner: str, sha256: str) -> str | None:
        """Id of the owner's drawing that came as these bytes; see `DocumentStore.find_upload`."""
        with suppress(NotFound):
            id = self._bucket.get(_claim_key(owner, sha256)).data.decode()
            if self._has(DrawingDocument, id):
                return id
        return None

    def expired(self, now: float) -> tuple[str, ...]:
        """Ids of the drawings whose time is over; see `DocumentStore.expired`."""
        return self._expired(DrawingDocument, now)

    def expired_motions(self, now: float) -> tuple[str, ...]:
        """Ids of the motions whose time is over; see `DocumentStore.expired_motions`."""
        return self._expired(MotionDocument, now)

    def _add(self, id: str, document: Document) -> None:
        if isinstance(document, Ownership):
            self._claim(id, document)
        entries = _entries(id, document)
        for entry in entries:
            self._bucket.put(entry, b"")
        if isinstance(document, Annotation):
            self._put_revision(id, document)
        else:
            self._bucket.put(self._key(type(document), id), msgspec.json.encode(document))
        try:
            self._check(id, document)
        except NotFound:
            # What it belongs to was deleted meanwhile, perhaps before this was listed.
            self._delete(type(document), id)
            for entry in entries:
                self._bucket.delete(entry)
            raise

    def _put_revision(self, id: str, annotation: Annotation) -> None:
        tag = None
        with suppress(NotFound):
            stored = self._read(Annotation, id)
            check_revision(msgspec.json.decode(stored.data, type=Annotation), annotation)
            tag = stored.tag
        data = msgspec.json.encode(annotation)
        if not self._bucket.put_if(self._key(Annotation, id), data, tag):
            self._require(DrawingDocument, id)
            msg = "The figures were changed by someone else in the meantime."
            raise Conflict(msg)

    def _replace(self, id: str, document: Document) -> None:
        """Write a document in place of the stored one, never where there is none."""
        key, data = self._key(type(document), id), msgspec.json.encode(document)
        for _ in range(_ROUNDS):
            try:
                tag = self._bucket.tag(key)
            except NotFound as error:
                raise not_found(type(document)) from error
            if self._bucket.put_if(key, data, tag):
                return
        msg = "This was changed again and again by others in the meantime."
        raise Conflict(msg)

    def _claim(self, id: str, ownership: Ownership) -> None:
        """Note which drawing an owner's bytes are; of two that come at once, one is refused."""
        key = _claim_key(ownership.owner, ownership.sha256)
        for _ in range(_ROUNDS):
            tag = None
            with suppress(NotFound):
                stored = self._bucket.get(key)
                if stored.data.decode() == id:
                    return
                if self._has(DrawingDocument, stored.data.decode()):
                    break
                tag = stored.tag  # of one that is gone
            if self._bucket.put_if(key, id.encode(), tag):
                return
        msg = "This picture was handed in already."
        raise Conflict(msg)

    def _delete(self, kind: type[Document], id: str) -> None:
        """The document first: whoever adds to it afterwards finds that it is gone."""
        entries: tuple[str, ...] = ()
        with suppress(NotFound):
            if kind in LISTED or kind is DrawingDocument:
                document = self.get(kind, id)
                entries = _entries(id, document)
                if isinstance(document, Ownership):
                    self._drop_claim(id, document)
        self._bucket.delete(self._key(kind, id))
        if kind is DrawingDocument:
            for animation in self._listed("animations_of", id):
                self._delete(AnimationDocument, animation)
                self._bucket.delete(f"documents/animations_of/{id}/{animation}")
            self._delete(Annotation, id)
            self._delete(Consent, id)
            self._delete(Ownership, id)
        if kind is AnimationDocument:
            for share in self._listed("shares_of", id):
                self._delete(Share, share)
                self._bucket.delete(f"documents/shares_of/{id}/{share}")
        for entry in entries:
            self._bucket.delete(entry)

    def _drop_claim(self, id: str, ownership: Ownership) -> None:
        key = _claim_key(ownership.owner, ownership.sha256)
        with suppress(NotFound):
            if self._bucket.get(key).data.decode() == id:
                self._bucket.delete(key)

    def _expired(self, kind: type[_Kept], now: float) -> tuple[str, ...]:
        prefix = f"documents/expiring/{FOLDERS[kind]}/"
        names = (found.key.removeprefix(prefix) for found in self._bucket.list(prefix))
        # The first are gone when this is asked again, and the next have their turn.
        over = list(islice(takewhile(lambda name: name[:14] <= _instant(now), names), MOST))
        ids = [name[15:] for name in over]
        are_expired = self._bucket.each(lambda id: self._is_expired(kind, id, now), ids)
        for name, is_expired in zip(over, are_expired, strict=True):
            if not is_expired:  # it is gone, or kept for another time
                self._bucket.delete(prefix + name)
        return tuple(sorted(compress(ids, are_expired)))

    def _is_expired(self, kind: type[_Kept], id: str, now: float) -> bool:
        try:
            expires = self.get(kind, id).expires
        except NotFound:
            return False
        return expires is not None and expires <= now

    def _names(self, index: str, whose: str) -> list[str]:
        prefix = f"documents/{index}/{whose}/"
        return [found.key.removeprefix(prefix) for found in self._bucket.list(prefix)]

    def _ids(self, kind: type) -> tuple[str, ...]:
        prefix = f"documents/{FOLDERS[kind]}/"
        keys = (found.key for found in self._bucket.list(prefix))
        return tuple(sorted(key.removeprefix(prefix).removesuffix(".json") for key in keys))

    def _has(self, kind: type, id: str) -> bool:
        return self._bucket.has(self._key(kind, id))

    def _read(self, kind: type, id: str) -> Stored:
        key = self._key(kind, id)
        try:
            return self._bucket.get(key)
        except NotFound as error:
            raise not_found(kind) from error

    def _key(self, kind: type, id: str) -> str:
        return f"documents/{FOLDERS[kind]}/{check_name(id)}.json"


def _replaces(document: Document) -> bool:
    """Whether it takes the place of one that was there: no job may bring a deleted one back."""
    match document:
        case DrawingDocument(picture=str()) | MotionDocument(info=MotionInfo()):
            return True
        case AnimationDocument():
            return bool(document.files)
    return False


def _entries(id: str, document: Document) -> tuple[str, ...]:
    """Keys by which a document is found: under what it belongs to, and by when it is over."""
    entries = []
    belonging = entry_of(id, document)
    if belonging is not None:
        index, whose, name = belonging
        entries.append(f"documents/{index}/{check_name(whose)}/{name}")
    if isinstance(document, DrawingDocument | MotionDocument) and document.expires is not None:
        folder = FOLDERS[type(document)]
        entries.append(f"documents/expiring/{folder}/{_instant(document.expires)}-{id}")
    return tuple(entries)


def _instant(seconds: float) -> str:
    """Microseconds since 1970 as a word that sorts like them."""
    return f"{max(round(seconds * 1e6), 0):014x}"


def _claim_key(owner: str, sha256: str) -> str:
    return f"documents/uploads/{check_name(owner)}/{check_name(sha256)}"
