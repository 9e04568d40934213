"""Shares: an address at which everybody who knows it may look at one animation, for a while."""

import secrets
import time
from typing import Annotated, Any

import msgspec
from litestar import Controller, Request, Response, delete, get, post
from litestar.params import FromPath, JSONBody

from animator.api.animation_files import send_file
from animator.api.owners import PUBLIC
from animator.api.services import ApiServices, Services
from animator.core.animation import AnimationFormat
from animator.core.documents import AnimationDocument, DrawingDocument, Share
from animator.core.errors import NotFound

__all__ = ("ShareController",)

_DAY = 24 * 3600


class ShareRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How long an animation is to be shared.

    Attributes:
        days: 1..365; never longer than the drawing is kept.
    """

    days: Annotated[int, msgspec.Meta(ge=1, le=365)] = 30


class ShareDocument(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A share, as its owner sees it.

    Attributes:
        id: unguessable, URL-safe.
        animation: id of the animation.
        created: seconds since 1970, UTC.
        expires: seconds since 1970, UTC.
        url: the page that shows it, on this host.
    """

    id: str
    animation: str
    created: float
    expires: float
    url: str


class SharedFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file that everybody may have.

    Attributes:
        format: which of the formats.
        url: where it is, on this host.
        bytes: its size.
    """

    format: AnimationFormat
    url: str
    bytes: int


class SharedAnimation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is shared, as everybody sees it: nothing of the drawing or its owner.

    Attributes:
        motion: name of the motion.
        width: of the frames, pixels; None while no file is ready.
        height: of the frames, pixels; None while no file is ready.
        expires: seconds since 1970, UTC.
        files: those that are ready.
    """

    motion: str
    width: int | None
    height: int | None
    expires: float
    files: tuple[SharedFile, ...]


class ShareController(Controller):
    """Routes under /api/shares, and under the animation that is shared."""

    path = "/api"
    tags = ("shares",)

    @post("/animations/{animation_id:str}/shares", sync_to_thread=True)
    def create_share(
        self, animation_id: FromPath[str], data: JSONBody[ShareRequest], services: Services
    ) -> Response[ShareDocument]:
        """Let everybody who knows the new address look at an animation."""
        animation = services.documents.get(AnimationDocument, animation_id)
        kept = services.documents.get(DrawingDocument, animation.drawing).expires
        now = time.time()
        end = now + data.days * _DAY
        share = Share(
            id=secrets.token_urlsafe(16),
            animation=animation_id,
            created=now,
            expires=end if kept is None else min(end, kept),
        )
        services.documents.put(share.id, share)
        return Response(_describe(share), headers={"Location": f"/api/shares/{share.id}"})

    @get("/animations/{animation_id:str}/shares", sync_to_thread=True)
    def list_shares(
        self, animation_id: FromPath[str], services: Services
    ) -> tuple[ShareDocument, ...]:
        """The shares of an animation whose time is not over, oldest first."""
        services.documents.get(AnimationDocument, animation_id)
        shares = services.documents.shares_of(animation_id)
        return tuple(_describe(share) for share in shares if share.expires > time.time())

    @delete("/shares/{share_id:str}", sync_to_thread=True)
    def delete_share(self, share_id: FromPath[str], services: Services) -> None:
        """Stop sharing: the address leads nowhere from now on."""
        services.documents.get(Share, share_id)
        services.documents.delete(Share, share_id)

    @get("/shares/{share_id:str}", sync_to_thread=True, opt={PUBLIC: True})
    def get_share(self, share_id: FromPath[str], services: Services) -> SharedAnimation:
        """What is shared; needs no owner."""
        share, animation = _find(services, share_id)
        return SharedAnimation(
            motion=animation.request.motion,
            width=next((file.width for file in animation.files), None),
            height=next((file.height for file in animation.files), None),
            expires=share.expires,
            files=tuple(
                SharedFile(
                    format=file.format,
                    url=f"/api/shares/{share_id}/file.{file.format.suffix}",
                    bytes=file.bytes,
                )
                for file in animation.files
            ),
        )

    @get("/shares/{share_id:str}/{file_name:str}", sync_to_thread=True, opt={PUBLIC: True})
    def get_shared_file(
        self,
        share_id: FromPath[str],
        file_name: FromPath[str],
        request: Request[Any, Any, Any],
        services: Services,
    ) -> Response[bytes]:
        """A file of what is shared, by its format: `file.gif`, `file.track`."""
        _, animation = _find(services, share_id)
        return send_file(services, request, animation, file_name)


def _describe(share: Share) -> ShareDocument:
    return ShareDocument(
        id=share.id,
        animation=share.animation,
        created=share.created,
        expires=share.expires,
        url=f"/shared/{share.id}",
    )


def _find(services: ApiServices, id: str) -> tuple[Share, AnimationDocument]:
    """A share whose time is not over, and what it shows."""
    share = services.documents.get(Share, id)
    if share.expires <= time.time():
        msg = "This animation is not shared any more."
        raise NotFound(msg)
    return share, services.documents.get(AnimationDocument, share.animation)
