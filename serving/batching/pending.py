"""Pending: one request that waits for its result; and the laws on who goes first and when."""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

import msgspec

from serving.errors import InferenceFailed, ServingError
from serving.observe.origin import ORIGIN, Origin

__all__ = (
    "PRIORITY_S",
    "Batch",
    "BatchLimits",
    "Outcomes",
    "Pending",
    "hold_until",
    "results_of",
    "retry_after_s",
)

Item = TypeVar("Item")
Result = TypeVar("Result")

Outcomes = Sequence[Result | ServingError] | Exception
"""What came of a batch: a result or an error for each item, in order, or an error for all."""

_RETRY_S = (0.1, 30.0)
"""The least and the most that a client is told to wait before it tries again, seconds."""

PRIORITY_S = 1.0
"""How much earlier than it did a request counts as having come, for each step of its priority,
seconds. So a request waits for those of higher priority that come up to that much later, and not
for ever."""


class BatchLimits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the batcher keeps to.

    Attributes:
        size: most items of a batch, >= 1.
        delay_s: longest wait for company, seconds, >= 0.
        queue_size: most items that wait, >= 1; more are refused.
        preferred_sizes: a batch that is not full is cut to the largest of these that fits.
        wait: whether to wait while somebody is idle (`serving.model_config.BatchWait`).
        needs_idle: whether items that would have to wait for somebody idle are refused.
        slo_s: time from arrival to answer that 99 of 100 answers shall keep, seconds, > 0; size and
            delay are then the most that may be; None: nobody cares.
    """

    size: int
    delay_s: float
    queue_size: int
    preferred_sizes: tuple[int, ...] = ()
    wait: Literal["expected", "never", "always"] = "expected"
    needs_idle: bool = False
    slo_s: float | None = None

    def cut(self, count: int) -> int:
        """How many of so many go into a batch now."""
        most = min(count, self.size)
        fitting = [size for size in self.preferred_sizes if size <= most]
        return max(fitting) if fitting and most < self.size else most


@dataclass(slots=True, eq=False)
class Pending(Generic[Item, Result]):
    """One request that waits.

    Attributes:
        item: what the model shall see.
        key: only items of equal keys come into one batch.
        arrived: monotonic seconds.
        deadline: monotonic seconds; its caller is gone after that.
        on_result: called once, with the result or the error, unless it is cancelled before.
        rank: when it counts as having come; the least goes first.
        sequence: of all items with the same one, none goes before the one ahead is answered.
        is_queued: whether it still stands in the queue.
        is_settled: whether nobody waits any more.
        origin: where it comes from; None: nobody said.
        due: by when the SLO wants it answered, monotonic seconds; inf: there is none.
    """

    item: Item
    key: Hashable
    arrived: float
    deadline: float
    on_result: Callable[[Result | ServingError], None] = field(repr=False)
    rank: float = 0.0
    sequence: str | None = None
    is_queued: bool = True
    is_settled: bool = False
    origin: Origin | None = field(default_factory=ORIGIN.get, repr=False)
    due: float = math.inf

    def settle(self, result: Result | ServingError) -> bool:
        """Give a result or an error to whoever still waits for it; whether somebody did."""
        if self.is_settled:
            return False
        self.is_settled = True
        on_result, self.on_result = self.on_result, _forget
        on_result(result)
        return True


def _forget(_: object) -> None:
    """Stands for who was told: they hold the request, and it them, until garbage is collected."""


class Batch(Generic[Item, Result]):
    """Items that go together.

    Args:
        pendings: those who wait for them, in order.
        on_finish: called once, with what `finish` is given.
        began: when it left the queue, monotonic seconds.

    Attributes:
        give_up: called when nobody waits any more; set by who works on it.
        seconds: what the model took for it, set by who knows; None: nobody does.
        expected_s: what it was expected to take, seconds; 0: nobody knew.
    """

    __slots__ = (
        "_on_finish", "began", "expected_s", "give_up", "is_finished", "items", "pendings",
        "seconds",
    )  # fmt: skip

    def __init__(
        self,
        pendings: Sequence[Pending[Item, Result]],
        on_finish: "Callable[[Batch[Item, Result], Outcomes[Result]], None]",
        began: float = 0.0,
    ) -> None:
        self.pendings = pendings
        self.items: Sequence[Item] = [pending.item for pending in pendings]
        self.give_up: Callable[[], None] | None = None
        self.seconds: float | None = None
        self.expected_s = 0.0
        self.began = began
        self.is_finished = False
        self._on_finish = on_finish

    def settle(self, index: int, result: Result | ServingError) -> bool:
        """Answer one of them before the others are done; whether somebody waited for it."""
        return self.pendings[index].settle(result)

    def finish(self, outcome: "Outcomes[Result]") -> None:
        """Answer all: each with its result, or all with an error. Only the first call counts."""
        if not self.is_finished:
            self.is_finished = True
            self._on_finish(self, outcome)


def results_of(outcome: Outcomes[Result], size: int) -> Sequence[Result | ServingError]:
    """What came of each item of a batch of that size; an outcome that does not fit is an error."""
    if isinstance(outcome, ServingError):
        return [outcome] * size
    if isinstance(outcome, Exception):
        return [InferenceFailed(f"{type(outcome).__name__}: {outcome}")] * size
    if len(outcome) != size:
        return [InferenceFailed(f"{len(outcome)} results came for {size} items")] * size
    return outcome


def retry_after_s(seconds: float) -> float:
    """When a client is told to try again that could do so then, seconds from now."""
    return min(max(seconds, _RETRY_S[0]), _RETRY_S[1])


def hold_until(
    pendings: Sequence[Pending[Item, Result]], delay_s: float, idle_since: float = -math.inf
) -> float:
    """When the batch must leave at the latest, monotonic seconds.

    No item waits longer than half of its own time, for the model needs some of it too.

    Args:
        pendings: of the batch.
        delay_s: how long each may wait for company, seconds.
        idle_since: before that they waited for a worker, and not for company, monotonic seconds.
    """
    return min(
        min(max(p.arrived, idle_since) + delay_s, (p.arrived + p.deadline) / 2) for p in pendings
    )
