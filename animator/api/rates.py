"""Rates: how often one client may come, so that one cannot take everything."""

import time
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any, Literal, TypeAlias

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler

from animator.api.owners import Owner
from animator.api.services import ApiServices
from animator.core.errors import TooManyRequests

__all__ = ("RATE", "Rate", "limit_rate", "name_client")

RATE = "rate"
"""Name of the option by which a route says what its requests count as."""

Rate: TypeAlias = Literal["uploads", "animations", "requests"]

_MINUTE = 60


async def limit_rate(
    connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler
) -> None:
    """Count a request, and refuse it when there were too many of its kind in this minute.

    A client is a key, or else an address: a browser can throw its cookie away. When nobody can
    count, requests pass.

    Raises:
        TooManyRequests: when there were too many.
    """
    services: ApiServices = connection.app.state.services
    rate: Rate = handler.opt.get(RATE, "requests")
    owner: Owner = connection.scope["state"]["owner"]
    most = _find_limit(services, rate, owner)
    if services.count is None or most == 0:
        return
    host = connection.client.host if connection.client else ""
    count = await services.count(f"{rate}:{name_client(host, owner.key)}", _MINUTE)
    if count is not None and count > most:
        seconds = _MINUTE - int(time.time()) % _MINUTE
        msg = f"That was too often: at most {most} {rate} a minute. Try again in {seconds} s."
        raise TooManyRequests(msg, retry_after=seconds)


def _find_limit(services: ApiServices, rate: Rate, owner: Owner) -> int:
    if owner.per_minute is not None:
        return owner.per_minute
    return {
        "uploads": services.limits.uploads_a_minute,
        "animations": services.limits.animations_a_minute,
        "requests": services.limits.requests_a_minute,
    }[rate]


def name_client(host: str, key: str | None) -> str:
    """Who is counted as one: the holder of a key, else an address."""
    if key is not None:
        return f"key-{key}"
    try:
        address = ip_address(host)
    except ValueError:
        return "somewhere"  # a Unix socket has no address
    if isinstance(address, IPv6Address):
        # One customer gets a /64 at least, and may come from any address in it.
        return str(ip_network((address, 64), strict=False).network_address)
    return str(address)
