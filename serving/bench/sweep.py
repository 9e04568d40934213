"""Sweep: one model, its settings tried, its results written."""

import dataclasses
import json
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from serving.bench.against import compare, told
from serving.bench.journal import Journal
from serving.bench.limits import Limit, latency_limit_ms
from serving.bench.load import Plan, run
from serving.bench.measured import Trial, longest
from serving.bench.page import Report
from serving.bench.progress import Progress, planned_s
from serving.bench.records import Result
from serving.bench.results import TRIALS, machine_facts, write_page
from serving.bench.search import ETA, ROUNDS, best_of, full_grid, halving
from serving.bench.setting import Space
from serving.bench.spent import Spent
from serving.bench.subject import Subject
from serving.bench.trial import Ask, Bench, Timing
from serving.bench.tuned import Model, tuned_config
from serving.bench.wording import short
from serving.errors import BadInput

__all__ = ("Goal", "Sweep", "Swept")

_BUSY = 0.9


@dataclass(frozen=True)
class Goal:
    """What is looked for, and how.

    Attributes:
        space: settings.
        limits: what the best must keep to.
        timing: of the trials.
        is_grid: whether every setting is tried for the whole time.
    """

    space: Space
    limits: Sequence[Limit]
    timing: Timing
    is_grid: bool


@dataclass(frozen=True)
class Swept:
    """What came of it.

    Attributes:
        trials: each setting's longest.
        best: None: none keeps the limits.
        is_whole: whether it was not interrupted.
        is_worse: whether a former trial was better, beyond noise.
    """

    trials: Sequence[Trial]
    best: Trial | None
    is_whole: bool
    is_worse: bool


class Sweep:
    """One model whose settings are tried.

    Args:
        model: which.
        ask: what it is asked.
        goal: what is looked for.
        folder: of the results.
    """

    def __init__(self, model: Model, ask: Ask, goal: Goal, folder: Path) -> None:
        self._model = model
        self._ask = ask
        self._goal = goal
        self._folder = folder

    def run(
        self,
        start: Callable[[], Subject],
        *,
        is_resumed: bool = False,
        former: Sequence[Trial] = (),
        tolerance: float = 0.05,
        load: Callable[[Plan], Result] = run,
    ) -> Swept:
        """Try the settings, and write what is known even where it is interrupted.

        Args:
            start: gives the server.
            is_resumed: whether trials that the folder holds count as done.
            former: to be compared with.
            tolerance: a change up to this share is none.
            load: carries a load out.

        Raises:
            ServingError: when the server cannot be had, or the folder holds something else.
        """
        journal = self._journal(is_resumed=is_resumed)
        began, is_whole, spent = time.monotonic(), True, Spent()
        with ExitStack() as stack:
            subject = start()
            stack.callback(subject.close)
            bench = Bench(
                subject,
                self._ask,
                self._goal.timing,
                journal,
                model=self._model.name,
                limit_ms=latency_limit_ms(self._goal.limits),
                load=load,
            )
            spent = bench.spent
            try:
                self._search(bench)
            except KeyboardInterrupt:
                is_whole = False
        whole_s = time.monotonic() - began
        changes = compare(former, journal.trials, tolerance)
        time_facts = self._time_facts(spent, whole_s, is_whole=is_whole)
        is_worse = any(change.is_worse for change in changes)
        kept, best = self._write(journal.trials, time_facts, told(changes, tolerance))
        return Swept(kept, best, is_whole, is_worse)

    def _journal(self, *, is_resumed: bool) -> Journal:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            return Journal(self._folder / TRIALS, self._about(), is_resumed=is_resumed)
        except OSError as error:
            msg = f"{self._folder} can hold no results: {error.strerror}; choose another --output"
            raise BadInput(msg) from error

    def _search(self, bench: Bench) -> None:
        goal, settings = self._goal, list(self._goal.space.grid())
        whole_s = goal.timing.whole_s
        rounds = 0 if goal.is_grid else ROUNDS
        progress = Progress(planned_s(len(settings), whole_s, ETA, rounds))
        attempt = progress.watching(bench.attempt)
        try:
            if goal.is_grid:
                full_grid(settings, attempt, whole_s)
            else:
                halving(settings, attempt, whole_s, goal.limits)
        finally:
            progress.end()

    def _write(
        self,
        trials: Sequence[Trial],
        time_facts: Sequence[tuple[str, str]],
        changes: Sequence[str],
    ) -> tuple[list[Trial], Trial | None]:
        best, kept = best_of(trials, self._goal.limits), longest(trials)
        # The best is the very object that the page marks.
        best = next((t for t in kept if best and t.setting == best.setting), None)
        report = Report(
            title=f"{self._model.name}: how it is served best",
            facts=[*self._facts(trials, len(kept)), *time_facts],
            trials=kept,
            limits=self._goal.limits,
            best=best,
            tuned=tuned_config(self._model, best.setting, _why(best), self._goal.limits)
            if best
            else "",
            changes=changes,
        )
        write_page(self._folder, report)
        return kept, best

    def _facts(self, trials: Sequence[Trial], tried: int) -> list[tuple[str, str]]:
        timing, settings = self._goal.timing, len(list(self._goal.space.grid()))
        sizes = ", ".join(f"{len(body):,}" for body in self._ask.bodies[:5])
        kind = "full grid" if self._goal.is_grid else "successive halving"
        facts = [
            *machine_facts(),
            ("asked", f"{self._ask.path}, bodies of {sizes} bytes"),
            ("a whole trial", f"{timing.repeats} times {timing.extent}"),
            ("search", f"{kind}, {tried} of {settings} settings tried"),
        ]
        busy = max((repeat.busy for t in trials for repeat in t.repeats), default=0.0)
        if busy > _BUSY:
            facts.append(("beware", f"the load generator was {busy:.0%} busy: it may be the limit"))
        return facts

    def _time_facts(self, spent: Spent, whole_s: float, *, is_whole: bool) -> list[tuple[str, str]]:
        """How long it took, for what, and how much of a full grid's time that is."""
        took = f"{whole_s / 60:.1f} min" if whole_s >= 60 else f"{whole_s:.0f} s"
        said = took + ("" if is_whole else ", interrupted")
        facts = [("time", said)]
        if spent.prepared:
            each_s = spent.preparing_s / spent.prepared
            said += f": {spent.loading_s / whole_s:.0%} for trials, "
            said += f"{spent.preparing_s / whole_s:.0%} until the model was served "
            said += f"({spent.prepared} times {each_s:.2g} s)"
            facts = [("time", said)]
        is_known = is_whole and spent.prepared and not spent.resumed
        if is_known and not self._goal.is_grid and not self._goal.timing.count:
            settings, trial_s = list(self._goal.space.grid()), self._goal.timing.whole_s
            grid_s = spent.of_grid(settings, trial_s)
            said = f"{spent.planned_s / (len(settings) * trial_s):.0%} of its measuring, at most "
            said += f"{whole_s / grid_s:.0%} of its {grid_s / 60:.1f} min"
            facts.append(("beside a full grid", said))
        return facts

    def _about(self) -> str:
        """What makes trials comparable, so that only those are resumed."""
        said = {
            "model": [self._model.name, self._model.archive],
            "ask": [self._ask.path, self._ask.headers, [len(body) for body in self._ask.bodies]],
            "timing": dataclasses.asdict(self._goal.timing),
        }
        return json.dumps(said)


def _why(best: Trial) -> str:
    lines = [
        f"Found by `serving bench` on {datetime.now():%Y-%m-%d}, the best of what was tried.",
        f"{short(best.median('throughput'), 4)} answers a second, "
        f"p50 {short(best.median('p50_ms'))} ms, p99 {short(best.median('p99_ms'))} ms: "
        f"{best.setting.name}.",
    ]
    return "\n".join(lines)
