"""Batcher: a bounded queue that hands batches to whoever is idle."""

import asyncio
import contextlib
import logging
import math
import time
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Generic, Protocol, TypeVar

from serving.batching.adaptive import Governor, late
from serving.batching.company import SAVED, Company
from serving.batching.deadlines import Deadlines
from serving.batching.pending import (
    PRIORITY_S,
    Batch,
    BatchLimits,
    Outcomes,
    Pending,
    retry_after_s,
)
from serving.batching.tuner import Tuner
from serving.batching.waiting import Departure, LaunchReason, Outlook, Waiting
from serving.errors import (
    DeadlineExceeded,
    InferenceFailed,
    Overloaded,
    ServerUnavailable,
    ServingError,
)

__all__ = ("Batcher", "LaunchReason", "Observer")

Item = TypeVar("Item")
Result = TypeVar("Result")

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
        tuner: what is known of what batches take, where several queues share it.

    Attributes:
        tuner: what is known of that.
    """

    def __init__(
        self,
        run: Callable[[Batch[Item, Result]], None],
        capacity: Callable[[], int],
        limits: BatchLimits,
        observer: Observer,
        tuner: Tuner | None = None,
    ) -> None:
        self._run = run
        self._capacity = capacity
        self._observer = observer
        self._waiting: Waiting[Item, Result] = Waiting()
        self._running: set[Batch[Item, Result]] = set()
        self._company = Company()
        self.tuner = tuner or Tuner()
        self._governor: Governor[Item, Result] | None = None
        self.limits = limits
        self._is_busy = False  # everybody was, when last looked
        self._idle_since = -math.inf
        self._is_pump_due = False
        self._timer: asyncio.TimerHandle | None = None
        self._is_stopped = False
        self._left = asyncio.Event()
        self._deadlines: Deadlines[Pending[Item, Result]] = Deadlines(self._expire)

    @property
    def limits(self) -> BatchLimits:
        """What is kept to; may change."""
        return self._limits

    @limits.setter
    def limits(self, limits: BatchLimits) -> None:
        self._limits = limits
        self.tuner.slo_s = limits.slo_s
        if limits.slo_s is None:
            self._governor = None
        elif self._governor is None:
            self._governor = Governor(self.tuner)

    @property
    def waiting(self) -> int:
        """Items in the queue."""
        return len(self._waiting)

    @property
    def running(self) -> int:
        """Batches under way."""
        return len(self._running)

    def oldest_wait_s(self) -> float:
        """How long the longest-waiting item has stood in the queue, seconds; 0 without any."""
        if not self._waiting:
            return 0.0
        return time.monotonic() - min(pending.arrived for pending in self._waiting)

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
            Overloaded: as `put`.
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
            Overloaded: when the queue is full, or (WouldBeLate) the answer would come too late.
            ServerUnavailable: when the batcher was stopped.
        """
        self._check_open()
        if self._governor is not None:
            self._admit(self._governor, pending)
        self._waiting.add(pending)
        self._company.note_arrival(pending.arrived, self._limits.delay_s)
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
        for pending in self._waiting:
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
        if len(self._waiting) >= self._limits.queue_size:
            self._observer.dropped(Overloaded.code)
            msg = f"the queue is full: {len(self._waiting)} requests wait"
            raise Overloaded(msg, self._until_free_s())
        if self._limits.needs_idle and len(self._running) + len(self._waiting) >= self._capacity():
            self._observer.dropped(Overloaded.code)
            msg = "every worker is busy, and this model lets no request wait"
            raise Overloaded(msg, self._until_free_s())

    def _admit(self, governor: Governor[Item, Result], pending: Pending[Item, Result]) -> None:
        try:
            governor.admit(
                pending, self._waiting, self._running, self._capacity(), self._limits.size
            )
        except ServingError as error:
            self._observer.dropped(error.code)
            raise

    def _until_free_s(self) -> float:
        """How long the workers take for what waits, as fast as they were lately, seconds."""
        batches = math.ceil(max(len(self._waiting), 1) / self._limits.size)
        seconds = batches * self._company.batch_s / max(self._capacity(), 1)
        return retry_after_s(seconds)

    def _leave_queue(self, pending: Pending[Item, Result]) -> None:
        self._waiting.remove(pending)
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
        while self._waiting and (idle := self._capacity() - len(self._running)) > 0:
            now = time.monotonic()
            if self._is_busy:
                self._is_busy, self._idle_since = False, now
            departure = self._next_departure(now)
            if departure.at > now:
                loop = asyncio.get_running_loop()
                self._timer = loop.call_later(departure.at - now, self._pump)
                return
            self._launch(departure, now, idle)
        self._is_busy = len(self._running) >= self._capacity()

    def _next_departure(self, now: float) -> Departure[Item, Result]:
        governor = self._governor
        saved = SAVED if governor is None else governor.saved(SAVED)
        expected_until = self._company.expected_until(now, self._limits.delay_s, saved)
        outlook = Outlook(expected_until, self._idle_since)
        departure = self._waiting.next_departure(self._limits, now, outlook)
        return departure if governor is None else governor.bound(departure, self._limits.size)

    def _launch(self, departure: Departure[Item, Result], now: float, idle: int) -> None:
        """Send off the oldest of a group; others who are idle get their share of it."""
        share = math.ceil(len(departure.group) / idle)
        batch: list[Pending[Item, Result]] = []
        for pending in self._choose(departure, self._limits.cut(share), now):
            if pending.deadline <= now:
                self._expire(pending)
            else:
                self._leave_queue(pending)
                batch.append(pending)
        if not batch:
            return
        self._observer.launched([now - pending.arrived for pending in batch], departure.reason)
        launched = Batch(batch, self._finish, now)
        if self._governor is not None:
            launched.expected_s = self._governor.expected_s(batch)
        self._running.add(launched)
        try:
            self._run(launched)
        except Exception as error:
            launched.finish(error)

    def _choose(
        self, departure: Departure[Item, Result], most: int, now: float
    ) -> Sequence[Pending[Item, Result]]:
        """Those of a group who go, at most so many; who is late by the SLO is dropped."""
        if self._governor is None:
            return departure.choose(most)
        chosen = self._governor.choose(departure, most, now)
        for pending in chosen.late:
            self._drop(pending, late(0.0))
        return chosen.batch[: self._limits.cut(len(chosen.batch))]

    def _finish(self, batch: Batch[Item, Result], outcome: Outcomes[Result]) -> None:
        self._running.discard(batch)
        self._left.set()
        now = time.monotonic()
        self._company.note_batch(now - batch.began if batch.seconds is None else batch.seconds)
        if self._governor is not None:
            self._governor.note(batch, outcome, now)
        if self._waiting.has_full(self._limits.size):
            # Nothing that is at hand can make the next batch better: whoever is idle begins it
            # before these answers are told.
            self._pump()
        else:
            self.wake()
        results = _results(outcome, len(batch.items))
        for pending, result in zip(batch.pendings, results, strict=True):
            if self._settle(pending, result):
                self._company.note_answer(now)


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
