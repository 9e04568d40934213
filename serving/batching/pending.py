"""Pending: one request that waits for its result; and the law on how long it may wait."""

import asyncio
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import msgspec

__all__ = ("BatchLimits", "Pending", "hold_until")

Item = TypeVar("Item")
Result = TypeVar("Result")


class BatchLimits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the batcher keeps to.

    Attributes:
        size: most items of a batch, >= 1.
        delay_s: longest wait for company, seconds, >= 0.
        queue_size: most items that wait, >= 1; more are refused.
    """

    size: int
    delay_s: float
    queue_size: int


@dataclass(slots=True, eq=False)
class Pending(Generic[Item, Result]):
    """One request that waits.

    Attributes:
        item: what the model shall see.
        key: only items of equal keys come into one batch.
        arrived: monotonic seconds.
        deadline: monotonic seconds; its caller is gone after that.
        result: set once, with the result or the error.
        is_queued: whether it still stands in the queue.
    """

    item: Item
    key: Hashable
    arrived: float
    deadline: float
    result: "asyncio.Future[Result]" = field(repr=False)
    is_queued: bool = True


def hold_until(pendings: Sequence[Pending[Item, Result]], delay_s: float) -> float:
    """When the batch must leave at the latest, monotonic seconds.

    Each item waits for company no longer than `delay_s`, and no longer than half of its own time,
    for the model needs some of it too.
    """
    return min(p.arrived + min(delay_s, (p.deadline - p.arrived) / 2) for p in pendings)
