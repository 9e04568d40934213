"""The owner who asks: what there is of his, and to forget all of it."""

from typing import Any

import msgspec
from litestar import Controller, Request, delete, get

from animator.api.owners import CurrentOwner, forget_cookie
from animator.api.services import Services
from animator.store import forget_drawing, forget_motion

__all__ = ("OwnerController", "OwnerDocument")


class OwnerDocument(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What there is of whoever asks.

    Attributes:
        has_drawings: whether he has handed in any that are still kept.
        keep_days: days for which a drawing is kept; None: until it is deleted.
        learning: whether consent to learn from a drawing is taken here.
    """

    has_drawings: bool
    keep_days: int | None
    learning: bool


class OwnerController(Controller):
    """Routes under /api/owner."""

    path = "/api/owner"
    tags = ("owner",)

    @get(sync_to_thread=True)
    def get_owner(self, owner: CurrentOwner, services: Services) -> OwnerDocument:
        """Whether there is anything of yours here, and how long it is kept."""
        return OwnerDocument(
            has_drawings=bool(services.documents.drawings_of(owner.id)),
            keep_days=services.limits.keep_days or None,
            learning=services.learning,
        )

    @delete(sync_to_thread=True)
    def delete_owner(
        self, request: Request[Any, Any, Any], owner: CurrentOwner, services: Services
    ) -> None:
        """Forget all of your drawings with all that was made of them, motions, and your cookie."""
        for drawing in services.documents.drawings_of(owner.id):
            forget_drawing(services.documents, services.blobs, drawing)
        for motion in services.documents.motions_of(owner.id):
            forget_motion(services.documents, services.blobs, motion.id)
        forget_cookie(request)
