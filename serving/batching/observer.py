"""Observer: who wants to know what a batcher does."""

from collections.abc import Sequence
from typing import Protocol

from serving.batching.waiting import LaunchReason

__all__ = ("Observer",)


class Observer(Protocol):
    """Who wants to know what the batcher does; called in its event loop, must not block."""

    def launched(self, waits_s: Sequence[float], reason: LaunchReason) -> None:
        """Learn that a batch left, and how long each of its items had waited."""
        ...

    def dropped(self, reason: str) -> None:
        """Learn that an item was not run: the code of its error, or "cancelled"."""
        ...
