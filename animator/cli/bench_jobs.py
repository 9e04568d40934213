"""`animator bench --job`: drawings a minute through page, queue, models and film."""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from animator.cli.job_load import Errand, JobLoad, Stopwatch, make_film
from animator.cli.job_rates import find_greatest
from animator.cli.job_server import started_server
from animator.core.errors import AnimatorError
from serving.bench.against import compare, told
from serving.bench.interruption import ended_like_ctrl_c
from serving.bench.journal import Journal
from serving.bench.limits import Limit, excess, latency_limit_ms, parse_limit
from serving.bench.measured import Trial, measure
from serving.bench.results import TRIALS, machine_facts, read_trials
from serving.bench.search import best_of
from serving.bench.setting import Setting

__all__ = ("jobs_table", "run_jobs")

_PEOPLE = (1, 2, 4)
_ANY = (1, 8, 32)
"""What the flag says where nobody is asked for."""


_FEW = 20
"""Of fewer people a percentile is that of one of them."""


class NoDrawings(AnimatorError):
    """Nothing is there to be handed in."""

    code = "no_drawings"


def run_jobs(args: argparse.Namespace) -> int:
    """Measure; 0 done, 1 when nothing that was tried keeps the limits or it became worse."""
    if not args.data:
        raise NoDrawings("Name drawings to hand in, by --data.")
    for file in args.data:
        if not file.is_file():
            raise NoDrawings(f"There is no file {file}. Check its name and folder.")
    limits = [parse_limit(text) for text in args.slo]
    args.output.mkdir(parents=True, exist_ok=True)
    about = f"jobs, {args.motion}, {args.format}, {len(args.data)} drawings, {args.seconds:g} s"
    journal = Journal(args.output / TRIALS, about, is_resumed=args.resume)
    watch = Stopwatch()
    with ended_like_ctrl_c(), _server(args.url) as url:
        errand = Errand(url, args.data, args.motion, args.format)
        _warm_up(errand)
        load = JobLoad(lambda number: make_film(errand, number, watch))
        jobs = _Jobs(load, journal, args)
        if args.rate:
            find_greatest(args.rate, lambda rate: jobs.keeps(Setting(rate=rate / 60)))
        else:
            for people in _PEOPLE if args.concurrency == _ANY else args.concurrency:
                jobs.attempt(Setting(concurrency=people))
    text = jobs_table(journal.trials, watch.seconds, limits)
    (args.output / "jobs.md").write_text(f"{_facts(about)}\n\n{text}\n", encoding="utf-8")
    print(text)
    return _conclude(args, journal.trials, limits, load.problems)


def jobs_table(
    trials: Sequence[Trial], steps: Mapping[str, Sequence[float]], limits: Sequence[Limit]
) -> str:
    """Two tables in Markdown: by how many people came, and by step."""
    head = "| people | drawings a minute | p50 s | p95 s | p99 s | failed | keeps the limits |"
    rows = [head, "|---:|---:|---:|---:|---:|---:|---|"]
    for trial in sorted(trials, key=lambda trial: trial.setting.load):
        numbers = [f"{trial.median(name) / 1000:.1f}" for name in ("p50_ms", "p95_ms", "p99_ms")]
        cells = [
            _asked(trial.setting),
            f"{60 * trial.median('throughput'):.1f}",
            *numbers,
            f"{trial.failed} of {trial.requests}",
            "yes" if excess(trial, limits) <= 1 else "no",
        ]
        rows.append(f"| {' | '.join(cells)} |")
    rows += ["", "| step | median s | times |", "|---|---:|---:|"]
    rows += [f"| {step} | {statistics.median(s):.2f} | {len(s)} |" for step, s in steps.items()]
    return "\n".join(rows)


@contextmanager
def _server(url: str | None) -> Iterator[str]:
    """The one that runs, or one that is started."""
    if url:
        yield url
        return
    with (
        tempfile.TemporaryDirectory(prefix="animator-bench-") as folder,
        started_server(Path(folder)) as started,
    ):
        yield started


def _warm_up(errand: Errand) -> None:
    """One drawing that does not count; whatever is wrong with the server shows here."""
    print("warming up ...", file=sys.stderr)
    make_film(errand, 0, Stopwatch())


class _Jobs:
    """Tries how many people may come."""

    def __init__(self, load: JobLoad, journal: Journal, args: argparse.Namespace) -> None:
        self._load = load
        self._journal = journal
        self._seconds = float(args.seconds)
        self._seed = int(args.seed)
        self._limits = [parse_limit(text) for text in args.slo]

    def attempt(self, setting: Setting) -> Trial:
        """Try a number of people, or take what the journal knows of it."""
        done = self._journal.find(setting, self._seconds)
        if done is not None:
            return done
        print(f"{_asked(setting)}, {self._seconds:g} s ...", file=sys.stderr)
        if setting.rate is None:
            result = self._load.run(setting.concurrency, self._seconds)
        else:
            if setting.rate * self._seconds < _FEW:
                print("fewer than twenty come: let it take longer, by --seconds", file=sys.stderr)
            result = self._load.run_arriving(setting.rate, self._seconds, self._seed)
        measured = measure(result, latency_limit_ms(self._limits))
        trial = Trial(setting=setting, seconds=self._seconds, repeats=(measured,))
        self._journal.add(trial)
        return trial

    def keeps(self, setting: Setting) -> bool:
        """Try it; whether it keeps the limits."""
        return excess(self.attempt(setting), self._limits) <= 1


def _asked(setting: Setting) -> str:
    if setting.rate is not None:
        return f"{60 * setting.rate:.3g} a minute"
    return f"{setting.concurrency} at a time"


def _conclude(
    args: argparse.Namespace,
    trials: Sequence[Trial],
    limits: Sequence[Limit],
    problems: Mapping[str, int],
) -> int:
    for code, times in problems.items():
        print(f"{code}: {times} times", file=sys.stderr)
    best = _best(trials, limits)
    if best is None:
        print("nothing that was tried keeps the limits")
    else:
        rate = 60 * best.median("throughput")
        print(f"best: {rate:.1f} drawings a minute, {_asked(best.setting)}")
    changes = compare(read_trials(args.against), trials, args.tolerance) if args.against else []
    for sentence in told(changes, args.tolerance):
        print(sentence)
    return int(best is None or any(change.is_worse for change in changes))


def _best(trials: Sequence[Trial], limits: Sequence[Limit]) -> Trial | None:
    """Of people who came as they liked the most of them, else the most drawings."""
    arriving = [trial for trial in trials if trial.setting.rate is not None]
    kept = [trial for trial in arriving if excess(trial, limits) <= 1]
    if arriving:
        return max(kept, key=lambda trial: trial.setting.load, default=None)
    return best_of(trials, limits)


def _facts(about: str) -> str:
    facts = [*machine_facts(), ("asked", about)]
    return "\n".join(f"- {name}: {value}" for name, value in facts)
