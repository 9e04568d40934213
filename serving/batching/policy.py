"""Policy: who is let into a queue, when its next batch leaves, and who goes with it."""

import math
from collections.abc import Callable, Collection, Sequence
from typing import Generic, TypeVar

from serving.batching.adaptive import Choice, Governor
from serving.batching.company import SAVED, Company
from serving.batching.pending import Batch, BatchLimits, Outcomes, Pending, retry_after_s
from serving.batching.tuner import Tuner
from serving.batching.waiting import Departure, Outlook, Waiting
from serving.errors import Overloaded

__all__ = ("Policy",)

Item = TypeVar("Item")
Result = TypeVar("Result")


class Policy(Generic[Item, Result]):
    """Decides for one queue; who asks says when it is, monotonic seconds.

    Clients who come back are waited for (`Company`) within the law of `hold_until`; where an SLO is
    kept, the `Governor` has the last word.

    Args:
        limits: sizes and delay.
        capacity: how many batches may be under way now.
        tuner: what is known of what batches take, where several queues share it.

    Attributes:
        limits: what is kept to; changed by `keep_to`.
        tuner: what is known of what batches take.
        company: who may still come.
    """

    def __init__(
        self, limits: BatchLimits, capacity: Callable[[], int], tuner: Tuner | None = None
    ) -> None:
        self._capacity = capacity
        self._governor: Governor[Item, Result] | None = None
        self.company = Company()
        self.tuner = tuner or Tuner()
        self.keep_to(limits)

    def keep_to(self, limits: BatchLimits) -> None:
        """Keep to these limits from now on."""
        self.limits = limits
        self.tuner.slo_s = limits.slo_s
        if limits.slo_s is None:
            self._governor = None
        elif self._governor is None:
            self._governor = Governor(self.tuner)

    def admit(
        self,
        pending: Pending[Item, Result],
        waiting: Waiting[Item, Result],
        running: Collection[Batch[Item, Result]],
    ) -> None:
        """Let one in who comes now.

        Args:
            pending: who comes.
            waiting: who is there.
            running: batches under way.

        Raises:
            Overloaded: when the queue is full, when nobody is idle who would have to be, or
                (WouldBeLate) when the answer would come too late.
        """
        limits, count = self.limits, len(waiting)
        if count >= limits.queue_size:
            raise self._overloaded(f"the queue is full: {count} requests wait", count)
        if limits.needs_idle and len(running) + count >= self._capacity():
            raise self._overloaded(
                "every worker is busy, and this model lets no request wait", count
            )
        if self._governor is not None:
            self._governor.admit(pending, waiting, running, self._capacity(), limits.size)
        self.company.note_arrival(pending.arrived, limits.delay_s)

    def next_departure(
        self, waiting: Waiting[Item, Result], now: float, idle_since: float
    ) -> Departure[Item, Result]:
        """Find the group that leaves next, of those who wait, and when it does.

        Args:
            waiting: somebody.
            now: when that is asked.
            idle_since: since when somebody has nothing to do.
        """
        limits, governor = self.limits, self._governor
        saved = SAVED if governor is None else governor.saved(SAVED)
        outlook = Outlook(self.company.expected_until(now, limits.delay_s, saved), idle_since)
        departure = waiting.next_departure(limits, now, outlook)
        return departure if governor is None else governor.bound(departure, limits.size)

    def choose(
        self, departure: Departure[Item, Result], idle: int, now: float
    ) -> Choice[Item, Result]:
        """Choose who of a group goes to one of so many who are idle; each gets his share."""
        most = self.limits.cut(math.ceil(len(departure.group) / idle))
        if self._governor is None:
            return Choice(departure.choose(most), [])
        batch, late = self._governor.choose(departure, most, now)
        return Choice(batch[: self.limits.cut(len(batch))], late)

    def expected_s(self, batch: Sequence[Pending[Item, Result]]) -> float:
        """What they will take together, seconds; 0: nobody asks."""
        return 0.0 if self._governor is None else self._governor.expected_s(batch)

    def note_batch(self, batch: Batch[Item, Result], outcome: Outcomes[Result], now: float) -> None:
        """Learn from a batch that has ended and is not answered yet."""
        self.company.note_batch(now - batch.began if batch.seconds is None else batch.seconds)
        if self._governor is not None:
            self._governor.note(batch, outcome, now)

    def _overloaded(self, why: str, waiting: int) -> Overloaded:
        """The error that says when the workers will be free, as fast as they were lately."""
        batches = math.ceil(max(waiting, 1) / self.limits.size)
        seconds = batches * self.company.batch_s / max(self._capacity(), 1)
        return Overloaded(why, retry_after_s(seconds))
