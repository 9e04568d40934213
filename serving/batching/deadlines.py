"""Deadlines: many of them, and one timer."""

import asyncio
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

__all__ = ("Deadlines",)


class _Dated(Protocol):
    deadline: float


Waiter = TypeVar("Waiter", bound=_Dated)


class Deadlines(Generic[Waiter]):
    """Calls for each waiter that is still there at its deadline.

    Nearly all are gone long before, so that the timer is set for the earliest deadline once, and
    again only when that has come: a timer for each request costs more than its place in the queue.

    Args:
        expire: called with each waiter whose deadline has come; it is no longer here then.
    """

    def __init__(self, expire: Callable[[Waiter], None]) -> None:
        self._expire = expire
        self._waiters: dict[Waiter, None] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._due = 0.0

    def add(self, waiter: Waiter) -> None:
        """Watch a waiter; its `deadline` is in the event loop's seconds."""
        self._waiters[waiter] = None
        if self._timer is None or waiter.deadline < self._due:
            self._set_timer(waiter.deadline)

    def discard(self, waiter: Waiter) -> None:
        """Watch it no longer; harmless when nobody does."""
        self._waiters.pop(waiter, None)

    def _set_timer(self, due: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        loop = asyncio.get_running_loop()
        self._due = due
        self._timer = loop.call_later(max(due - loop.time(), 0.0), self._look)

    def _look(self) -> None:
        self._timer = None
        now = asyncio.get_running_loop().time()
        for waiter in [waiter for waiter in self._waiters if waiter.deadline <= now]:
            # One that expires may have taken others with it.
            if waiter in self._waiters:
                del self._waiters[waiter]
                self._expire(waiter)
        if self._waiters:
            self._set_timer(min(waiter.deadline for waiter in self._waiters))
