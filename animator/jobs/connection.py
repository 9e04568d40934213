"""Connections to Redis that outlive a restart of the server."""

from redis import Redis
from redis.asyncio import Redis as AsyncRedis
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import ExponentialWithJitterBackoff, NoBackoff
from redis.retry import Retry

__all__ = ("connect", "connect_async", "connect_once")

_LONGEST_PAUSE = 0.5
_CONNECT_TIMEOUT = 2.0
_ANSWER_TIMEOUT = 5.0
_QUICK_TIMEOUT = 1.0


def connect(url: str, patience: float) -> Redis:
    """A client that tries each command again until the server is back.

    A command whose answer was lost is sent twice; whatever we send may safely be done twice.

    Args:
        url: ``redis://``, ``rediss://`` or ``unix://``.
        patience: seconds, about, after which a command gives up.
    """
    pauses = ExponentialWithJitterBackoff(base=0.02, cap=_LONGEST_PAUSE)
    return Redis.from_url(
        url,
        retry=Retry(pauses, retries=max(round(2 * patience / _LONGEST_PAUSE), 1)),
        socket_connect_timeout=_CONNECT_TIMEOUT,
        socket_timeout=_ANSWER_TIMEOUT,
    )


def connect_once(url: str) -> Redis:
    """A client for a quick look: it tries once, and gives up within a second."""
    return Redis.from_url(
        url,
        retry=Retry(NoBackoff(), retries=0),
        socket_connect_timeout=_QUICK_TIMEOUT,
        socket_timeout=_QUICK_TIMEOUT,
    )


def connect_async(url: str) -> AsyncRedis:
    """A client for one event loop; it fails at once, and its user decides what to do then."""
    return AsyncRedis.from_url(
        url,
        retry=AsyncRetry(NoBackoff(), retries=0),
        socket_connect_timeout=_CONNECT_TIMEOUT,
        socket_timeout=_ANSWER_TIMEOUT,
    )
