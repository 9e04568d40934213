"""How much does a model answer inside a limit of the latency, on the CPU, on a GPU, and in fp16?

    python -m benchmarks.case_study                        # --slo p99=100ms, --seconds 3

The question of TorchServe's case study of animated drawings: which device, precision, batch size
and number of workers answer most while the 99th percentile stays below 100 ms. For each of them
the most clients that keep the limit are looked for, each for `--seconds`. Rows for GPUs are those
of the first one, and are left out where there is none. Prints Markdown, and keeps all trials in the
folder `--output`, from which `--resume` goes on.
"""

import argparse
import itertools
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from msgspec import structs

from benchmarks.walk import DEFAULT_DATA, choose_drawings
from serving.bench.bodies import ask_with_files
from serving.bench.journal import Journal
from serving.bench.limits import Limit, excess, parse_limit
from serving.bench.measured import Trial
from serving.bench.options import listed, positive
from serving.bench.results import TRIALS, machine_facts
from serving.bench.search import loads_that_fit
from serving.bench.setting import Precision, Setting, Space
from serving.bench.started_server import StartedServer
from serving.bench.trial import Bench, Timing
from serving.bench.tuned import Model
from serving.errors import ServingError
from serving.hardware import count_gpus, usable_cores

ROOT = Path(__file__).parents[1]
MODEL = "drawn_humanoid_detector"

BATCHES = (1, 2, 4, 8, 16, 32)
WORKERS = (1, 2, 3, 4)
CLIENTS = (1, 2, 4, 8, 16, 32, 64, 128)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default=MODEL)
    parser.add_argument("--models-dir", type=Path, default=ROOT / "models")
    parser.add_argument("--data", type=Path, nargs="+", help="bodies (a real drawing)")
    parser.add_argument("--slo", default="p99=100ms", help="p99=100ms")
    parser.add_argument("--seconds", type=positive, default=3.0, help="of each trial (3)")
    parser.add_argument("--batch-size", type=listed(int), default=BATCHES)
    parser.add_argument("--workers", type=listed(int), default=WORKERS)
    parser.add_argument("--output", type=Path, default=Path("case-study"))
    parser.add_argument("--resume", action="store_true")
    options = parser.parse_args(arguments)
    limits = [parse_limit(options.slo)]
    try:
        trials = measure(options, spaces(options.batch_size, options.workers), limits)
    except ServingError as error:
        sys.exit(error.message)
    print("\n".join(report(trials, limits)))
    return 0


def spaces(batches: tuple[int, ...], workers: tuple[int, ...]) -> Iterator[Space]:
    """What is tried: on the CPU no more workers than cores, for they would only share them."""
    few = tuple(count for count in workers if count <= usable_cores())
    on_cpu = Space(device=("cpu",), workers=few or (1,), batch_size=batches, concurrency=CLIENTS)
    yield on_cpu
    if count_gpus():
        precisions: tuple[Precision, ...] = ("fp32", "fp16")
        yield structs.replace(on_cpu, device=("cuda:0",), workers=workers, precision=precisions)


def measure(
    options: argparse.Namespace, tried: Iterator[Space], limits: Sequence[Limit]
) -> list[Trial]:
    """Try everything on a server of its own.

    Raises:
        ServingError: when there is no such model.
    """
    options.output.mkdir(parents=True, exist_ok=True)
    ask = ask_with_files(
        options.model,
        options.data or choose_drawings(DEFAULT_DATA, 1),
        "application/octet-stream",
    )
    timing = Timing(seconds=options.seconds, repeats=1, warmup_s=min(1.0, options.seconds / 3))
    about = f"{options.model}, {options.seconds:g} s, {[len(body) for body in ask.bodies]}"
    journal = Journal(options.output / TRIALS, about, is_resumed=options.resume)
    with closing(StartedServer(Model(options.model, options.models_dir))) as server:
        bench = Bench(server, ask, timing, journal, model=options.model)
        settings = itertools.chain.from_iterable(space.grid() for space in tried)
        return list(loads_that_fit(list(settings), bench.attempt, timing.whole_s, limits))


def report(trials: Sequence[Trial], limits: Sequence[Limit]) -> Iterator[str]:
    """The table: for each way of serving its best load; then the best of each device."""
    yield from (f"- {name}: {value}" for name, value in machine_facts())
    yield ""
    yield f"| device | batch | workers | clients | good/s | p50 ms | p99 ms | {limits[0].text} |"
    yield "|---|---:|---:|---:|---:|---:|---:|---|"
    best: dict[str, Trial] = {}
    for _, group in itertools.groupby(trials, key=lambda trial: trial.setting.served):
        ran = list(group)
        kept = [trial for trial in ran if excess(trial, limits) <= 1]
        # Where none keeps the limit, the one that comes nearest.
        trial = max(kept, key=_rate) if kept else min(ran, key=lambda t: excess(t, limits))
        yield _row(trial, is_kept=bool(kept))
        device = _device(trial.setting)
        if kept and (device not in best or _rate(trial) > _rate(best[device])):
            best[device] = trial
    yield ""
    for device, trial in best.items():
        times = f", {_rate(trial) / _rate(best['CPU']):.1f} times the CPU" if "CPU" in best else ""
        yield f"Best on {device}: {_rate(trial):.4g}/s with {trial.setting.name}{times}."
    if not any(trial.setting.device.startswith("cuda") for trial in trials):
        yield "There is no GPU here (or no torch): its rows are left out."


def _row(trial: Trial, *, is_kept: bool) -> str:
    setting, numbers = trial.setting, ["-"] * 3
    if trial.is_measured:
        numbers = [f"{trial.median(field):.3g}" for field in ("throughput", "p50_ms", "p99_ms")]
    verdict = "kept" if is_kept else trial.problem.rpartition("\n")[2] or "broken"
    cells = [_device(setting), setting.batch_size, setting.workers, setting.concurrency]
    return f"| {' | '.join(map(str, [*cells, *numbers, verdict]))} |"


def _device(setting: Setting) -> str:
    if setting.device == "cpu":
        return "CPU"
    return f"GPU {setting.precision}"


def _rate(trial: Trial) -> float:
    return trial.median("throughput")


if __name__ == "__main__":
    sys.exit(main())
