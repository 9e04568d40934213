"""Batcher: a bounded queue that hands batches to whoever is idle."""

import asyncio
import contextlib
import logging
import math
import time
from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Sequence
from functools import partial
from typing import Generic, Literal, NamedTuple, Protocol, TypeVar

from serving.batching.company import Company
from serving.batching.deadlines import Deadlines
from serving.batching.pending import (
    PRIORITY_S,
    Batch,
    BatchLimits,
    Outcomes,
    Pending,
    hold_until,
)
from serving.errors import (
    DeadlineExceeded,
    InferenceFailed,
    Overloaded,
    ServerUnavailable,
    ServingError,
)

__all__ = ("Batcher", "LaunchReason", "Observer", "in_task")

Item = TypeVar("Item")
Result = TypeVar("Result")

LaunchReason = Literal["full", "idle", "delay"]
"""Why a batch left: it was full, nobody else was expected, or its wait was over."""

_STOPPING = "the server is stopping"

_log = logging.getLogger(__name__)


class Observer(Protocol):
    """Who wants to know what the batcher does; called in its event loop, must not block."""

    def launched(self, waits_s: Sequence[float], reason: LaunchReason) -> None:
        """Learn that a batch left, and how long each of its items had waited."""
        ...

    def dropped(self, reason: str) -> None:
        """Learn that an item was not run: the code of its error, or "cancelled"."""
        ...


class _Departure(NamedTuple, Generic[Item, Result]):
    """When (monotonic seconds) and why a group may leave."""

    at: float
    reason: LaunchReason
    group: "deque[Pending[Item, Result]]"


class Batcher(Generic[Item, Result]):
    """Groups items into batches for `run`, which is called at most `capacity()` times at once.

    A batch leaves at once when someone is idle, unless clients who were answered within the last
    `delay_s` are about to come back, and are worth waiting for (`Company`): then it waits for them,
    within the law of `hold_until`.

    Args:
        run: begins a batch, which it finishes later with one result or error for each item, in
            order; what it raises, all items get. `in_task` makes one of a coroutine function.
        capacity: how many runs may be under way now; call `wake` when it grows.
        limits: sizes and delay.
        observer: told of every batch and every dropped item.
    """

    def __init__(
        self,
        run: Callable[[Batch[Item, Result]], None],
        capacity: Callable[[], int],
        limits: BatchLimits,
        observer: Observer,
    ) -> None:
        self._run = run
        self._capacity = capacity
        self.limits = limits
        self._observer = observer
        # By key, each in order of arrival; a key without items is removed.
        self._groups: dict[Hashable, deque[Pending[Item, Result]]] = {}
        self._waiting = 0
        self._running: set[Batch[Item, Result]] = set()
        self._company = Company()
        self._is_pump_due = False
        self._timer: asyncio.TimerHandle | None = None
        self._is_stopped = False
        self._left = asyncio.Event()
        self._deadlines: Deadlines[Pending[Item, Result]] = Deadlines(self._expire)

    @property
    def waiting(self) -> int:
        """Items in the queue."""
        return self._waiting

    @property
    def running(self) -> int:
        """Batches under way."""
        return len(self._running)

    def oldest_wait_s(self) -> float:
        """How long the longest-waiting item has stood in the queue, seconds; 0 without any."""
        arrivals = [pending.arrived for group in self._groups.values() for pending in group]
        return time.monotonic() - min(arrivals) if arrivals else 0.0

    async def submit(
        self,
        item: Item,
        key: Hashable,
        deadline: float,
        *,
        priority: int = 0,
        sequence: str | None = None,
    ) -> Result:
        """Queue an item and wait for its result.

        Args:
            item: what `run` shall get.
            key: only items of equal keys come into one batch.
            deadline: monotonic seconds; the answer after it is DeadlineExceeded.
            priority: higher goes first (`PRIORITY_S`).
            sequence: of all items with the same one, only one goes into a batch.

        Raises:
            Overloaded: when the queue is full.
            ServerUnavailable: when the batcher was stopped.
            DeadlineExceeded: at the deadline, whether or not the item was run.
            ServingError: what `run` gave or raised for the item.
        """
        now = time.monotonic()
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        pending: Pending[Item, Result] = Pending(
            item,
            key,
            now,
            deadline,
            partial(_resolve, future),
            now - priority * PRIORITY_S,
            sequence,
        )
        self.put(pending)
        try:
            return await future
        finally:
            self.cancel(pending)

    def put(self, pending: Pending[Item, Result]) -> None:
        """Queue an item that has arrived now; its `on_result` is called later, and once.

        Raises:
            Overloaded: when the queue is full.
            ServerUnavailable: when the batcher was stopped.
        """
        self._check_open()
        self._enqueue(pending)
        self._company.note_arrival(pending.arrived, self.limits.delay_s)
        self._deadlines.add(pending)
        self.wake()

    def cancel(self, pending: Pending[Item, Result]) -> None:
        """Learn that nobody waits for it any more; harmless when it is answered."""
        if pending.is_settled:
            return
        pending.is_settled = True
        self._deadlines.discard(pending)
        if pending.is_queued:
            self._leave_queue(pending)
            self._observer.dropped("cancelled")

    def wake(self) -> None:
        """Look who is idle once the events at hand are done: items of one moment go together."""
        if not self._is_pump_due:
            self._is_pump_due = True
            asyncio.get_running_loop().call_soon(self._pump)

    def fail_waiting(self, error: ServingError) -> None:
        """Give every item in the queue this error."""
        waiting = [pending for group in self._groups.values() for pending in group]
        for pending in waiting:
            self._drop(pending, error)

    async def drain(self, grace_s: float) -> None:
        """Take nothing more, give what is here `grace_s` seconds to be answered, then stop."""
        self._is_stopped = True
        await self._until_idle(grace_s)
        await self.stop(0)

    async def stop(self, grace_s: float) -> None:
        """Take nothing more, refuse what waits, give what runs `grace_s` seconds to end."""
        self._is_stopped = True
        self.fail_waiting(ServerUnavailable(_STOPPING))
        await self._until_idle(grace_s)
        for batch in list(self._running):
            batch.finish(ServerUnavailable(_STOPPING))
            if batch.give_up is not None:
                batch.give_up()

    async def _until_idle(self, grace_s: float) -> None:
        until = time.monotonic() + grace_s
        while self._waiting or self._running:
            left_s = until - time.monotonic()
            if left_s <= 0:
                break
            self._left.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._left.wait(), left_s)

    def _check_open(self) -> None:
        if self._is_stopped:
            raise ServerUnavailable(_STOPPING)
        if self._waiting >= self.limits.queue_size:
            self._observer.dropped(Overloaded.code)
            msg = f"the queue is full: {self._waiting} requests wait"
            raise Overloaded(msg)
        if self.limits.needs_idle and len(self._running) + self._waiting >= self._capacity():
            self._observer.dropped(Overloaded.code)
            msg = "every worker is busy, and this model lets no request wait"
            raise Overloaded(msg)

    def _enqueue(self, pending: Pending[Item, Result]) -> None:
        """Put it where its rank says: nearly always at the end."""
        group = self._groups.setdefault(pending.key, deque())
        at = len(group)
        while at and group[at - 1].rank > pending.rank:
            at -= 1
        group.insert(at, pending)
        self._waiting += 1

    def _leave_queue(self, pending: Pending[Item, Result]) -> None:
        group = self._groups[pending.key]
        group.remove(pending)
        if not group:
            del self._groups[pending.key]
        self._waiting -= 1
        pending.is_queued = False
        self._left.set()

    def _drop(self, pending: Pending[Item, Result], error: ServingError) -> None:
        """Answer an item that will not be run."""
        if pending.is_queued:
            self._leave_queue(pending)
            self._observer.dropped(error.code)
        self._settle(pending, error)

    def _settle(self, pending: Pending[Item, Result], result: Result | ServingError) -> bool:
        self._deadlines.discard(pending)
        try:
            return pending.settle(result)
        except Exception:
            # The others of its batch must not suffer from who cannot take a result.
            _log.exception("a result could not be handed over")
            return True

    def _expire(self, pending: Pending[Item, Result]) -> None:
        seconds = pending.deadline - pending.arrived
        msg = f"no answer came within {round(seconds, 3):g} s"
        self._drop(pending, DeadlineExceeded(msg))

    def _pump(self) -> None:
        """Launch what may leave, and come back when the rest may."""
        self._is_pump_due = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._groups and (idle := self._capacity() - len(self._running)) > 0:
            now = time.monotonic()
            departure = self._next_departure(now)
            if departure.at > now:
                loop = asyncio.get_running_loop()
                self._timer = loop.call_later(departure.at - now, self._pump)
                return
            self._launch(departure, now, idle)

    def _next_departure(self, now: float) -> _Departure[Item, Result]:
        """Find the group that may leave first; of several that may leave now, the oldest."""
        expected_until = self._company.expected_until(now, self.limits.delay_s)
        if len(self._groups) == 1:
            (group,) = self._groups.values()
            return self._departure(group, expected_until)
        oldest_first = sorted(self._groups.values(), key=lambda group: group[0].rank)
        departures = [self._departure(group, expected_until) for group in oldest_first]
        return min(departures, key=lambda departure: max(departure.at, now))

    def _departure(
        self, group: "deque[Pending[Item, Result]]", expected_until: float
    ) -> _Departure[Item, Result]:
        if len(group) >= self.limits.size:
            return _Departure(-math.inf, "full", group)
        if self.limits.wait == "never":
            return _Departure(-math.inf, "idle", group)
        latest = hold_until(group, self.limits.delay_s)
        if expected_until < latest and self.limits.wait == "expected":
            return _Departure(expected_until, "idle", group)
        return _Departure(latest, "delay", group)

    def _launch(self, departure: _Departure[Item, Result], now: float, idle: int) -> None:
        """Send off the oldest of a group; others who are idle get their share of it."""
        group = departure.group
        batch: list[Pending[Item, Result]] = []
        for pending in self._choose(group, self.limits.cut(math.ceil(len(group) / idle))):
            if pending.deadline <= now:
                self._expire(pending)
            else:
                self._leave_queue(pending)
                batch.append(pending)
        if not batch:
            return
        self._observer.launched([now - pending.arrived for pending in batch], departure.reason)
        launched = Batch(batch, self._finish, now)
        self._running.add(launched)
        try:
            self._run(launched)
        except Exception as error:
            launched.finish(error)

    def _choose(
        self, group: "deque[Pending[Item, Result]]", most: int
    ) -> list[Pending[Item, Result]]:
        """The first of a group, but no more than one of each sequence."""
        chosen: list[Pending[Item, Result]] = []
        sequences: set[str] = set()
        for pending in group:
            if len(chosen) == most:
                break
            if pending.sequence is None:
                chosen.append(pending)
            elif pending.sequence not in sequences:
                sequences.add(pending.sequence)
                chosen.append(pending)
        return chosen

    def _finish(self, batch: Batch[Item, Result], outcome: Outcomes[Result]) -> None:
        self._running.discard(batch)
        self._left.set()
        now = time.monotonic()
        self._company.note_batch(now - batch.began if batch.seconds is None else batch.seconds)
        if any(len(group) >= self.limits.size for group in self._groups.values()):
            # Nothing that is at hand can make the next batch better: whoever is idle begins it
            # before these answers are told.
            self._pump()
        else:
            self.wake()
        results = _results(outcome, len(batch.items))
        for pending, result in zip(batch.pendings, results, strict=True):
            if self._settle(pending, result):
                self._company.note_answer(now)


def in_task(
    work: Callable[[Batch[Item, Result]], Awaitable[Sequence[Result | ServingError]]],
) -> Callable[[Batch[Item, Result]], None]:
    """Make a batcher's `run` of a coroutine function, which is cancelled when nobody waits."""
    tasks: set[asyncio.Task[None]] = set()

    async def finish(batch: Batch[Item, Result]) -> None:
        try:
            batch.finish(await work(batch))
        except Exception as error:
            batch.finish(error)

    def begin(batch: Batch[Item, Result]) -> None:
        task = asyncio.get_running_loop().create_task(finish(batch))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

        def give_up() -> None:
            task.cancel()

        batch.give_up = give_up

    return begin


def _results(outcome: Outcomes[Result], size: int) -> Sequence[Result | ServingError]:
    """One for each item, whatever came."""
    if isinstance(outcome, ServingError):
        return [outcome] * size
    if isinstance(outcome, Exception):
        return [InferenceFailed(f"{type(outcome).__name__}: {outcome}")] * size
    if len(outcome) != size:
        return [InferenceFailed(f"{len(outcome)} results came for {size} items")] * size
    return outcome


def _resolve(future: "asyncio.Future[Result]", result: Result | ServingError) -> None:
    if future.done():
        return
    if isinstance(result, ServingError):
        future.set_exception(result)
    else:
        future.set_result(result)
