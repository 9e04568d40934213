"""Documents and blobs as files in one folder, which several processes may use at a time.

Each file is written beside its place, flushed to the disk, and moved there, so that a reader or a
power cut finds the old one or the new one, whole. What must be checked before it is written is
checked under a lock of the operating system, which a process that dies gives back by itself.
"""

import fcntl
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from animator.core.annotation import Annotation
from animator.core.documents import AnimationDocument, Consent, DrawingDocument
from animator.core.errors import Conflict, NotFound
from animator.store.base import Document

__all__ = ("FileBlobs", "FileDocuments")

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_BLOB = re.compile(r"[A-Za-z0-9_-]{1,64}(\.[A-Za-z0-9_-]{1,32}){0,3}")
_FOLDERS: dict[type, str] = {
    DrawingDocument: "drawings",
    AnimationDocument: "animations",
    Annotation: "annotations",
    Consent: "consents",
}


class FileDocuments:
    """A `DocumentStore` of JSON files: one folder a kind, and an index of animations by drawing."""

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
            if isinstance(document, Annotation):
                self._check_revision(id, document)
            if isinstance(document, Consent):
                self.get(DrawingDocument, id)
            if isinstance(document, AnimationDocument):
                self.get(DrawingDocument, document.drawing)
                if document.files:
                    # It was asked for, so it was there: a job must not bring a deleted one back.
                    self.get(AnimationDocument, id)
                _write(self._index(document.drawing) / id, b"")
            if isinstance(document, DrawingDocument) and document.picture is not None:
                # It was read, so it was there before: a job must not bring a deleted one back.
                self.get(DrawingDocument, id)
            _write(file, msgspec.json.encode(document))

    def delete(self, kind: type[Document], id: str) -> None:
        """Forget a document and those that belong to it; see `DocumentStore.delete`."""
        with self._lock():
            if kind is DrawingDocument:
                self._delete_parts_of(id)
            if kind is AnimationDocument:
                with suppress(NotFound):
                    drawing = self.get(AnimationDocument, id).drawing
                    (self._index(drawing) / id).unlink(missing_ok=True)
            self._unlink(kind, id)

    def animations_of(self, drawing: str) -> tuple[AnimationDocument, ...]:
        """All animations of a drawing, oldest first."""
        found = []
        for id in self._listed(drawing):
            with suppress(NotFound):
                found.append(self.get(AnimationDocument, id))
        return tuple(sorted(found, key=lambda animation: (animation.created, animation.id)))

    def consents(self) -> tuple[str, ...]:
        """Ids of the drawings that may be learned from, sorted."""
        files = (self._folder / _FOLDERS[Consent]).glob("*.json")
        return tuple(sorted(file.stem for file in files if _ID.fullmatch(file.stem)))

    def _check_revision(self, id: str, annotation: Annotation) -> None:
        self.get(DrawingDocument, id)
        try:
            expected = self.get(Annotation, id).revision + 1
        except NotFound:
            return
        if annotation.revision != expected:
            msg = "The figures were changed by someone else in the meantime."
            raise Conflict(msg)

    def _delete_parts_of(self, drawing: str) -> None:
        for animation in self._listed(drawing):
            self._unlink(AnimationDocument, animation)
            (self._index(drawing) / animation).unlink(missing_ok=True)
        with suppress(FileNotFoundError, NotFound):
            self._index(drawing).rmdir()
        self._unlink(Annotation, drawing)
        self._unlink(Consent, drawing)

    def _listed(self, drawing: str) -> list[str]:
        try:
            return [
                file.name for file in self._index(drawing).iterdir() if _ID.fullmatch(file.name)
            ]
        except (FileNotFoundError, NotFound):
            return []

    def _index(self, drawing: str) -> Path:
        return self._folder / "animations_of" / _checked(drawing, _ID)

    def _file(self, kind: type, id: str) -> Path:
        return self._folder / _FOLDERS[kind] / f"{_checked(id, _ID)}.json"

    def _unlink(self, kind: type, id: str) -> None:
        with suppress(NotFound):
            self._file(kind, id).unlink(missing_ok=True)

    @contextmanager
    def _lock(self) -> Iterator[None]:
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / "lock").open("wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


class FileBlobs:
    """A `BlobStore` of one file a blob."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, name: str, data: bytes) -> None:
        """Write a blob; see `BlobStore.put`."""
        _write(self._file(name), data)

    def get(self, name: str) -> bytes:
        """Read a blob; see `BlobStore.get`."""
        try:
            return self._file(name).read_bytes()
        except FileNotFoundError as error:
            msg = "There is no such file."
            raise NotFound(msg) from error

    def delete(self, name: str) -> None:
        """Forget a blob; see `BlobStore.delete`."""
        with suppress(NotFound):
            self._file(name).unlink(missing_ok=True)

    def _file(self, name: str) -> Path:
        return self._folder / _checked(name, _BLOB)


def _checked(name: str, pattern: re.Pattern[str]) -> str:
    """The name, when it can be one; what comes from a URL never becomes another path."""
    if pattern.fullmatch(name) is None:
        msg = "There is nothing of that name."
        raise NotFound(msg)
    return name


def _write(path: Path, data: bytes) -> None:
    """Put a file in its place, whole, and on the disk when this returns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # A name with two dots in a row is neither an id nor a blob, so nobody reads it.
    beside = path.parent / f"..{secrets.token_hex(8)}"
    try:
        with beside.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
