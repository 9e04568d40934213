"""What belongs to whom: facts that never change once they are written, so they are read once."""

from functools import lru_cache, partial

from animator.core.documents import AnimationDocument, Ownership
from animator.store import DocumentStore

__all__ = ("Belonging",)

_MOST = 10_000
"""Facts of each kind that are remembered, a quarter of a kilobyte each; then the oldest go."""


class Belonging:
    """Whose a drawing is, and of which drawing an animation.

    A store elsewhere is asked once for each. What was deleted may still be remembered: whoever goes
    by an answer must read the thing itself, too.
    """

    def __init__(self, documents: DocumentStore, most: int = _MOST) -> None:
        """Remember nothing yet.

        Args:
            documents: where it is written.
            most: facts of each kind that are remembered, > 0.
        """
        # What is not found is not remembered: it may be written any moment.
        self._owner_of = lru_cache(most)(partial(_read_owner, documents))
        self._drawing_of = lru_cache(most)(partial(_read_drawing, documents))

    def owner_of(self, drawing: str) -> str:
        """Whose a drawing is; raises NotFound when it is nobody's, or there is none."""
        return self._owner_of(drawing)

    def drawing_of(self, animation: str) -> str:
        """Of which drawing an animation is; raises NotFound when there is no such animation."""
        return self._drawing_of(animation)


def _read_owner(documents: DocumentStore, drawing: str) -> str:
    return documents.get(Ownership, drawing).owner


def _read_drawing(documents: DocumentStore, animation: str) -> str:
    return documents.get(AnimationDocument, animation).drawing
