"""A server that exists only in simulated time: the batcher is the real one, the model is a law.

Events come off a heap, one at a time, so that a run is exact, the same each time, and takes about
20 microseconds a request.
"""

import asyncio
import heapq
import math
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from types import SimpleNamespace
from typing import cast
from unittest import mock

from serving.batching import batcher as batcher_module
from serving.batching.batcher import Batcher
from serving.batching.pending import Batch, BatchLimits, Pending
from serving.batching.waiting import LaunchReason
from serving.errors import Overloaded, ServingError

__all__ = ("Fate", "Model", "Outcome", "Policy", "World", "simulate")

_BEGIN = 1000.0


class _Handle:
    """A call that is due, and may be cancelled."""

    def __init__(self, call: Callable[..., object], args: tuple[object, ...]) -> None:
        self.call, self.args = call, args
        self.is_cancelled = False

    def cancel(self) -> None:
        self.is_cancelled = True


class World:
    """An event loop whose time leaps to the next event; as much of one as the batcher asks for."""

    def __init__(self) -> None:
        self.now = _BEGIN
        self._heap: list[tuple[float, int, _Handle]] = []
        self._numbers = count()

    def time(self) -> float:
        """Simulated seconds."""
        return self.now

    def call_at(self, at: float, call: Callable[..., object], *args: object) -> _Handle:
        """Call later."""
        handle = _Handle(call, args)
        heapq.heappush(self._heap, (max(at, self.now), next(self._numbers), handle))
        return handle

    def call_later(self, delay: float, call: Callable[..., object], *args: object) -> _Handle:
        """Call later."""
        return self.call_at(self.now + delay, call, *args)

    def call_soon(self, call: Callable[..., object], *args: object) -> _Handle:
        """Call after what is due now."""
        return self.call_at(self.now, call, *args)

    def run(self) -> None:
        """Let happen what is due, until nothing is."""
        while self._heap:
            self.now, _, handle = heapq.heappop(self._heap)
            if not handle.is_cancelled:
                handle.call(*handle.args)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Be the event loop and the clock of the batcher."""
        clock = SimpleNamespace(monotonic=self.time)
        asyncio._set_running_loop(cast(asyncio.AbstractEventLoop, self))
        try:
            with mock.patch.object(batcher_module, "time", clock):
                yield
        finally:
            asyncio._set_running_loop(None)


@dataclass(frozen=True)
class Model:
    """A law of what batches take.

    Attributes:
        fixed_s: of a batch, seconds.
        each_s: of an item, seconds.
        spread: of a batch's time about its mean: sigma of a log-normal factor with mean 1.
        workers: that hold it.
        most: items of a batch that it takes.
        stalls: share of the batches that take `STALL` times as long.
        drift: factor of everything from the middle of a run on.
    """

    fixed_s: float
    each_s: float
    spread: float = 0.05
    workers: int = 1
    most: int = 64
    stalls: float = 0.0
    drift: float = 1.0

    STALL = 5.0

    def seconds(self, size: int, chance: random.Random, is_late: bool) -> float:
        """What one batch takes."""
        factor = chance.lognormvariate(-(self.spread**2) / 2, self.spread)
        if chance.random() < self.stalls:
            factor *= self.STALL
        if is_late:
            factor *= self.drift
        return factor * (self.fixed_s + self.each_s * size)

    def capacity(self, slo_s: float) -> float:
        """Items a second, in batches of which one can wait for another inside the SLO."""
        size = self.most
        while size > 1 and 2 * (self.fixed_s + self.each_s * size) > slo_s:
            size -= 1
        return self.workers * size / (self.fixed_s + self.each_s * size)


@dataclass(frozen=True)
class Fate:
    """What became of one request.

    Attributes:
        at_s: when it came, seconds from the beginning.
        latency_s: until its answer; None: it was refused or had none.
    """

    at_s: float
    latency_s: float | None


@dataclass
class Outcome:
    """What came of a run.

    Attributes:
        seconds: that requests came.
        fates: in the order of the answers.
        sizes: of the batches.
    """

    seconds: float
    fates: list[Fate] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)

    def goodput(self, slo_s: float) -> float:
        """Answers inside the SLO, a second."""
        return sum(f.latency_s is not None and f.latency_s <= slo_s for f in self.fates) / (
            self.seconds
        )

    def percentile(self, share: float) -> float:
        """Of the latencies of what was answered, seconds; NaN without any."""
        told = sorted(f.latency_s for f in self.fates if f.latency_s is not None)
        return told[min(math.ceil(share / 100 * len(told)), len(told)) - 1] if told else math.nan

    @property
    def refused(self) -> float:
        """Share of the requests that had no answer."""
        return sum(f.latency_s is None for f in self.fates) / max(len(self.fates), 1)


@dataclass(frozen=True)
class Policy:
    """How the server is set.

    Attributes:
        name: for people.
        limits: of its batches.
        timeout_s: after which a request is given up.
        on_batch: learns what a batch of that size took, and may give other limits.
    """

    name: str
    limits: BatchLimits
    timeout_s: float = 60.0
    on_batch: Callable[[], Callable[[int, float], BatchLimits]] | None = None


class _Notes:
    def __init__(self, sizes: list[int]) -> None:
        self._sizes = sizes

    def launched(self, waits_s: Sequence[float], reason: LaunchReason) -> None:
        self._sizes.append(len(waits_s))

    def dropped(self, reason: str) -> None: ...


def simulate(model: Model, moments: Sequence[float], policy: Policy, seed: int) -> Outcome:
    """Let requests come to a server.

    Args:
        model: what it serves.
        moments: when they come, seconds, ascending; the last one ends the run.
        policy: how it is set.
        seed: of what batches take.
    """
    world = World()
    with world.running():
        run = _Run(world, model, moments, policy, seed)
        world.run()
    return run.outcome


class _Run:
    """One run being simulated."""

    def __init__(
        self, world: World, model: Model, moments: Sequence[float], policy: Policy, seed: int
    ) -> None:
        self.world, self.model, self.policy = world, model, policy
        self.outcome = Outcome(moments[-1])
        self._chance = random.Random(seed)
        self._moments = iter(moments)
        self._middle = _BEGIN + moments[-1] / 2
        self.batcher: Batcher[int, int] = Batcher(
            self._work,
            lambda: model.workers,
            policy.limits,
            _Notes(self.outcome.sizes),
        )
        self._learn = policy.on_batch() if policy.on_batch else None
        self._next()

    def _next(self) -> None:
        at = next(self._moments, None)
        if at is not None:
            self.world.call_at(_BEGIN + at, self._come)

    def _come(self) -> None:
        now = self.world.now

        def settle(result: int | ServingError) -> None:
            latency_s = None if isinstance(result, ServingError) else self.world.now - now
            self.outcome.fates.append(Fate(now - _BEGIN, latency_s))

        pending: Pending[int, int] = Pending(0, "", now, now + self.policy.timeout_s, settle, now)
        try:
            self.batcher.put(pending)
        except Overloaded:
            self.outcome.fates.append(Fate(now - _BEGIN, None))
        self._next()

    def _work(self, batch: Batch[int, int]) -> None:
        is_late = self.world.now >= self._middle
        seconds = self.model.seconds(len(batch.items), self._chance, is_late)
        self.world.call_later(seconds, self._end, batch, seconds)

    def _end(self, batch: Batch[int, int], seconds: float) -> None:
        if self._learn:
            self.batcher.limits = self._learn(len(batch.items), seconds)
        batch.finish([0] * len(batch.items))
