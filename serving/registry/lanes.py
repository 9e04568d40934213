"""Lanes: one queue for each worker, for models whose workers remember sequences."""

import asyncio
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from serving.batching.batcher import Batcher
from serving.batching.observer import Observer
from serving.batching.pending import Batch, BatchLimits
from serving.batching.sequences import SequenceMark, SequenceTable
from serving.batching.tuner import Tuner
from serving.errors import ServerUnavailable, ServingError
from serving.protocol.exchange import RawReply, RawRequest
from serving.workers.messages import Item, Outcome

__all__ = (
    "SEQUENCE_HEADERS",
    "Lanes",
    "Queue",
    "RunOnLane",
    "SequenceRules",
    "ended_by",
    "mark_of",
)

SEQUENCE_HEADERS = (
    "ts_request_sequence_id",
    "ts_request_sequence_start",
    "ts_request_sequence_end",
)
"""TorchServe's names of the headers of a sequence's id, start and end."""

RunOnLane = Callable[[int, Batch[Item, Outcome]], None]
"""Begins a batch on the worker of that place."""


@dataclass(frozen=True, slots=True)
class SequenceRules:
    """How sequences are told apart.

    Attributes:
        table: who goes where.
        headers: names of the headers of a sequence's id, start and end, in lower case.
        slots: batches that a worker has under way at a time, also of one sequence.
    """

    table: SequenceTable
    headers: tuple[str, str, str]
    slots: int = 1


def mark_of(item: Item, headers: tuple[str, str, str]) -> SequenceMark | None:
    """What a request says of its sequence; None when it belongs to none."""
    if not isinstance(item, RawRequest):
        return None
    name, start, end = (item.headers.get(header, "") for header in headers)
    if not name:
        return None
    return SequenceMark(name, start.lower() == "true", end.lower() == "true")


def ended_by(outcome: Outcome, headers: tuple[str, str, str]) -> Sequence[str]:
    """The sequences that a reply ends: its header of that name has their ids, with semicolons."""
    if not isinstance(outcome, RawReply):
        return ()
    _, _, end = headers
    said = ";".join(value for name, value in outcome.headers if name.lower() == end)
    return [name.strip() for name in said.split(";") if name.strip()]


class Queue(Protocol):
    """What an endpoint puts its requests into."""

    limits: BatchLimits
    tuner: Tuner

    @property
    def waiting(self) -> int:
        """Items in the queue."""
        ...

    @property
    def running(self) -> int:
        """Batches under way."""
        ...

    def oldest_wait_s(self) -> float:
        """How long the longest-waiting item has stood in the queue, seconds."""
        ...

    async def submit(
        self, item: Item, key: Hashable, deadline: float, *, priority: int = 0
    ) -> Outcome:
        """Queue an item and wait for its result."""
        ...

    def wake(self) -> None:
        """Look who is idle."""
        ...

    def fail_waiting(self, error: ServingError) -> None:
        """Give every item in the queue this error."""
        ...

    async def drain(self, grace_s: float) -> None:
        """Take nothing more, answer what is here, then stop."""
        ...

    async def stop(self, grace_s: float) -> None:
        """Take nothing more, refuse what waits."""
        ...


class Lanes:
    """A queue for each worker; the requests of a sequence go along one of them, in order.

    Args:
        run: runs a batch on the worker of a lane.
        lanes: the indices of the workers that are there.
        limits: of each lane.
        observer: told of every batch and every dropped item.
        rules: how sequences are told apart.

    Attributes:
        tuner: what is known of what batches take, on any lane.
    """

    def __init__(
        self,
        run: RunOnLane,
        lanes: Callable[[], Sequence[int]],
        limits: BatchLimits,
        observer: Observer,
        rules: SequenceRules,
    ) -> None:
        self._limits = limits
        self.tuner = Tuner(limits.slo_s)
        self._run = run
        self._lanes = lanes
        self._observer = observer
        self._rules = rules
        self._batchers: dict[int, Batcher[Item, Outcome]] = {}
        self._known: set[int] = set()
        self._is_stopped = False

    @property
    def limits(self) -> BatchLimits:
        """Of each lane."""
        return self._limits

    @limits.setter
    def limits(self, limits: BatchLimits) -> None:
        self._limits = limits
        self.tuner.slo_s = limits.slo_s
        for batcher in self._batchers.values():
            batcher.limits = limits

    @property
    def waiting(self) -> int:
        """Items in all queues."""
        return sum(batcher.waiting for batcher in self._batchers.values())

    @property
    def running(self) -> int:
        """Batches under way."""
        return sum(batcher.running for batcher in self._batchers.values())

    def oldest_wait_s(self) -> float:
        """How long the longest-waiting item has stood in its queue, seconds."""
        return max((each.oldest_wait_s() for each in self._batchers.values()), default=0.0)

    async def submit(
        self, item: Item, key: Hashable, deadline: float, *, priority: int = 0
    ) -> Outcome:
        """Queue an item on the lane of its sequence and wait for its result.

        Raises:
            ServingError: as `Batcher.submit`, and as `SequenceTable.enter`.
        """
        if self._is_stopped:
            raise ServerUnavailable("the server is stopping")
        self._note_losses()
        mark = mark_of(item, self._rules.headers)
        if mark is None:
            lane = min(self._open_lanes(), key=lambda each: self._batcher(each).waiting)
            return await self._batcher(lane).submit(item, key, deadline, priority=priority)
        lane = self._rules.table.enter(mark, self._open_lanes())
        try:
            outcome = await self._batcher(lane).submit(
                item, key, deadline, priority=priority, sequence=mark.id
            )
            for name in ended_by(outcome, self._rules.headers):
                self._rules.table.end(name)
            return outcome
        finally:
            self._rules.table.leave(mark)

    def wake(self) -> None:
        """Look which workers are idle, and which have gone."""
        self._note_losses()
        for batcher in self._batchers.values():
            batcher.wake()

    def lose_all(self) -> None:
        """Learn that all workers were replaced: no sequence goes on."""
        for lane in self._known:
            self._rules.table.lose(lane)

    def fail_waiting(self, error: ServingError) -> None:
        """Give every item in the queues this error."""
        for batcher in self._batchers.values():
            batcher.fail_waiting(error)

    async def drain(self, grace_s: float) -> None:
        """Take nothing more, give what is here `grace_s` seconds to be answered, then stop."""
        self._is_stopped = True
        await asyncio.gather(*(each.drain(grace_s) for each in self._batchers.values()))

    async def stop(self, grace_s: float) -> None:
        """Take nothing more, refuse what waits, give what runs `grace_s` seconds to end."""
        self._is_stopped = True
        await asyncio.gather(*(each.stop(grace_s) for each in self._batchers.values()))

    def _note_losses(self) -> None:
        there = set(self._lanes())
        for lane in self._known - there:
            self._rules.table.lose(lane)
        self._known = there

    def _open_lanes(self) -> Sequence[int]:
        return self._lanes() or [0]

    def _batcher(self, lane: int) -> Batcher[Item, Outcome]:
        if lane not in self._batchers:
            self._batchers[lane] = Batcher(
                partial(self._run, lane),
                lambda: self._rules.slots if lane in self._lanes() else 0,
                self._limits,
                self._observer,
                self.tuner,
            )
        return self._batchers[lane]
