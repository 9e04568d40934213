"""Adaptive: how large a batch is, how long it waits and whom it refuses, so that an SLO is kept.

`docs/self-tuning.md` argues for what is done here and shows what it is worth. Nothing here reads a
clock or a socket: who asks says when it is, monotonic seconds.
"""

import heapq
import math
from collections.abc import Collection, Sequence
from typing import Generic, NamedTuple, TypeVar

from serving.batching.cost import BatchCost
from serving.batching.pending import Batch, Outcomes, Pending, retry_after_s
from serving.batching.tuner import Tuner
from serving.batching.waiting import Departure, Waiting
from serving.errors import WouldBeLate

__all__ = ("Choice", "Governor", "late")

Item = TypeVar("Item")
Result = TypeVar("Result")

_NEAR = 0.5
"""An answer with less than so much of the SLO to spare says something of the aim."""

_BEYOND_HELP = 3.0
"""A batch that took more than so many times what was expected was held up: to aim lower would not
have saved it."""


class Choice(NamedTuple, Generic[Item, Result]):
    """Who leaves the queue.

    Attributes:
        batch: those who may go, in order.
        late: those for whom it is too late, and who are refused.
    """

    batch: "list[Pending[Item, Result]]"
    late: "list[Pending[Item, Result]]"


class Governor(Generic[Item, Result]):
    """Decides for one queue.

    Args:
        tuner: what is known.
    """

    def __init__(self, tuner: Tuner) -> None:
        self._tuner = tuner
        self._rate = 0.0  # arrivals a second, those refused included
        self._last = -math.inf

    def admit(
        self,
        pending: Pending[Item, Result],
        waiting: Waiting[Item, Result],
        running: Collection[Batch[Item, Result]],
        capacity: int,
        most: int,
    ) -> None:
        """Say by when one that comes now is due, and refuse it if it will be late.

        Its batch is expected to be joined by those who come until it leaves, as many as do of late.
        So nearly all are taken at the beginning of a burst, and when it goes on those who come
        last before a batch leaves, which can be large then.

        Args:
            pending: who comes.
            waiting: who is there.
            running: batches under way.
            capacity: how many there may be.
            most: items of a batch.

        Raises:
            WouldBeLate: with the time after which one like it would not be.
        """
        now = pending.arrived
        pending.due = self._tuner.due(now, pending.deadline)
        self._note_arrival(now)
        cost, idle = self._tuner.costs.of(pending.key), capacity - len(running)
        if not self._tuner.is_keeping or capacity < 1 or not cost.count:
            return
        if idle > 0 and not waiting:
            # Were such refused, nobody would ever learn that it can be in time again.
            return
        free = [now] * idle + [_expected_end(batch, now) for batch in running]
        most = cost.worthwhile(most)
        leaves, place = self._foresee(pending, waiting, free, most)
        joined = place
        if place == 1:
            joined = min(place + int(self._rate * (leaves - now)), most)
        over_s = self._carefully(leaves - now + cost.seconds(joined)) - (pending.due - now)
        if over_s > 0:
            raise late(over_s)

    def expected_s(self, batch: Sequence[Pending[Item, Result]]) -> float:
        """What they will take together, seconds."""
        return self._tuner.costs.of(batch[0].key).seconds(len(batch))

    def saved(self, otherwise: float) -> float:
        """Share of a batch's time that one saves who joins the one before, in [0, 1]."""
        cost = self._tuner.costs.overall
        if not self._tuner.is_keeping or not cost.count:
            return otherwise
        return cost.fixed_s / max(cost.seconds(1), 1e-9)

    def bound(self, departure: Departure[Item, Result], most: int) -> Departure[Item, Result]:
        """Let a group leave before one more would make its oldest late."""
        if not self._tuner.is_keeping:
            return departure
        group = departure.group
        cost = self._tuner.costs.of(group[0].key)
        latest = group[0].due - self._carefully(cost.seconds(min(len(group) + 1, most)))
        if departure.at <= latest:
            return departure
        return Departure(latest, "slo", group)

    def choose(
        self, departure: Departure[Item, Result], most: int, now: float
    ) -> Choice[Item, Result]:
        """Choose who of a group goes: as many as are in time together, and none that is late.

        Args:
            departure: of the group.
            most: items of the batch.
            now: monotonic seconds.
        """
        if not self._tuner.is_keeping:
            return Choice(departure.choose(most), [])
        cost = self._tuner.costs.of(departure.group[0].key)
        most = cost.worthwhile(most)
        alone_s = cost.seconds(1)
        too_late: list[Pending[Item, Result]] = []
        batch: list[Pending[Item, Result]] = []
        for pending in departure.choose(len(departure.group)):
            # What a sequence has been promised is kept: the model remembers what came before.
            if pending.sequence is None and _is_late(pending, alone_s, now):
                too_late.append(pending)
            elif len(batch) < most:
                batch.append(pending)
        most = self._in_time(batch, cost, now) if cost.count else 1
        return Choice(batch[:most], too_late)

    def note(self, batch: Batch[Item, Result], outcome: Outcomes[Result], now: float) -> None:
        """Learn from a batch that has ended; from one that failed there is nothing to learn."""
        if isinstance(outcome, Exception):
            return
        near_s = _NEAR * (self._tuner.slo_s or 0.0)
        took_s = now - batch.began
        was_held_up = took_s > _BEYOND_HELP * batch.expected_s > 0
        ends = [pending.due - now for pending in batch.pendings if not pending.is_settled]
        near = sum(left_s < near_s for left_s in ends)
        if not was_held_up:
            self._tuner.note_answers(near, sum(left_s < 0 for left_s in ends))
        self._tuner.note_batch(batch.pendings[0].key, len(batch.items), took_s)

    def _in_time(self, batch: Sequence[Pending[Item, Result]], cost: BatchCost, now: float) -> int:
        """How many of them, from the first on, are in time together; at least one goes."""
        due = math.inf
        for count, pending in enumerate(batch, 1):
            due = min(due, pending.due)
            if now + self._carefully(cost.seconds(count)) > due:
                return max(count - 1, 1)
        return len(batch)

    def _carefully(self, seconds: float) -> float:
        """What is planned for what is expected to take so long."""
        return seconds / self._tuner.aim

    def _foresee(
        self,
        pending: Pending[Item, Result],
        waiting: Waiting[Item, Result],
        free: list[float],
        most: int,
    ) -> tuple[float, int]:
        """When the batch of one who comes will leave, and which place it has in it, from 1."""
        heapq.heapify(free)
        groups = list(waiting.groups())
        own = next((group for group in groups if group[0].key == pending.key), None)
        for group in groups:
            cost = self._tuner.costs.of(group[0].key)
            count = len(group)
            if group is own:
                is_last = group[-1].rank <= pending.rank
                ahead = count if is_last else sum(p.rank <= pending.rank for p in group)
                count = ahead + 1
            done = 0
            while done < count:
                leaves = heapq.heappop(free)
                if group is own and done == count - 1:
                    return leaves, 1
                fits = cost.fitting(self._tuner.aim * (group[done].due - leaves), most)
                size = min(max(fits, 1), count - done)
                if group is own and done + size == count:
                    return leaves, size
                heapq.heappush(free, leaves + cost.seconds(size))
                done += size
        return free[0], 1

    def _note_arrival(self, now: float) -> None:
        """Follow the rate over about one SLO: what is shorter is a burst."""
        over_s = self._tuner.slo_s or 1.0
        self._rate = self._rate * math.exp(-(now - self._last) / over_s) + 1 / over_s
        self._last = now


def late(retry_s: float) -> WouldBeLate:
    """What is told to who is refused, or dropped, for he cannot be answered in time."""
    return WouldBeLate("the model is too busy to answer in time", retry_after_s(retry_s))


def _expected_end(batch: Batch[Item, Result], now: float) -> float:
    """When a batch will be done; one that is late already will be as late again."""
    expected = batch.began + batch.expected_s
    return max(expected, 2 * now - expected)


def _is_late(pending: Pending[Item, Result], alone_s: float, now: float) -> bool:
    """Whether it cannot be in time any more.

    Who was late already when he came, for one of his kind takes too long, is taken for that by no
    guess: were such never run, nobody would learn when that has changed.
    """
    if alone_s > pending.due - pending.arrived:
        return now > pending.due
    return now + alone_s > pending.due
