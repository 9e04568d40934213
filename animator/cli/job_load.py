"""The load of whole jobs: people who hand in drawings, wait, and fetch their films."""

import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Protocol

from animator.core.errors import AnimatorError
from animator.core.job import JobEvent
from serving.bench.records import UNANSWERED, Record, Result

__all__ = ("Clock", "Errand", "JobLoad", "Stopwatch", "make_film")

_GOOD = 200


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
    """So many people at a time, each of whom goes on an errand again when the one before is done.

    Args:
        run_errand: does the n-th errand; raises an AnimatorError when it failed.
        clock: seconds.
    """

    def __init__(self, run_errand: Callable[[int], None], clock: Clock = time.perf_counter) -> None:
        self._run_errand = run_errand
        self._clock = clock
        self._numbers = count()
        self._lock = threading.Lock()
        self.problems: Counter[str] = Counter()

    def run(self, people: int, seconds: float) -> Result:
        """Begin errands for so long; those under way are waited for, and count, with their time."""
        result, begin = Result(), self._clock()
        threads = [
            threading.Thread(target=self._live, args=(result, begin, seconds))
            for _ in range(people)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        result.seconds = self._clock() - begin
        return result

    def _live(self, result: Result, begin: float, seconds: float) -> None:
        while (started := self._clock() - begin) < seconds:
            with self._lock:
                number = next(self._numbers)
            status = self._go(number)
            ended = self._clock() - begin
            with self._lock:
                result.records.append(Record(started, (ended - started) * 1000, status))
                result.statuses[status] += 1
                result.completed += status == _GOOD

    def _go(self, number: int) -> int:
        try:
            self._run_errand(number)
        except AnimatorError as error:
            with self._lock:
                self.problems[error.code] += 1
            return UNANSWERED
        return _GOOD
