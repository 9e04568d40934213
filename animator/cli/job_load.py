"""The load of whole jobs: people who hand in drawings, wait, and fetch their films."""

import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count, takewhile
from pathlib import Path
from typing import Protocol

from animator.core.errors import AnimatorError
from animator.core.job import JobEvent
from serving.bench.load import arrivals
from serving.bench.records import UNANSWERED, Record, Result, is_good, part_within

__all__ = ("Clock", "Errand", "JobLoad", "Stopwatch", "make_film")

_GOOD = 200

_MOST_PEOPLE = 200
"""At a time, of those who come as they like; each is a thread."""


class Clock(Protocol):
    """Seconds that pass."""

    def __call__(self) -> float:
        """Now."""
        ...


@dataclass(frozen=True)
class Errand:
    """What each person does.

    Attributes:
        url: of the server.
        drawings: files; they take turns.
        motion: of the film.
        format: of the film.
    """

    url: str
    drawings: Sequence[Path]
    motion: str
    format: str


@dataclass
class Stopwatch:
    """How long each step took, seconds, over all errands."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    clock: Callable[[], float] = time.perf_counter

    @contextmanager
    def timing(self, step: str) -> Iterator[Callable[[JobEvent], None]]:
        """Time a step; gives what hears of its job, whose wait in the queue is timed as well."""
        began = self.clock()
        queued: list[float] = []

        def heard(event: JobEvent) -> None:
            if event.state != "queued" and not queued:
                queued.append(self.clock() - began)

        yield heard
        self.seconds[step].append(self.clock() - began)
        if queued:
            self.seconds[f"{step}, until it begins"].append(queued[0])


def make_film(errand: Errand, number: int, watch: Stopwatch) -> None:
    """Hand in a drawing as somebody new, have it animated, fetch the film, and leave nothing.

    A new owner each time: to one who is known, a drawing that was read before is not read again.

    Raises:
        AnimatorError: why there is no film.
    """
    # Who only reads the flags needs no client.
    from animator.client import Client

    drawing = errand.drawings[number % len(errand.drawings)]
    with Client(errand.url) as client, tempfile.TemporaryDirectory() as folder:
        try:
            with watch.timing("upload"):
                uploaded = client.upload(drawing)
            with watch.timing("read") as heard:
                read = client.wait(uploaded, heard)
            with watch.timing("animate") as heard:
                wanted = client.animate(read, motion=errand.motion, formats=(errand.format,))
                film = client.wait(wanted, heard)
            with watch.timing("fetch"):
                client.save(film, Path(folder) / f"film.{errand.format}")
        finally:
            if client.token is not None:
                client.delete_everything()


class JobLoad:
    """People who go on errands.

    Args:
        run_errand: does the n-th errand; raises an AnimatorError when it failed.
        clock: seconds.
        sleep: waits so many seconds.

    Attributes:
        problems: codes of the errors, and how often each came.
    """

    def __init__(
        self,
        run_errand: Callable[[int], None],
        clock: Clock = time.perf_counter,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._run_errand = run_errand
        self._clock = clock
        self._sleep = sleep
        self._numbers = count()
        self._lock = threading.Lock()
        self._room = threading.BoundedSemaphore(_MOST_PEOPLE)
        self.problems: Counter[str] = Counter()

    def run(self, people: int, seconds: float) -> Result:
        """So many people at a time, each of whom begins anew when done, for so long.

        Errands under way at the end are waited for. Their latency is the whole one; as done they
        count by the part that lies in the time.
        """
        result, begin = Result(seconds=seconds), self._clock()
        _run_all(
            threading.Thread(target=self._live, args=(result, begin, seconds))
            for _ in range(people)
        )
        done = filter(_is_done, result.records)
        spans = ((each.start_s, each.start_s + each.latency_ms / 1000) for each in done)
        result.completed = sum(part_within(*span, seconds) for span in spans)
        return result

    def run_arriving(self, rate: float, seconds: float, seed: int) -> Result:
        """People who come by a Poisson process, each for one errand, for so long.

        Latencies count from the arrival. All are waited for: the time is that until the last is
        done.

        Args:
            rate: people a second, > 0.
            seconds: in which they come.
            seed: the same gives the same moments.
        """
        result, begin = Result(), self._clock()
        _run_all(self._arriving(result, begin, takewhile(seconds.__gt__, arrivals(rate, seed))))
        result.completed = sum(map(_is_done, result.records))
        result.seconds = max(self._clock() - begin, seconds)
        return result

    def _arriving(
        self, result: Result, begin: float, moments: Iterable[float]
    ) -> Iterator[threading.Thread]:
        for at in moments:
            self._sleep(max(begin + at - self._clock(), 0.0))
            # Who finds no room has come all the same, and waits.
            self._room.acquire()
            yield threading.Thread(target=self._visit, args=(result, begin, at))

    def _visit(self, result: Result, begin: float, at: float) -> None:
        try:
            self._note(result, begin, at)
        finally:
            self._room.release()

    def _live(self, result: Result, begin: float, seconds: float) -> None:
        while (started := self._clock() - begin) < seconds:
            self._note(result, begin, started)

    def _note(self, result: Result, begin: float, started: float) -> None:
        """Go on an errand, and write down how it went."""
        with self._lock:
            number = next(self._numbers)
        status = self._go(number)
        ended = self._clock() - begin
        with self._lock:
            result.records.append(Record(started, (ended - started) * 1000, status))
            result.statuses[status] += 1

    def _go(self, number: int) -> int:
        try:
            self._run_errand(number)
        except AnimatorError as error:
            with self._lock:
                self.problems[error.code] += 1
            return UNANSWERED
        return _GOOD


def _run_all(threads: Iterable[threading.Thread]) -> None:
    """Start each as it comes, and wait for all."""
    started = []
    for thread in threads:
        thread.start()
        started.append(thread)
    for thread in started:
        thread.join()


def _is_done(record: Record) -> bool:
    return is_good(record.status)
