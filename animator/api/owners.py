"""Owners: who asks, by a cookie or a key; and that nobody reaches what is another's.

An owner is a name: of a key, ``key-`` and the key's name; of a browser, the hash of a token that it
keeps as a cookie. The token itself is stored nowhere. A browser gets one with the first thing that
it hands in, so who only looks gets no cookie.
"""

import asyncio
import functools
import hashlib
import logging
import re
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

from litestar import Request
from litestar.connection import ASGIConnection
from litestar.datastructures import Cookie, MutableScopeHeaders
from litestar.di import NamedDependency
from litestar.handlers import BaseRouteHandler
from litestar.params import SkipValidation
from litestar.types import Message, Scope

from animator.api.belonging import Belonging
from animator.api.services import ApiServices
from animator.core.documents import (
    DrawingDocument,
    MotionDocument,
    Share,
    own_motion_id,
)
from animator.core.errors import InvalidKey, KeyRequired, NotFound, StorageUnavailable
from animator.core.job import subject_of
from animator.store import DocumentStore
from animator.store.keys import BadKeys

__all__ = (
    "COOKIE",
    "PUBLIC",
    "SAFE",
    "CurrentOwner",
    "Owner",
    "forget_cookie",
    "provide_owner",
    "recognise_owner",
    "refuse_others",
    "set_owner_cookie",
)

logger = logging.getLogger(__name__)

COOKIE = "animator_owner"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
PUBLIC = "public"
"""Name of the option of a route that everybody may use who knows the address."""

_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
_LONGEST = 400 * 24 * 3600
"""Seconds; browsers keep no cookie for longer."""

Connection: TypeAlias = ASGIConnection[Any, Any, Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Who asks.

    Attributes:
        id: what is stored with what he owns; owns nothing where he has neither cookie nor key.
        token: the cookie to be set; empty to have it forgotten, None to leave it as it is.
        key: name of his key, if any.
        per_minute: requests a minute that his key allows; None: as for everybody.
    """

    id: str
    token: str | None = None
    key: str | None = None
    per_minute: int | None = None


NOBODY = Owner(id="nobody")

CurrentOwner: TypeAlias = NamedDependency[SkipValidation[Owner]]
"""How a route asks for the owner: by a parameter called `owner`."""


def forget_cookie(request: Request[Any, Any, Any]) -> None:
    """Have the browser forget its token with the answer to this request."""
    request.scope["state"]["owner"] = Owner(id=NOBODY.id, token="")


async def provide_owner(request: Request[Any, Any, Any]) -> Owner:
    """Who asks, as `recognise_owner` found."""
    owner: Owner = request.scope["state"]["owner"]
    return owner


async def recognise_owner(connection: Connection, _: BaseRouteHandler) -> None:
    """Find out who asks; who changes something and has no token yet gets one.

    Raises:
        InvalidKey: when there is a key, and it is nobody's.
        KeyRequired: when this server takes things only from holders of a key.
    """
    services: ApiServices = connection.app.state.services
    # The keys may lie elsewhere.
    has_key = "Authorization" in connection.headers
    find = functools.partial(_find_owner, connection, services)
    connection.scope["state"]["owner"] = await asyncio.to_thread(find) if has_key else find()


def _find_owner(connection: Connection, services: ApiServices) -> Owner:
    scheme, _, key = connection.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return _owner_of_key(key.strip(), services)
    is_change = connection.scope["method"] not in SAFE  # type: ignore[typeddict-item]
    if is_change and not services.access.anonymous:
        msg = "This server needs a key: send it as `Authorization: Bearer KEY`."
        raise KeyRequired(msg)
    token = connection.cookies.get(COOKIE, "")
    if _TOKEN.fullmatch(token):
        # A change sets the cookie anew, so that it lasts as long as what was handed in.
        return Owner(id=_hash(token), token=token if is_change else None)
    if not is_change:
        return NOBODY
    token = secrets.token_urlsafe(32)
    return Owner(id=_hash(token), token=token)


def _owner_of_key(key: str, services: ApiServices) -> Owner:
    try:
        found = services.access.find_key(key)
    except BadKeys as error:
        # Where the list lies, and what is wrong with it, is for whoever runs this server.
        logger.error("%s", error.message)
        raise StorageUnavailable(error.message) from error
    if found is None:
        msg = "This key is not known here: ask whoever runs this server for one."
        raise InvalidKey(msg)
    return Owner(id=f"key-{found.name}", key=found.name, per_minute=found.per_minute)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


async def refuse_others(connection: Connection, handler: BaseRouteHandler) -> None:
    """Answer as if there were nothing, where the address names what is another's.

    Which drawing it is about, the parameters of the address say: `drawing_id`, `animation_id`,
    `job_id`, `share_id` or `motion_name`. Routes with the option `public` are open to all.

    Raises:
        NotFound: when it is another's.
    """
    if not connection.path_params or PUBLIC in handler.opt:
        return
    services: ApiServices = connection.app.state.services
    owner: Owner = connection.scope["state"]["owner"]
    belongs = _Check(services.documents, connection.app.state.belonging, owner.id)
    await asyncio.to_thread(belongs.check, connection.path_params)


@dataclass(frozen=True, slots=True)
class _Check:
    """Looks whether things are an owner's; that they are there, their routes find out."""

    documents: DocumentStore
    belonging: Belonging
    owner: str

    def check(self, params: Mapping[str, Any]) -> None:
        if "drawing_id" in params:
            self._check_drawing(params["drawing_id"], "drawing")
        if "animation_id" in params:
            self._check_animation(params["animation_id"], "animation")
        if "share_id" in params:
            share = self.documents.get(Share, params["share_id"])
            self._check_animation(share.animation, "share")
        if "motion_name" in params:
            motion = self.documents.get(MotionDocument, own_motion_id(params["motion_name"]) or "")
            self._check_owner(motion.owner, "motion")
        if "job_id" in params:
            self._check_job(subject_of(params["job_id"]))

    def _check_job(self, subject: str) -> None:
        """A job is about a drawing, or a motion that was handed in, and its news outlive both."""
        if not self._check_drawing(subject, "job"):
            with suppress(NotFound):
                motion = self.documents.get(MotionDocument, subject)
                self._check_owner(motion.owner, "job")
                return
        self.documents.get(DrawingDocument, subject)

    def _check_animation(self, id: str, what: str) -> None:
        self._check_drawing(self.belonging.drawing_of(id), what)

    def _check_drawing(self, id: str, what: str) -> bool:
        """Whether it is somebody's; else whoever has the id may use it, if there is one at all."""
        try:
            owner = self.belonging.owner_of(id)
        except NotFound:
            return False
        self._check_owner(owner, what)
        return True

    def _check_owner(self, owner: str, what: str) -> None:
        if owner != self.owner:
            msg = f"There is no such {what}."
            raise NotFound(msg)


async def set_owner_cookie(message: Message, scope: Scope) -> None:
    """Give a browser its token, with an answer that is no error."""
    owner: Owner = scope.get("state", {}).get("owner", NOBODY)
    if message["type"] != "http.response.start" or message["status"] >= 400:
        return
    if owner.token is None:
        return
    services: ApiServices = scope["litestar_app"].state.services
    lifetime = services.limits.keep_seconds or _LONGEST
    cookie = Cookie(
        key=COOKIE,
        value=owner.token,
        max_age=min(lifetime, _LONGEST) if owner.token else 0,
        httponly=True,
        samesite="strict",
        secure=scope["scheme"] == "https",
    )
    headers = MutableScopeHeaders.from_message(message)
    headers.add("Set-Cookie", cookie.to_header(header=""))
