"""Connections to Redis that outlive a restart of the server, or its place being taken by another.

A URL names one server (``redis://``, ``rediss://``, ``unix://``), or the sentinels that know which
server is the master (``redis+sentinel://``, ``rediss+sentinel://``). User, password and database
stand in it as in redis-py, and so do options of TLS: ``ssl_ca_certs``, ``ssl_certfile``,
``ssl_keyfile``, ``ssl_check_hostname``.
"""

import time
from collections.abc import Callable
from typing import Any, TypeVar

import redis.exceptions
from redis import Redis
from redis.asyncio import Redis as AsyncRedis
from redis.asyncio.retry import Retry as AsyncRetry
from redis.asyncio.sentinel import Sentinel as AsyncSentinel
from redis.backoff import ExponentialWithJitterBackoff, NoBackoff
from redis.connection import SSLConnection, parse_url
from redis.retry import Retry
from redis.sentinel import (
    Sentinel,
    SentinelManagedConnection,
    SentinelManagedSSLConnection,
)

from animator.core.places import SentinelPlace, read_sentinels

__all__ = ("connect", "connect_async", "connect_once")

# redis-py gives these no types.
_SENTINEL: Any = Sentinel
_ASYNC_SENTINEL: Any = AsyncSentinel
_PARSE: Any = parse_url

_LONGEST_PAUSE = 0.5
_CONNECT_TIMEOUT = 2.0
_ANSWER_TIMEOUT = 5.0
_QUICK_TIMEOUT = 1.0
_SENTINEL_TIMEOUT = 1.0

_AWAY = (redis.exceptions.ConnectionError, redis.exceptions.TimeoutError, OSError)
_FINAL = (redis.exceptions.AuthenticationError, redis.exceptions.AuthorizationError)
"""These are errors of connections too, but do not pass."""

_CLOSED = (
    redis.exceptions.ReadOnlyError,
    redis.exceptions.OutOfMemoryError,
    # Of a transaction as a whole, where each command of it was taken: one of these happened since.
    redis.exceptions.ExecAbortError,
)
_REFUSALS = ("NOREPLICAS", "MISCONF")
"""How a master says that it knows too few replicas (min-replicas), or cannot write to its disk."""

_Answer = TypeVar("_Answer")


def _never() -> bool:
    """Nothing ends before its time."""
    return False


def connect(url: str, patience: float, is_stopping: Callable[[], bool] = _never) -> Redis:
    """A client that tries each command again until the server is back, or another in its place.

    A command whose answer was lost is sent twice; whatever we send may safely be done twice.

    Args:
        url: see above.
        patience: seconds after which a command gives up.
        is_stopping: whether there is no time left to try again; asked from any thread.
    """
    return _open(url, _PatientRetry(patience, is_stopping), _ANSWER_TIMEOUT)


def connect_once(url: str) -> Redis:
    """A client for a quick look: it tries once, and gives up within a second."""
    return _open(url, Retry(NoBackoff(), retries=0), _QUICK_TIMEOUT)


def connect_async(url: str) -> AsyncRedis:
    """A client for one event loop; it fails at once, and its user decides what to do then."""
    options: dict[str, Any] = {
        "retry": AsyncRetry(NoBackoff(), retries=0),
        "socket_connect_timeout": _CONNECT_TIMEOUT,
        "socket_timeout": _ANSWER_TIMEOUT,
    }
    place = read_sentinels(url)
    if place is None:
        return AsyncRedis.from_url(url, **options)
    guides, server = _options(place)
    sentinel = _ASYNC_SENTINEL(place.sentinels, sentinel_kwargs=guides)
    client: _AsyncMaster = sentinel.master_for(
        place.master, redis_class=_AsyncMaster, **{**server, **options}
    )
    client.guides = sentinel.sentinels
    return client


class _PatientRetry(Retry):
    """Tries again what fails in passing, for so many seconds in all.

    What runs inside what is tried again (a connection is made to send a command) has no patience
    of its own, but what is left.
    """

    def __init__(self, patience: float, is_stopping: Callable[[], bool]) -> None:
        pauses = ExponentialWithJitterBackoff(base=0.02, cap=_LONGEST_PAUSE)
        super().__init__(pauses, retries=-1)
        self._patience = patience
        self._is_stopping = is_stopping
        self._deadline: float | None = None

    def __deepcopy__(self, _: object) -> "_PatientRetry":
        """One for each connection; all ask whether to stop in the same place."""
        return _PatientRetry(self._patience, self._is_stopping)

    def call_with_retry(
        self,
        do: Callable[[], _Answer],
        fail: Callable[..., Any],
        is_retryable: Callable[[Exception], bool] | None = None,
        with_failure_count: bool = False,
    ) -> _Answer:
        """Do it, and again; see `redis.retry.Retry`."""
        is_outermost = self._deadline is None
        deadline = self._deadline or time.monotonic() + self._patience
        self._deadline = deadline
        try:
            return self._call(do, fail, deadline, with_failure_count)
        finally:
            if is_outermost:
                self._deadline = None

    def _call(
        self, do: Callable[[], _Answer], fail: Callable[..., Any], deadline: float, counts: bool
    ) -> _Answer:
        failures = 0
        while True:
            try:
                return do()
            except (redis.exceptions.RedisError, OSError) as error:
                if not _is_passing(error):
                    raise
                failures += 1
                fail(*((error, failures) if counts else (error,)))
                pause = self._backoff.compute(failures)
                if self._is_stopping() or time.monotonic() + pause > deadline:
                    raise _as_away(error) from error
            time.sleep(pause)


def _is_passing(error: Exception) -> bool:
    """Whether it may be well in a moment."""
    return not isinstance(error, _FINAL) and (isinstance(error, _AWAY) or _takes_nothing(error))


def _takes_nothing(error: Exception) -> bool:
    """Whether a server is there, but lets nobody write."""
    is_refusal = any(word in str(error) for word in _REFUSALS)
    return isinstance(error, _CLOSED) or (
        isinstance(error, redis.exceptions.ResponseError) and is_refusal
    )


def _as_away(error: Exception) -> Exception:
    """A server that takes nothing counts as away."""
    return redis.exceptions.ConnectionError(str(error)) if _takes_nothing(error) else error


def _open(url: str, retry: Retry, timeout: float) -> Redis:
    options: dict[str, Any] = {
        "retry": retry,
        "socket_connect_timeout": min(_CONNECT_TIMEOUT, timeout),
        "socket_timeout": timeout,
    }
    place = read_sentinels(url)
    if place is None:
        return Redis.from_url(url, **options)
    guides, server = _options(place)
    sentinel = _SENTINEL(place.sentinels, sentinel_kwargs=guides)
    kind = _ToMasterOverTls if server.get("ssl") else _ToMaster
    options |= {"connection_class": kind, "redis_class": _Master}
    client: _Master = sentinel.master_for(place.master, **{**server, **options})
    client.guides = sentinel.sentinels
    return client


class _Whole:
    """A connection that ends when reading from it is cut short, as by the signal of a time-out.

    redis-py's other connections do; in one that is told by sentinels the answer would stay, to be
    taken for that of the next command.
    """

    def read_response(self, *args: Any, disconnect_on_error: bool = True, **kwargs: Any) -> Any:
        """Read an answer; see `redis.connection.Connection`."""
        above: Any = super()
        return above.read_response(*args, disconnect_on_error=disconnect_on_error, **kwargs)


class _ToMaster(_Whole, SentinelManagedConnection):  # type: ignore[misc]
    """To the master that sentinels name."""


class _ToMasterOverTls(_Whole, SentinelManagedSSLConnection):  # type: ignore[misc]
    """Likewise, over TLS."""


class _Master(Redis):
    """The master that sentinels name; the connections to them are closed with it."""

    guides: list[Redis]

    def close(self) -> None:
        """Let go of all connections."""
        super().close()
        for guide in self.guides:
            guide.close()


class _AsyncMaster(AsyncRedis):
    """Likewise, for one event loop."""

    guides: list[AsyncRedis]

    async def aclose(self, close_connection_pool: bool | None = None) -> None:
        """Let go of all connections."""
        await super().aclose(close_connection_pool)
        for guide in self.guides:
            await guide.aclose()


def _options(place: SentinelPlace) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is said to the sentinels, and what to the server.

    They share the options of TLS; a sentinel's own user and password are ``sentinel_username`` and
    ``sentinel_password`` in the URL.
    """
    server: dict[str, Any] = _PARSE(place.server)
    del server["host"]
    tls = {name: value for name, value in server.items() if name.startswith("ssl_")}
    if server.pop("connection_class", None) is SSLConnection:
        tls["ssl"] = server["ssl"] = True
    guides = {
        name: server.pop(f"sentinel_{name}")
        for name in ("username", "password")
        if f"sentinel_{name}" in server
    }
    timeouts = {"socket_connect_timeout": _SENTINEL_TIMEOUT, "socket_timeout": _SENTINEL_TIMEOUT}
    return {**tls, **guides, **timeouts}, server
