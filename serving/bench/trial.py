"""Bench: tries settings on a server."""

import dataclasses
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from serving.bench.journal import Journal
from serving.bench.load import Plan, build_request, run
from serving.bench.measured import Measured, Trial, measure
from serving.bench.records import Result, is_good
from serving.bench.setting import Setting
from serving.bench.spent import Spent
from serving.bench.stages import stages_between
from serving.bench.subject import Subject
from serving.bench.usage import UsageWatch
from serving.errors import ServingError

__all__ = ("Ask", "Bench", "Timing")

_LEAST_S = 0.5
"""Shortest repeat: in less time than this the answers of one batch decide."""

_AGAIN_S = 0.2
"""Warm-up of a server that was asked just now."""


@dataclass(frozen=True)
class Ask:
    """What each request is.

    Attributes:
        path: of the model.
        bodies: they take turns.
        headers: of each.
    """

    path: str
    bodies: tuple[bytes, ...]
    headers: dict[str, str]

    def requests(self, host: str, port: int) -> tuple[bytes, ...]:
        """Their bytes, for a server."""
        place = f"{host}:{port}"
        return tuple(build_request(place, self.path, b, self.headers) for b in self.bodies)


@dataclass(frozen=True)
class Timing:
    """How long is measured.

    Attributes:
        seconds: of one repeat.
        repeats: of a whole trial.
        warmup_s: before each trial.
        count: requests of each repeat, where the time is not over before; None: the time decides.
        seed: of the arrivals of an open loop.
    """

    seconds: float
    repeats: int
    warmup_s: float
    count: int | None = None
    seed: int = 1

    @property
    def whole_s(self) -> float:
        """Of a whole trial, without its warm-up."""
        return self.seconds * self.repeats

    @property
    def extent(self) -> str:
        """Of one repeat, for people."""
        return f"{self.count} requests" if self.count else f"{self.seconds:g} s"

    def split(self, seconds: float) -> "Timing":
        """For a shorter trial: fewer and shorter repeats."""
        repeats = max(min(self.repeats, int(seconds / self.seconds)), 1)
        each = max(seconds / repeats, _LEAST_S)
        warmup_s = min(self.warmup_s, max(seconds / 4, _AGAIN_S))
        return dataclasses.replace(self, seconds=each, repeats=repeats, warmup_s=warmup_s)


class Bench:
    """Tries settings of one model on one server.

    Args:
        subject: the server.
        ask: what it is asked.
        timing: how long.
        journal: of what is done.
        limit_ms: of the latency, for the goodput.
        model: its name.
        load: carries a load out.
        clock: seconds.

    Attributes:
        spent: where the time went.
    """

    def __init__(  # noqa: PLR0913 - the composition root of a trial
        self,
        subject: Subject,
        ask: Ask,
        timing: Timing,
        journal: Journal,
        *,
        model: str,
        limit_ms: float | None = None,
        load: Callable[[Plan], Result] = run,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._subject = subject
        self._ask = ask
        self._timing = timing
        self._journal = journal
        self._model = model
        self._limit_ms = limit_ms
        self._load = load
        self._clock = clock
        self._served: Setting | None = None
        self.spent = Spent()

    def attempt(self, setting: Setting, seconds: float) -> Trial:
        """Try a setting, or take what the journal knows of it."""
        done = self._journal.find(setting, seconds)
        if done is not None:
            self.spent.resumed += 1
            return done
        try:
            self._prepare(setting)
            trial = self._measure(setting, seconds)
        except ServingError as error:
            trial = Trial(setting=setting, seconds=seconds, problem=error.message)
        self._journal.add(trial)
        return trial

    def _prepare(self, setting: Setting) -> None:
        began = self._clock()
        self._subject.prepare(setting)
        self.spent.preparing_s += self._clock() - began
        self.spent.prepared += setting.served != self._served
        self._served = setting.served

    def _measure(self, setting: Setting, seconds: float) -> Trial:
        timing, began = self._timing.split(seconds), self._clock()
        watch = UsageWatch(self._subject.processes)
        before = self._subject.metrics()
        repeats: list[Measured] = []
        answers, sample = 0, b""
        for number in range(timing.repeats):
            with watch.watching():
                result = self._load(self._plan(setting, timing, number))
            answers += sum(result.statuses.values())
            sample = result.sample
            repeats.append(measure(result, self._limit_ms))
        self.spent.loading_s += self._clock() - began
        self.spent.planned_s += timing.whole_s
        return Trial(
            setting=setting,
            seconds=seconds,
            repeats=tuple(repeats),
            usage=watch.sum_up(answers),
            stages=stages_between(before, self._subject.metrics(), self._model),
            problem=_problem(repeats, sample),
        )

    def _plan(self, setting: Setting, timing: Timing, number: int) -> Plan:
        host, port = self._subject.place
        return Plan(
            host=host,
            port=port,
            requests=self._ask.requests(host, port),
            clients=setting.concurrency,
            seconds=timing.seconds,
            # Later repeats find the server warm.
            warmup_s=timing.warmup_s if number == 0 else min(timing.warmup_s, _AGAIN_S),
            rate=setting.rate,
            count=timing.count,
            seed=timing.seed + number,
        )


def _problem(repeats: Sequence[Measured], sample: bytes) -> str:
    """Why nothing was answered well at all; "" when something was."""
    has_times = any(repeat.p99_ms is not None for repeat in repeats)
    if has_times and any(repeat.throughput > 0 for repeat in repeats):
        return ""
    statuses = sorted({status for repeat in repeats for status in repeat.statuses})
    if not statuses:
        # What was asked before it was measured, and answered while it was, has no time to tell.
        return "nothing asked while it was measured was answered: measure longer, by --seconds"
    told = " or ".join(statuses) if not any(is_good(int(s)) for s in statuses) else "late"
    return f"no good answer came, only {told}: {sample.decode('utf-8', 'replace')}"
