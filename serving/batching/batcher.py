"""Batcher: a bounded queue that hands batches to whoever is idle."""

import asyncio
import contextlib
import logging
import math
import time
from collections.abc import Callable, Hashable
from functools import partial
from typing import Generic, TypeVar

from serving.batching.adaptive import late
from serving.batching.deadlines import Deadlines
from serving.batching.observer import Observer
from serving.batching.pending import (
    PRIORITY_S,
    Batch,
    BatchLimits,
    Outcomes,
    Pending,
    results_of,
)
from serving.batching.policy import Policy
from serving.batching.tuner import Tuner
from serving.batching.waiting import Departure, Waiting
from serving.errors import (
    DeadlineExceeded,
    Overloaded,
    ServerUnavailable,
    ServingError,
)

__all__ = ("Batcher",)

Item = TypeVar("Item")
Result = TypeVar("Result")

_STOPPING = "the server is stopping"

_log = logging.getLogger(__name__)


class Batcher(Generic[Item, Result]):
    """Groups items into batches for `run`, which is called at most `capacity()` times at once.

    A batch leaves at once when someone is idle, unless clients who were answered within the last
    `delay_s` are about to come back, and are worth waiting for: then it waits for them (`Policy`).

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
        self._policy: Policy[Item, Result] = Policy(limits, capacity, tuner)
        self.tuner = self._policy.tuner
        self._waiting: Waiting[Item, Result] = Waiting()
        self._running: set[Batch[Item, Result]] = set()
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
        return self._policy.limits

    @limits.setter
    def limits(self, limits: BatchLimits) -> None:
        self._policy.keep_to(limits)

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
            Overloaded: as `Policy.admit`.
            ServerUnavailable: when the batcher was stopped.
        """
        if self._is_stopped:
            raise ServerUnavailable(_STOPPING)
        try:
            self._policy.admit(pending, self._waiting, self._running)
        except Overloaded as error:
            self._observer.dropped(error.code)
            raise
        self._waiting.add(pending)
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
            departure = self._policy.next_departure(self._waiting, now, self._idle_since)
            if departure.at > now:
                loop = asyncio.get_running_loop()
                self._timer = loop.call_later(departure.at - now, self._pump)
                return
            self._launch(departure, now, idle)
        self._is_busy = len(self._running) >= self._capacity()

    def _launch(self, departure: Departure[Item, Result], now: float, idle: int) -> None:
        """Send off the oldest of a group; others who are idle get their share of it."""
        chosen = self._policy.choose(departure, idle, now)
        for pending in chosen.late:
            self._drop(pending, late(0.0))
        batch: list[Pending[Item, Result]] = []
        for pending in chosen.batch:
            if pending.deadline <= now:
                self._expire(pending)
            else:
                self._leave_queue(pending)
                batch.append(pending)
        if not batch:
            return
        self._observer.launched([now - pending.arrived for pending in batch], departure.reason)
        launched = Batch(batch, self._finish, now)
        launched.expected_s = self._policy.expected_s(batch)
        self._running.add(launched)
        try:
            self._run(launched)
        except Exception as error:
            launched.finish(error)

    def _finish(self, batch: Batch[Item, Result], outcome: Outcomes[Result]) -> None:
        self._running.discard(batch)
        self._left.set()
        now = time.monotonic()
        self._policy.note_batch(batch, outcome, now)
        if self._waiting.has_full(self._policy.limits.size):
            # Nothing that is at hand can make the next batch better: whoever is idle begins it
            # before these answers are told.
            self._pump()
        else:
            self.wake()
        results = results_of(outcome, len(batch.items))
        note_answer = self._policy.company.note_answer
        for pending, result in zip(batch.pendings, results, strict=True):
            if self._settle(pending, result):
                note_answer(now)


def _resolve(future: "asyncio.Future[Result]", result: Result | ServingError) -> None:
    if future.done():
        return
    if isinstance(result, ServingError):
        future.set_exception(result)
    else:
        future.set_result(result)
