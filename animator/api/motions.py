"""The gallery of motions: the library, and what people hand in for themselves; a sign of life."""

import asyncio
import secrets
import time
from pathlib import PurePath
from typing import Any

import msgspec
from litestar import Controller, Request, Response, delete, get, post
from litestar.exceptions import ClientException
from litestar.params import FromPath

from animator import __version__
from animator.api.owners import CurrentOwner, Owner
from animator.api.rates import RATE
from animator.api.schema import MotionOperation
from animator.api.services import ApiServices, Services
from animator.api.uploads import FORM_OVERHEAD, clean_name, receive
from animator.core.documents import MotionDocument, motion_blob, own_motion, own_motion_id
from animator.core.errors import InvalidMotion, JobFailed
from animator.core.job import new_job
from animator.core.motion import MotionInfo
from animator.store import forget_motion

__all__ = ("Health", "MotionController", "OwnMotion", "get_health", "motions_for")

MOST_BYTES = 5_000_000
"""Of a motion file."""

_TOO_LARGE = f"A motion file has up to {MOST_BYTES // 1_000_000} MB, and is not empty."

MOST_MOTIONS = 50
"""Of one owner; whoever has as many must delete one first."""


class OwnMotion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A motion that was handed in.

    Attributes:
        name: by which animations ask for it; "own-" and an id that nobody can guess.
        title: for people, from the name of the file.
        job: the job that reads it, and says why where that cannot be.
        created: seconds since 1970, UTC.
        expires: seconds since 1970, UTC, when it is forgotten; None: not until it is deleted.
    """

    name: str
    title: str
    job: str
    created: float
    expires: float | None


class Health(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """That the web process answers.

    Attributes:
        status: "ok"; "stopping" when another web process should be asked, if there is one.
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


class MotionController(Controller):
    """Routes under /api/motions."""

    path = "/api/motions"
    tags = ("motions",)

    @get(sync_to_thread=True)
    def list_motions(self, owner: CurrentOwner, services: Services) -> tuple[MotionInfo, ...]:
        """All motions, in the order in which they are shown: the library, then your own."""
        return motions_for(services, owner)

    @post(
        operation_class=MotionOperation,
        opt={RATE: "uploads"},
        request_max_body_size=MOST_BYTES + FORM_OVERHEAD,
    )
    async def create_motion(
        self, request: Request[Any, Any, Any], owner: CurrentOwner, services: Services
    ) -> Response[OwnMotion]:
        """Hand in a BVH file, as the form field `file` or as the body; it is then read by a job.

        A file of more than 5 MB is refused. The job says what is wrong with a file, and where.
        """
        try:
            name, data = await receive(request)
        except ClientException as error:
            if error.status_code == 413:
                raise InvalidMotion(_TOO_LARGE) from error
            raise
        motion = await asyncio.to_thread(_store, services, owner, clean_name(name), data)
        told = OwnMotion(
            name=own_motion(motion.id),
            title=motion.title,
            job=motion.job,
            created=motion.created,
            expires=motion.expires,
        )
        return Response(told, headers={"Location": f"/api/motions/{told.name}"})

    @delete("/{motion_name:str}", sync_to_thread=True)
    def delete_motion(self, motion_name: FromPath[str], services: Services) -> None:
        """Forget one of your own motions; what was animated with it stays."""
        forget_motion(services.documents, services.blobs, own_motion_id(motion_name) or "")


def motions_for(services: ApiServices, owner: Owner) -> tuple[MotionInfo, ...]:
    """The library, then those of an owner that have been read."""
    own = services.documents.motions_of(owner.id)
    return (*services.motions, *(motion.info for motion in own if motion.info is not None))


def _store(services: ApiServices, owner: Owner, name: str, data: bytes) -> MotionDocument:
    if not 0 < len(data) <= MOST_BYTES:
        raise InvalidMotion(_TOO_LARGE)
    if len(services.documents.motions_of(owner.id)) >= MOST_MOTIONS:
        msg = f"You have {MOST_MOTIONS} motions of your own. Delete one, then try again."
        raise InvalidMotion(msg)
    id, now = secrets.token_urlsafe(16), time.time()
    motion = MotionDocument(
        id=id,
        owner=owner.id,
        # files are called after it: no dots that lead out of a folder
        title=PurePath(name).stem.strip(". ") or "motion",
        job=new_job(id),
        created=now,
        expires=services.limits.expiry(now),
    )
    services.blobs.put(motion_blob(id), data)
    services.documents.put(id, motion)
    try:
        services.queue.enqueue_motion(motion.job, id)
    except JobFailed:
        forget_motion(services.documents, services.blobs, id)
        raise
    return motion


@get("/api/health", sync_to_thread=False, tags=["health"])
def get_health(services: Services) -> Response[Health]:
    """That the web process answers, and what it takes; 503 when it is about to stop."""
    is_draining = services.draining.is_set()
    health = Health(
        status="stopping" if is_draining else "ok",
        version=__version__,
        upload_bytes=services.limits.upload_bytes,
        keep_days=services.limits.keep_days or None,
        learning=services.learning,
    )
    return Response(health, status_code=503 if is_draining else 200)
