"""Sweep: one model, its settings tried, its results written."""

import dataclasses
import json
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from serving.bench.against import Change, compare
from serving.bench.limits import Limit, latency_limit_ms
from serving.bench.load import Plan, run
from serving.bench.measured import Trial, longest
from serving.bench.page import Report
from serving.bench.progress import Progress, planned_s
from serving.bench.records import Result
from serving.bench.results import TRIALS, machine_facts, write_page
from serving.bench.search import ETA, ROUNDS, best_of, full_grid, halving
from serving.bench.setting import Space
from serving.bench.subject import Subject
from serving.bench.trial import Ask, Bench, Journal, Timing
from serving.bench.tuned import Model, tuned_config

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
        self._folder.mkdir(parents=True, exist_ok=True)
        journal = Journal(self._folder / TRIALS, self._about(), is_resumed=is_resumed)
        began, is_whole = time.monotonic(), True
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
            try:
                self._search(bench)
            except KeyboardInterrupt:
                is_whole = False
        spent_s = time.monotonic() - began
        changes = compare(former, journal.trials, tolerance)
        return self._write(journal.trials, spent_s, is_whole, changes)

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
        spent_s: float,
        is_whole: bool,
        changes: Sequence[Change],
    ) -> Swept:
        best, kept = best_of(trials, self._goal.limits), longest(trials)
        # The best is the very object that the page marks.
        best = next((t for t in kept if best and t.setting == best.setting), None)
        order = sorted(changes, key=lambda change: not change.is_worse)
        report = Report(
            title=f"{self._model.name}: how it is served best",
            facts=self._facts(trials, len(kept), spent_s, is_whole),
            trials=kept,
            limits=self._goal.limits,
            best=best,
            tuned=tuned_config(self._model, best.setting, _why(best)) if best else "",
            changes=[change.sentence for change in order],
        )
        write_page(self._folder, report)
        return Swept(kept, best, is_whole, any(change.is_worse for change in changes))

    def _facts(
        self, trials: Sequence[Trial], tried: int, spent_s: float, is_whole: bool
    ) -> list[tuple[str, str]]:
        timing, settings = self._goal.timing, len(list(self._goal.space.grid()))
        sizes = ", ".join(f"{len(body):,}" for body in self._ask.bodies[:5])
        kind = "full grid" if self._goal.is_grid else "successive halving"
        facts = [
            *machine_facts(),
            ("asked", f"{self._ask.path}, bodies of {sizes} bytes"),
            ("a whole trial", f"{timing.repeats} times {timing.extent}"),
            ("search", f"{kind}, {tried} of {settings} settings tried"),
            ("time", f"{spent_s / 60:.1f} min" + ("" if is_whole else ", interrupted")),
        ]
        busy = max((repeat.busy for t in trials for repeat in t.repeats), default=0.0)
        if busy > _BUSY:
            facts.append(("beware", f"the load generator was {busy:.0%} busy: it may be the limit"))
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
        f"{best.median('throughput'):.4g} answers a second, p50 {best.median('p50_ms'):.3g} ms, "
        f"p99 {best.median('p99_ms'):.3g} ms: {best.setting.name}.",
    ]
    return "\n".join(lines)
