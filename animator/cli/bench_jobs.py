"""`animator bench --job`: drawings a minute through page, queue, models and film."""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from animator.cli.job_load import Errand, JobLoad, Stopwatch, make_film
from animator.cli.job_server import started_server
from animator.core.errors import AnimatorError
from serving.bench.against import compare
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


class NoDrawings(AnimatorError):
    """Nothing is there to be handed in."""

    code = "no_drawings"


def run_jobs(args: argparse.Namespace) -> int:
    """Measure; 0 done, 1 when no number of people keeps the limits or it became worse."""
    if not args.data:
        raise NoDrawings("Name drawings to hand in, by --data.")
    limits = [parse_limit(text) for text in args.slo]
    args.output.mkdir(parents=True, exist_ok=True)
    about = f"jobs, {args.motion}, {args.format}, {len(args.data)} drawings, {args.seconds:g} s"
    journal = Journal(args.output / TRIALS, about, is_resumed=args.resume)
    watch = Stopwatch()
    with _server(args.url) as url:
        errand = Errand(url, args.data, args.motion, args.format)
        _warm_up(errand)
        load = JobLoad(lambda number: make_film(errand, number, watch))
        for people in _PEOPLE if args.concurrency == _ANY else args.concurrency:
            _try(load, Setting(concurrency=people), journal, (args.seconds, limits))
    text = jobs_table(journal.trials, watch.seconds, limits)
    (args.output / "jobs.md").write_text(f"{_facts(about)}\n\n{text}\n", encoding="utf-8")
    print(text)
    return _conclude(args, journal.trials, limits, load.problems)


def jobs_table(
    trials: Sequence[Trial], steps: Mapping[str, Sequence[float]], limits: Sequence[Limit]
) -> str:
    """Two tables in Markdown: by people, and by step."""
    head = "| people | drawings a minute | p50 s | p95 s | p99 s | failed | keeps the limits |"
    rows = [head, "|---:|---:|---:|---:|---:|---:|---|"]
    for trial in trials:
        numbers = [f"{trial.median(name) / 1000:.1f}" for name in ("p50_ms", "p95_ms", "p99_ms")]
        cells = [
            str(trial.setting.concurrency),
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


def _try(
    load: JobLoad, setting: Setting, journal: Journal, how: tuple[float, Sequence[Limit]]
) -> None:
    seconds, limits = how
    if journal.find(setting, seconds) is not None:
        return
    print(f"{setting.concurrency} at a time, {seconds:g} s ...", file=sys.stderr)
    measured = measure(load.run(setting.concurrency, seconds), latency_limit_ms(limits))
    journal.add(Trial(setting=setting, seconds=seconds, repeats=(measured,)))


def _conclude(
    args: argparse.Namespace,
    trials: Sequence[Trial],
    limits: Sequence[Limit],
    problems: Mapping[str, int],
) -> int:
    for code, times in problems.items():
        print(f"{code}: {times} times", file=sys.stderr)
    best = best_of(trials, limits)
    if best is None:
        print("no number of people keeps the limits")
    else:
        rate = 60 * best.median("throughput")
        print(f"best: {rate:.1f} drawings a minute, {best.setting.concurrency} at a time")
    changes = compare(read_trials(args.against), trials, args.tolerance) if args.against else []
    for change in changes:
        print(change.sentence)
    return int(best is None or any(change.is_worse for change in changes))


def _facts(about: str) -> str:
    facts = [*machine_facts(), ("asked", about)]
    return "\n".join(f"- {name}: {value}" for name, value in facts)
