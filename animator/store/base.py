"""What the rest of Animator asks of a store."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

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

__all__ = ("BlobStore", "Document", "DocumentStore", "OpenBlob")

Document = TypeVar(
    "Document",
    AcceptedJob,
    DrawingDocument,
    AnimationDocument,
    Annotation,
    Consent,
    MotionDocument,
    Ownership,
    Share,
)


class DocumentStore(Protocol):
    """Documents by kind and id; annotation, consent and ownership have their drawing's id.

    Calls may block briefly. All raise StorageUnavailable while a store elsewhere is away.
    """

    def get(self, kind: type[Document], id: str) -> Document:
        """Read a document.

        Raises:
            NotFound: when there is none.
        """
        ...

    def get_all(self, kind: type[Document], ids: Sequence[str]) -> tuple[Document, ...]:
        """Read documents, in the order of their ids, without those that are not there."""
        ...

    def put(self, id: str, document: Document) -> None:
        """Write a document, in one piece or not at all.

        Raises:
            Conflict: when an annotation is not of the revision that follows the stored one, or the
                owner has another drawing that came as the same bytes.
            NotFound: when the drawing that it belongs to is gone, or is itself a drawing or a
                motion that was read already or an animation that has files, and is gone.
        """
        ...

    def delete(self, kind: type[Document], id: str) -> None:
        """Forget a document and those that belong to it; one that is not there is no error."""
        ...

    def animations_of(self, drawing: str) -> tuple[AnimationDocument, ...]:
        """All animations of a drawing, oldest first."""
        ...

    def shares_of(self, animation: str) -> tuple[Share, ...]:
        """All shares of an animation, oldest first."""
        ...

    def drawings_of(self, owner: str) -> tuple[str, ...]:
        """Ids of all drawings of an owner, newest first."""
        ...

    def motions_of(self, owner: str) -> tuple[MotionDocument, ...]:
        """All motions that an owner handed in, oldest first."""
        ...

    def find_upload(self, owner: str, sha256: str) -> str | None:
        """Id of the owner's drawing that came as these bytes; None when there is none."""
        ...

    def consents(self) -> tuple[str, ...]:
        """Ids of the drawings that may be learned from, sorted."""
        ...

    def accepted(self) -> tuple[str, ...]:
        """Ids of the jobs that were accepted and have not ended, sorted."""
        ...

    def knows(self, id: str) -> bool:
        """Whether there is a document of this id, of whichever kind."""
        ...

    def expired(self, now: float) -> tuple[str, ...]:
        """Ids of drawings whose time is over at `now` (seconds since 1970).

        A large store gives a part of them, and all with calls some time apart.
        """
        ...

    def expired_motions(self, now: float) -> tuple[str, ...]:
        """Ids of the motions that were handed in whose time is over, likewise."""
        ...

    def tidy(self, before: float) -> None:
        """End what was begun before an instant, seconds since 1970, and not ended by a fault."""
        ...


@dataclass(frozen=True, slots=True)
class OpenBlob:
    """A blob that is about to be read.

    Attributes:
        size: bytes, >= 0.
        stream: gives a part of its bytes, not empty, bit by bit; raises NotFound when it is gone.
    """

    size: int
    stream: Callable[[range], Iterator[bytes]]


class BlobStore(Protocol):
    """Bytes by name; a name is letters, digits, ``-``, ``_`` and single dots between them."""

    def put(self, name: str, data: bytes) -> None:
        """Write a blob, in one piece or not at all."""
        ...

    def put_file(self, name: str, file: Path) -> None:
        """Write a blob from a file, likewise; it is not held in memory."""
        ...

    def get(self, name: str) -> bytes:
        """Read a blob.

        Raises:
            NotFound: when there is none.
        """
        ...

    def open(self, name: str) -> OpenBlob:
        """Prepare to read a blob, or a part of it, without holding it in memory.

        Raises:
            NotFound: when there is none.
        """
        ...

    def delete(self, name: str) -> None:
        """Forget a blob; one that is not there is no error."""
        ...

    def written_before(self, instant: float) -> tuple[str, ...]:
        """Names of blobs last written before an instant, seconds since 1970.

        A large store gives a part of them, and all with calls some time apart.
        """
        ...
