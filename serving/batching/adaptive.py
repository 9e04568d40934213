"""Adaptive: how large a batch is, how long it waits and whom it refuses, so that an SLO is kept.

`docs/self-tuning.md` argues for what is done here and shows what it is worth. Nothing here reads a
clock or a socket: who asks says when it is, monotonic seconds.
"""

import heapq
import logging
import math
from collections.abc import Hashable, Sequence
from typing import Generic, NamedTuple, TypeVar

from serving.batching.cost import BatchCost, Costs
from serving.batching.pending import Batch, Outcomes, Pending
from serving.batching.waiting import Departure, Waiting

__all__ = ("Choice", "Governor", "Tuner")

Item = TypeVar("Item")
Result = TypeVar("Result")

_LATE = 0.005
"""Share of the answers near the limit that may be late. Half of what a p99 allows, for a p99 is
also measured over times that are too short to be exact."""

_STEP = 0.05
"""How much of the aim a late answer costs, of 1."""

_AIMS = (0.5, 0.9, 0.98)
"""Least, first and greatest aim."""

_SURE = 5
"""How many batches must have been seen before it is told that an SLO cannot be kept."""

_NEAR = 0.5
"""An answer with less than so much of the SLO to spare says something of the aim."""

_BEYOND_HELP = 3.0
"""A batch that took more than so many times what was expected was held up: to aim lower would not
have saved it."""

_HOPE = 0.9
"""An SLO that could not be kept can be again once a lone item takes no more than this of it."""

_EASE = 0.02
"""How much of what requests took more, beside queue and model, each one forgets, of 1."""

_log = logging.getLogger(__name__)


class Tuner:
    """What is known of one model version and its SLO; its queues share it.

    Args:
        slo_s: as in `BatchLimits`.

    Attributes:
        name: of the version, for the log.
        slo_s: as in `BatchLimits`; may change.
        costs: what batches take.
        aim: share of the SLO that is planned with, in (0, 1); the rest is for errors of the plan.
        is_hopeless: whether even a lone item takes longer than the SLO; nothing is refused then.
    """

    def __init__(self, slo_s: float | None = None) -> None:
        self.name = ""
        self.slo_s = slo_s
        self.costs = Costs()
        self.aim = _AIMS[1]
        self.is_hopeless = False
        self._is_told = False
        self._beside_s = 0.0

    @property
    def target_s(self) -> float:
        """From arrival to answer, as it is planned, seconds."""
        return math.inf if self.slo_s is None else self.aim * self.slo_s

    @property
    def is_keeping(self) -> bool:
        """Whether there is an SLO, and it can be kept."""
        return self.slo_s is not None and not self.is_hopeless

    def size(self, most: int) -> int:
        """The largest batch, of at most `most`, that an item which has just come can go in."""
        if not self.is_keeping:
            return most
        if not self.costs.overall.count:
            return 1
        cost = self.costs.overall
        return max(cost.fitting(self.target_s, cost.worthwhile(most)), 1)

    def delay_s(self, most_s: float) -> float:
        """The longest that a lone item can wait for company, at most `most_s`, seconds."""
        if not self.is_keeping:
            return most_s
        return min(max(self.target_s - self.costs.overall.seconds(1), 0.0), most_s)

    def due(self, arrived: float, deadline: float) -> float:
        """When an item must be answered, by the SLO or its own deadline."""
        if self.slo_s is None:
            return deadline
        return min(arrived + self.slo_s - self._beside_s, deadline)

    def note_beside(self, seconds: float) -> None:
        """Learn what a request took beside queue and model: bodies may be decoded elsewhere.

        The most of late is what counts: no answer is in time by what most requests take.
        """
        self._beside_s = max(seconds, self._beside_s + _EASE * (seconds - self._beside_s))

    def note_batch(self, kind: Hashable, size: int, seconds: float) -> None:
        """Learn what a batch took from leaving the queue to its answers, seconds."""
        slo_s = self.slo_s or math.inf
        self.costs.note(kind, size, seconds)
        alone_s = self.costs.overall.seconds(1)
        room_s = slo_s - self._beside_s
        self.is_hopeless = alone_s > room_s * (_HOPE if self.is_hopeless else 1)
        if self.is_hopeless == self._is_told or self.costs.overall.count < _SURE:
            return
        self._is_told = self.is_hopeless
        if self.is_hopeless:
            _log.warning(
                "%s: slo_p99_ms = %g cannot be kept, for one item alone takes %.3g ms; nothing is "
                "refused for it: give the model more threads or a faster device, or more time",
                self.name, slo_s * 1000, alone_s * 1000,
            )  # fmt: skip
        else:
            _log.info("%s: slo_p99_ms = %g can be kept again", self.name, slo_s * 1000)

    def note_answers(self, near: int, late: int) -> None:
        """Learn how many answers of a batch came near the limit, and how many of these after it.

        The aim moves up by a little for each that is in time and down by much for one that is not,
        so that it rests where the share `_LATE` of them is late, whatever the reason (Gibbs and
        Candès, "Adaptive Conformal Inference Under Distribution Shift", 2021).
        """
        if near:
            least, _, most = _AIMS
            self.aim = min(max(self.aim + _STEP * (_LATE - late / near), least), most)


class Choice(NamedTuple, Generic[Item, Result]):
    """Who leaves the queue.

    Attributes:
        batch: those who go, in order.
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
        self.tuner = tuner
        self._rate = 0.0  # arrivals a second, those refused included
        self._last = -math.inf

    def refusal(
        self,
        pending: Pending[Item, Result],
        waiting: Waiting[Item, Result],
        free: Sequence[float],
        most: int,
    ) -> float | None:
        """Whether one that comes now will be late; None: it will be in time.

        Its batch is expected to be joined by those who come until it leaves, as many as do of late.
        So nearly all are taken at the beginning of a burst, and when it goes on those who come
        last before a batch leaves, which can be large then.

        Args:
            pending: who comes; it is due from now on.
            waiting: who is there.
            free: when each worker will be, monotonic seconds.
            most: items of a batch.

        Returns:
            When one like it would be in time, seconds from now, > 0.
        """
        now = pending.arrived
        self._note_arrival(now)
        cost = self.tuner.costs.of(pending.key)
        if not self.tuner.is_keeping or not free or not cost.count:
            return None
        most = cost.worthwhile(most)
        leaves, place = self._foresee(pending, waiting, free, most)
        joined = place
        if place == 1:
            joined = min(place + int(self._rate * (leaves - now)), most)
        over_s = leaves + cost.seconds(joined) - self._planned(pending)
        if over_s <= 0 or (leaves <= now and not len(waiting)):
            return None
        return over_s

    def saved(self, otherwise: float) -> float:
        """Share of a batch's time that one saves who joins the one before, in [0, 1]."""
        cost = self.tuner.costs.overall
        if not self.tuner.is_keeping or not cost.count:
            return otherwise
        return cost.fixed_s / max(cost.seconds(1), 1e-9)

    def bound(self, departure: Departure[Item, Result], most: int) -> Departure[Item, Result]:
        """Let a group leave before one more would make its oldest late."""
        if not self.tuner.is_keeping:
            return departure
        group = departure.group
        cost = self.tuner.costs.of(group[0].key)
        latest = self._planned(group[0]) - cost.seconds(min(len(group) + 1, most))
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
        if not self.tuner.is_keeping:
            return Choice(departure.choose(most), [])
        cost = self.tuner.costs.of(departure.group[0].key)
        most = cost.worthwhile(most)
        alone_s = cost.seconds(1)
        late: list[Pending[Item, Result]] = []
        batch: list[Pending[Item, Result]] = []
        for pending in departure.choose(len(departure.group)):
            # What a sequence has been promised is kept: the model remembers what came before.
            if pending.sequence is None and _is_late(pending, alone_s, now):
                late.append(pending)
            elif len(batch) < most:
                batch.append(pending)
        most = self._in_time(batch, cost, now) if cost.count else 1
        return Choice(batch[:most], late)

    def note(self, batch: Batch[Item, Result], outcome: Outcomes[Result], now: float) -> None:
        """Learn from a batch that has ended; from one that failed there is nothing to learn."""
        slo_s = self.tuner.slo_s
        if slo_s is None or isinstance(outcome, Exception):
            return
        took_s = now - batch.began
        was_held_up = took_s > _BEYOND_HELP * batch.expected_s > 0
        ends = [pending.due - now for pending in batch.pendings if not pending.is_settled]
        near = sum(left_s < slo_s * _NEAR for left_s in ends)
        if not was_held_up:
            self.tuner.note_answers(near, sum(left_s < 0 for left_s in ends))
        self.tuner.note_batch(batch.pendings[0].key, len(batch.items), took_s)

    def _in_time(self, batch: Sequence[Pending[Item, Result]], cost: BatchCost, now: float) -> int:
        """How many of them, from the first on, are in time together; at least one goes."""
        due = math.inf
        for count, pending in enumerate(batch, 1):
            due = min(due, self._planned(pending))
            if now + cost.seconds(count) > due:
                return max(count - 1, 1)
        return len(batch)

    def _planned(self, pending: Pending[Item, Result]) -> float:
        """When it is to be answered, as it is planned."""
        return pending.due - (1 - self.tuner.aim) * (self.tuner.slo_s or 0.0)

    def _foresee(
        self,
        pending: Pending[Item, Result],
        waiting: Waiting[Item, Result],
        free: Sequence[float],
        most: int,
    ) -> tuple[float, int]:
        """When the batch of one who comes will leave, and which place it has in it, from 1."""
        free = list(free)
        heapq.heapify(free)
        groups = list(waiting.groups())
        own = next((group for group in groups if group[0].key == pending.key), None)
        for group in groups:
            cost = self.tuner.costs.of(group[0].key)
            count = len(group)
            if group is own:
                count = 1 + sum(each.rank <= pending.rank for each in group)
            done = 0
            while done < count:
                leaves = heapq.heappop(free)
                if group is own and done == count - 1:
                    return leaves, 1
                fits = cost.fitting(self._planned(group[done]) - leaves, most)
                size = min(max(fits, 1), count - done)
                if group is own and done + size == count:
                    return leaves, size
                heapq.heappush(free, leaves + cost.seconds(size))
                done += size
        return free[0], 1

    def _note_arrival(self, now: float) -> None:
        """Follow the rate over about one SLO: what is shorter is a burst."""
        over_s = self.tuner.slo_s or 1.0
        self._rate = self._rate * math.exp(-(now - self._last) / over_s) + 1 / over_s
        self._last = now


def _is_late(pending: Pending[Item, Result], alone_s: float, now: float) -> bool:
    """Whether it cannot be in time any more.

    Who was late already when he came, for one of his kind takes too long, is taken for that by no
    guess: were such never run, nobody would learn when that has changed.
    """
    if alone_s > pending.due - pending.arrived:
        return now > pending.due
    return now + alone_s > pending.due
