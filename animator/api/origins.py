"""Origins: changes that a page of another site asks for, in the name of whoever looks at it."""

from typing import Any
from urllib.parse import urlsplit

from litestar.config.cors import CORSConfig
from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler

from animator.api.owners import SAFE
from animator.api.services import ApiServices
from animator.core.errors import ForeignOrigin

__all__ = ("describe_cors", "refuse_foreign_origins")

_OURS = frozenset({"same-origin", "none"})


def describe_cors(origins: tuple[str, ...]) -> CORSConfig | None:
    """What browsers let pages of other origins do: nothing, unless they are named."""
    if not origins:
        return None
    return CORSConfig(
        allow_origins=list(origins),
        allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
        allow_headers=["Authorization", "Content-Type", "If-Match", "If-None-Match"],
        expose_headers=["ETag", "Link", "Location", "Retry-After"],
        allow_credentials=True,
    )


async def refuse_foreign_origins(
    connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler
) -> None:
    """Take changes from our own page, from origins that were named, and from no browser at all.

    Browsers say where a request comes from (Fetch Metadata, and RFC 6454 for older ones); programs
    say nothing, and have no cookies of others.

    Raises:
        ForeignOrigin: when another page asks.
    """
    services: ApiServices = connection.app.state.services
    origin = connection.headers.get("Origin")
    if connection.scope["method"] in SAFE or origin in services.access.origins:  # type: ignore[typeddict-item]
        return
    site = connection.headers.get("Sec-Fetch-Site")
    if site is not None:
        is_ours = site in _OURS
    else:
        is_ours = origin is None or _host_of(origin) == connection.headers.get("Host")
    if not is_ours:
        msg = "A page of another site may not change anything here."
        raise ForeignOrigin(msg)


def _host_of(origin: str) -> str | None:
    """Host and port of an origin; None where it is none."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None
