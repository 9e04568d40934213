"""Discrete events: a clock, a heap of what is to come, and things that one can wait for.

What happens is written as generators: each `yield` names what is waited for, and is gone on with
when that has come. Nothing is left to chance here; random numbers come from outside.
"""

import heapq
from collections import deque
from collections.abc import Callable, Generator
from functools import partial
from typing import Protocol, TypeAlias

__all__ = ("Batches", "Cores", "Course", "Events", "Hold", "Servers", "Wait")


class Wait(Protocol):
    """Something that one can wait for."""

    def start(self, go_on: Callable[[], None]) -> None:
        """Begin to wait; `go_on` is called when it has come."""
        ...


Course: TypeAlias = Generator[Wait, None, None]
"""What somebody does: it yields what he waits for."""


class Events:
    """The clock and what is to come.

    Attributes:
        now: seconds.
    """

    def __init__(self) -> None:
        self.now = 0.0
        self._heap: list[tuple[float, int, Callable[[], None]]] = []
        self._number = 0

    def at(self, instant: float, act: Callable[[], None]) -> None:
        """Have something done at an instant that is not past; of equals the first comes first."""
        self._number += 1
        heapq.heappush(self._heap, (instant, self._number, act))

    def follow(self, course: Course) -> None:
        """Begin a course now."""

        def go_on() -> None:
            wait = next(course, None)
            if wait is not None:
                wait.start(go_on)

        self.at(self.now, go_on)

    def run(self, until: float) -> None:
        """Let time pass."""
        while self._heap and self._heap[0][0] <= until:
            self.now, _, act = heapq.heappop(self._heap)
            act()
        self.now = until


class Hold:
    """Waiting for time to pass.

    Args:
        events: the clock.
        seconds: how much.
    """

    def __init__(self, events: Events, seconds: float) -> None:
        self._events = events
        self._seconds = seconds

    def start(self, go_on: Callable[[], None]) -> None:
        """Begin to wait."""
        self._events.at(self._events.now + self._seconds, go_on)


class Servers:
    """So many servers, and two queues: who has time comes when the first queue is empty.

    Args:
        events: the clock.
        count: how many.

    Attributes:
        waits: seconds that each of the first queue waited, in the order in which service began.
    """

    def __init__(self, events: Events, count: int) -> None:
        self._events = events
        self._free = count
        self._queue: deque[tuple[float, Callable[[], None]]] = deque()
        self._later: deque[Callable[[], None]] = deque()
        self.waits: list[float] = []

    def turn(self, has_time: bool = False) -> "Turn":
        """Waiting for a server; who got one gives it back by `leave`."""
        return Turn(self, has_time)

    def queue(self, go_on: Callable[[], None], has_time: bool) -> None:
        """Stand in one of the queues."""
        if has_time:
            self._later.append(go_on)
        else:
            self._queue.append((self._events.now, go_on))
        self._serve()

    def leave(self) -> None:
        """Give a server back."""
        self._free += 1
        self._serve()

    def change(self, by: int) -> None:
        """Take servers away, each once it is free, or add some."""
        self._free += by
        self._serve()

    def _serve(self) -> None:
        while self._free > 0 and (self._queue or self._later):
            self._free -= 1
            if self._queue:
                since, go_on = self._queue.popleft()
                self.waits.append(self._events.now - since)
            else:
                go_on = self._later.popleft()
            self._events.at(self._events.now, go_on)


class Turn:
    """Waiting for a server."""

    def __init__(self, servers: Servers, has_time: bool) -> None:
        self._servers = servers
        self._has_time = has_time

    def start(self, go_on: Callable[[], None]) -> None:
        """Stand in the queue."""
        self._servers.queue(go_on, self._has_time)


class Batches:
    """So many workers, each of which takes what waits, up to a size, as one batch.

    Args:
        events: the clock.
        workers: how many.
        size: of the largest batch.
        run: gives the waiting for a batch's work, told the work of each item.

    Attributes:
        sizes: of the batches, in order.
    """

    def __init__(
        self, events: Events, workers: int, size: int, run: Callable[[list[float]], Wait]
    ) -> None:
        self._events = events
        self._free = workers
        self._size = size
        self._run = run
        self._items: deque[tuple[float, Callable[[], None]]] = deque()
        self.sizes: list[int] = []

    def answer(self, seconds: float) -> "Answer":
        """Waiting for the answer to a request of so much work."""
        return Answer(self, seconds)

    def ask(self, seconds: float, go_on: Callable[[], None]) -> None:
        """Hand in a request."""
        self._items.append((seconds, go_on))
        self._take()

    def _take(self) -> None:
        while self._free > 0 and self._items:
            self._free -= 1
            number = min(self._size, len(self._items))
            batch = [self._items.popleft() for _ in range(number)]
            self.sizes.append(number)
            self._run([seconds for seconds, _ in batch]).start(partial(self._end, batch))

    def _end(self, batch: list[tuple[float, Callable[[], None]]]) -> None:
        self._free += 1
        for _, go_on in batch:
            self._events.at(self._events.now, go_on)
        self._take()


class Answer:
    """Waiting for an answer."""

    def __init__(self, batches: Batches, seconds: float) -> None:
        self._batches = batches
        self._seconds = seconds

    def start(self, go_on: Callable[[], None]) -> None:
        """Ask."""
        self._batches.ask(self._seconds, go_on)


class Cores:
    """Processor cores that all tasks at work share fairly; a task uses one core at most.

    Each task is told by the work that a task which was there from the beginning would have done by
    its end: all run equally fast, so the order of the ends never changes.

    Args:
        events: the clock.
        count: of the cores.

    Attributes:
        busy: core seconds that were used.
    """

    def __init__(self, events: Events, count: float) -> None:
        self._events = events
        self._count = count
        self._done = 0.0
        self._at = 0.0
        self._tasks: list[tuple[float, int, Callable[[], None]]] = []
        self._number = 0
        self._plan = 0
        self.busy = 0.0

    def work(self, seconds: float) -> "Work":
        """Waiting until so many seconds of one core's time are done."""
        return Work(self, seconds)

    def add(self, seconds: float, go_on: Callable[[], None]) -> None:
        """Begin a task."""
        self._pass()
        self._number += 1
        heapq.heappush(self._tasks, (self._done + seconds, self._number, go_on))
        self._look_ahead()

    def _speed(self) -> float:
        return min(1.0, self._count / len(self._tasks)) if self._tasks else 0.0

    def _pass(self) -> None:
        passed = self._events.now - self._at
        self._done += passed * self._speed()
        self.busy += passed * self._speed() * len(self._tasks)
        self._at = self._events.now

    def _look_ahead(self) -> None:
        """Plan the next end; what was planned before no longer holds."""
        self._plan += 1
        if self._tasks:
            left = max(self._tasks[0][0] - self._done, 0.0)
            plan = self._plan
            self._events.at(self._events.now + left / self._speed(), lambda: self._end(plan))

    def _end(self, plan: int) -> None:
        if plan != self._plan:
            return
        self._pass()
        _, _, go_on = heapq.heappop(self._tasks)
        self._look_ahead()
        go_on()


class Work:
    """Waiting for some work of a core."""

    def __init__(self, cores: Cores, seconds: float) -> None:
        self._cores = cores
        self._seconds = seconds

    def start(self, go_on: Callable[[], None]) -> None:
        """Begin the work."""
        self._cores.add(self._seconds, go_on)
