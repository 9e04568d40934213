"""Counting in Redis how often somebody came, over all processes that count there."""

import asyncio
import time
from collections.abc import Callable

import redis.exceptions
from redis.asyncio import Redis

__all__ = ("RedisCounter",)

_PATIENCE = 0.25
"""Seconds; counting must not hold up a request that Redis is not needed for."""


class RedisCounter:
    """Counts in windows of time that begin at multiples of their length (fixed windows).

    Somebody who comes at the end of one window and the beginning of the next can come twice as
    often as is allowed, for once; in exchange, one command counts, whichever process sends it.
    """

    def __init__(self, connect: Callable[[], Redis]) -> None:
        """Prepare to count.

        Args:
            connect: makes a client; called once, by the first that comes.
        """
        self._connect = connect
        self._redis: Redis | None = None

    async def __call__(self, name: str, seconds: int) -> int | None:
        """Count one more of a name; how many there were in this window, or None: Redis is away.

        Args:
            name: what is counted.
            seconds: length of the window, > 0.
        """
        key = f"animator:count:{name}:{int(time.time()) // seconds}"
        self._redis = self._redis or self._connect()
        try:
            async with asyncio.timeout(_PATIENCE), self._redis.pipeline(transaction=True) as pipe:
                pipe.incr(key)
                pipe.expire(key, seconds)
                count, _ = await pipe.execute()
        except (redis.exceptions.RedisError, OSError, TimeoutError):
            return None
        return int(count)

    async def close(self) -> None:
        """Let go of the connections."""
        if self._redis is not None:
            await self._redis.aclose()
