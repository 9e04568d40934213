"""Bench: tries settings on a server, and keeps each trial in a file as soon as it is done."""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from serving.bench.load import Plan, build_request, run
from serving.bench.measured import Measured, Trial, measure
from serving.bench.records import Result, is_good
from serving.bench.setting import Setting
from serving.bench.stages import stages_between
from serving.bench.subject import Subject
from serving.bench.usage import UsageWatch
from serving.errors import BadInput, ServingError

__all__ = ("Ask", "Bench", "Journal", "Timing")

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


class Journal:
    """Trials that are done, one a line of a file; what breaks off leaves the rest.

    Args:
        path: of the file.
        about: what is measured; its first line.
        is_resumed: whether the trials in it count as done; else they are forgotten.

    Raises:
        BadInput: when trials of something else would be resumed.
    """

    def __init__(self, path: Path, about: str, *, is_resumed: bool) -> None:
        self._path = path
        self._done: dict[tuple[Setting, float], Trial] = {}
        if is_resumed and path.exists():
            self._read(about)
        else:
            path.write_bytes(msgspec.json.encode(about) + b"\n")

    def find(self, setting: Setting, seconds: float) -> Trial | None:
        """A trial of that setting and length."""
        return self._done.get((setting, seconds))

    def add(self, trial: Trial) -> None:
        """Keep a trial."""
        self._done[(trial.setting, trial.seconds)] = trial
        with self._path.open("ab") as file:
            file.write(msgspec.json.encode(trial) + b"\n")

    @property
    def trials(self) -> list[Trial]:
        """All that are kept."""
        return list(self._done.values())

    def _read(self, about: str) -> None:
        whole, end, _ = self._path.read_bytes().rpartition(b"\n")
        # What was being written when it broke off is no line, and is cut away.
        self._path.write_bytes(whole + end)
        first, *lines = whole.splitlines() or [b'""']
        try:
            is_same = msgspec.json.decode(first) == about
            trials = [msgspec.json.decode(line, type=Trial) for line in lines if is_same]
        except msgspec.DecodeError as error:
            msg = f"{self._path} cannot be read: {error}; leave --resume away"
            raise BadInput(msg) from error
        if not is_same:
            msg = f"{self._path} holds trials of something else; leave --resume away, or choose "
            msg += "another folder by --output"
            raise BadInput(msg)
        # What could not be tried then may be now.
        self._done = {(t.setting, t.seconds): t for t in trials if not t.problem}


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
    ) -> None:
        self._subject = subject
        self._ask = ask
        self._timing = timing
        self._journal = journal
        self._model = model
        self._limit_ms = limit_ms
        self._load = load

    def attempt(self, setting: Setting, seconds: float) -> Trial:
        """Try a setting, or take what the journal knows of it."""
        done = self._journal.find(setting, seconds)
        if done is not None:
            return done
        try:
            self._subject.prepare(setting)
            trial = self._measure(setting, seconds)
        except ServingError as error:
            trial = Trial(setting=setting, seconds=seconds, problem=error.message)
        self._journal.add(trial)
        return trial

    def _measure(self, setting: Setting, seconds: float) -> Trial:
        timing = self._timing.split(seconds)
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
    if any(repeat.throughput > 0 for repeat in repeats):
        return ""
    statuses = sorted({status for repeat in repeats for status in repeat.statuses})
    if not statuses:
        return "no answer came while it was measured: measure longer, by --seconds"
    told = " or ".join(statuses) if not any(is_good(int(s)) for s in statuses) else "late"
    return f"no good answer came, only {told}: {sample.decode('utf-8', 'replace')}"
