"""The gallery of motions, and a sign of life."""

import msgspec
from litestar import get

from animator import __version__
from animator.api.services import Services
from animator.core.motion import MotionInfo

__all__ = ("Health", "get_health", "list_motions")


class Health(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """That the web process answers.

    Attributes:
        status: always "ok".
        version: of the product.
        upload_bytes: largest upload that is taken, bytes.
        keep_days: days for which a drawing is kept; None: until it is deleted.
        learning: whether consent to learn from a drawing is taken.
    """

    status: str
    version: str
    upload_bytes: int
    keep_days: int | None
    learning: bool


@get("/api/motions", sync_to_thread=False, tags=["motions"])
def list_motions(services: Services) -> tuple[MotionInfo, ...]:
    """All motions, in the order in which they are shown."""
    return services.motions


@get("/api/health", sync_to_thread=False, tags=["health"])
def get_health(services: Services) -> Health:
    """That the web process answers, and what it takes."""
    return Health(
        status="ok",
        version=__version__,
        upload_bytes=services.limits.upload_bytes,
        keep_days=services.limits.keep_days or None,
        learning=services.learning,
    )
