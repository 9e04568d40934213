"""Stores of either kind, as tests see them: what they hold, and one more over the same place."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from animator.core.places import BucketPlace
from animator.store import BlobStore, DocumentStore, open_stores
from animator.store.bucket import Bucket, Patience

QUICK = Patience(attempts=2, silence=5.0, rest=0.0)

Place = Path | BucketPlace


class Shelf:
    """The stores of a place."""

    def __init__(self, place: Place) -> None:
        self.place = place
        stores = open_stores(place, QUICK)
        self.documents: DocumentStore = stores.documents
        self.blobs: BlobStore = stores.blobs
        self.keys = stores.keys

    def left(self) -> set[str]:
        """Names of all that is kept there, but locks and notes of what was deleted."""
        if isinstance(self.place, Path):
            files = (file for file in self.place.rglob("*") if file.is_file())
            return {str(file.relative_to(self.place)) for file in files} - {"documents/lock"}
        keys = {found.key for found in Bucket(self.place, QUICK).list("")}
        return {key for key in keys if not key.startswith("documents/gone/")}


def succeeds(error: type[Exception], do: Callable[[], None]) -> bool:
    with suppress(error):
        do()
        return True
    return False
