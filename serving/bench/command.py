"""The command `bench`, from its flags to its exit code."""

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from serving.bench.bodies import ask_with_files, ask_with_tensors
from serving.bench.interruption import ended_like_ctrl_c
from serving.bench.limits import parse_limit
from serving.bench.management import Management
from serving.bench.results import read_trials, write_cases
from serving.bench.running_server import RunningServer
from serving.bench.setting import Space
from serving.bench.started_server import StartedServer
from serving.bench.subject import Subject
from serving.bench.sweep import Goal, Sweep, Swept
from serving.bench.torchserve_report import Case
from serving.bench.torchserve_yaml import Benchmarks, read_benchmarks
from serving.bench.trial import Ask, Timing
from serving.bench.tuned import Model
from serving.bench.wording import short
from serving.errors import BadInput
from serving.protocol.metadata import our_version

__all__ = ("INTERRUPTED", "run_bench")

INTERRUPTED = 130
"""Exit code, as shells give it."""

_NAME = "benchmark"
"""Of the models of auto_benchmark's files, as there."""

_PATIENCE_S = 3600.0
"""Longest time for a fixed number of requests."""


def run_bench(options: argparse.Namespace) -> int:
    """Measure; 0 done, 1 when nothing keeps the limits or something became worse, 130 interrupted.

    Raises:
        ServingError: when it cannot be measured.
    """
    if options.input is not None:
        return _run_listed(options, read_benchmarks(options.input))
    if not options.model:
        raise BadInput("name what is measured, by --model, or a file of benchmarks, by --input")
    model = Model(options.model, options.models_dir or Path("models"), options.archive)
    ask = _ask(options)
    goal = Goal(
        space=_space(options),
        limits=[parse_limit(text) for text in options.slo],
        timing=_timing(options, options.requests),
        is_grid=options.search == "grid",
    )
    with ended_like_ctrl_c():
        swept = _sweep(options, Sweep(model, ask, goal, options.output), model, options.output)
    body = ", ".join(map(str, options.data or options.tensor))
    cases = [
        Case(trial, f"bench_{model.name}", model.archive or model.name, body)
        for trial in swept.trials
    ]
    write_cases(options.output, cases, _hardware(goal.space), _version(options))
    return _conclude(options, [swept])


def _run_listed(options: argparse.Namespace, benchmarks: Benchmarks) -> int:
    """Measure what a file of auto_benchmark lists, in a folder for each model."""
    if benchmarks.ignored:
        sys.stderr.write(f"not followed: {', '.join(benchmarks.ignored)}\n")
    all_swept: list[Swept] = []
    cases: list[Case] = []
    for listed in benchmarks.listed:
        model = _archive(listed.url)
        ask = ask_with_files(_NAME, [listed.body], "application/jpg")
        space = listed.space
        if not options.url and benchmarks.hardware in {"cpu", "gpu"}:
            device = "cpu" if benchmarks.hardware == "cpu" else "cuda:0"
            space = msgspec.structs.replace(space, device=(device,))
        limits = [parse_limit(text) for text in options.slo]
        goal = Goal(space, limits, _timing(options, listed.requests), is_grid=True)
        folder = options.output / listed.group
        with ended_like_ctrl_c():
            swept = _sweep(options, Sweep(model, ask, goal, folder), model, folder)
        all_swept.append(swept)
        cases += [Case(t, listed.group, listed.url, str(listed.body)) for t in swept.trials]
        if not swept.is_whole:
            break
    write_cases(options.output, cases, benchmarks.hardware, _version(options))
    return _conclude(options, all_swept)


def _sweep(options: argparse.Namespace, sweep: Sweep, model: Model, folder: Path) -> Swept:
    former = []
    if options.against is not None:
        former = read_trials(options.against / folder.relative_to(options.output))
    return sweep.run(
        _starter(options, model),
        is_resumed=options.resume,
        former=former,
        tolerance=options.tolerance,
    )


def _starter(options: argparse.Namespace, model: Model) -> Callable[[], Subject]:
    if not options.url:
        return lambda: StartedServer(model)
    archive = model.archive
    if archive and not model.is_remote:
        archive = Path(archive).name
    return lambda: RunningServer(options.url, _management(options), model.name, archive)


def _management(options: argparse.Namespace) -> Management:
    return Management(
        options.management_url or _above(options.url, 1),
        options.metrics_url or _above(options.url, 2),
        options.token,
    )


def _version(options: argparse.Namespace) -> str:
    """Of the server that was measured."""
    if not options.url:
        return our_version()
    management = _management(options)
    try:
        return management.version()
    finally:
        management.close()


def _above(url: str, offset: int) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}:{(parts.port or 80) + offset}"


def _archive(url: str) -> Model:
    """The model of an address, or of a file."""
    model = Model(_NAME, Path("models"), url)
    if model.is_remote:
        return model
    path = Path(url.removeprefix("file://"))
    return Model(_NAME, path.parent, path.name)


def _ask(options: argparse.Namespace) -> Ask:
    if options.tensor:
        return ask_with_tensors(options.model, options.tensor)
    return ask_with_files(options.model, options.data, options.content_type)


def _space(options: argparse.Namespace) -> Space:
    values = {
        "device": options.device,
        "precision": options.precision,
        "batch_size": options.batch_size,
        "max_batch_delay_ms": options.max_batch_delay,
        "workers": options.workers,
        "concurrency": options.concurrency,
        "rate": options.rate or (None,),
    }
    try:
        return msgspec.convert(values, Space)
    except msgspec.ValidationError as error:
        msg = f"a setting cannot be tried: {error}"
        raise BadInput(msg) from error


def _timing(options: argparse.Namespace, count: int | None) -> Timing:
    if options.repeats < 1 or options.warmup < 0 or (count is not None and count < 1):
        raise BadInput("--repeats and --requests must be at least 1, --warmup at least 0")
    timing = Timing(
        seconds=options.seconds,
        repeats=options.repeats,
        warmup_s=options.warmup,
        count=count,
        seed=options.seed,
    )
    if options.input is None:
        return timing
    return replace(timing, seconds=_PATIENCE_S, repeats=1)


def _hardware(space: Space) -> str:
    return "gpu" if any(device.startswith("cuda") for device in space.device) else "cpu"


def _conclude(options: argparse.Namespace, all_swept: list[Swept]) -> int:
    for line in _sentences(options, all_swept):
        print(line)
    if not all(swept.is_whole for swept in all_swept):
        print("interrupted; go on with --resume", file=sys.stderr)
        return INTERRUPTED
    is_bad = any(swept.is_worse or swept.best is None for swept in all_swept)
    return int(is_bad)


def _sentences(options: argparse.Namespace, all_swept: list[Swept]) -> Iterator[str]:
    for swept in all_swept:
        best = swept.best
        if best is None:
            yield "no setting that was tried keeps the limits" if swept.trials else "nothing tried"
            problems = dict.fromkeys(trial.problem for trial in swept.trials if trial.problem)
            yield from list(problems)[:3]
        else:
            rate, p50, p99 = (best.median(name) for name in ("throughput", "p50_ms", "p99_ms"))
            yield f"best: {best.setting.name}: {short(rate, 4)}/s, " + (
                f"p50 {short(p50)}, p99 {short(p99)} ms"
            )
        if swept.is_worse:
            yield f"worse than in {options.against}; the page says what"
    yield f"results: {options.output}"
