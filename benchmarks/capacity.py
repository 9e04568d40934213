"""How many machines do so many drawings a minute need?

    python -m benchmarks.capacity                # --count 20, --rates 1 100 10000, --from FILE

Measures what a drawing costs: each stage by itself in this process (processor time of one thread),
and the whole way through a running product (by role; with Redis, network and storage). Then reckons
what each rate needs. Prints the tables of docs/scale.md; `--save` keeps the measurement as JSON,
which `benchmarks.capacity_simulation` reads.
"""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import msgspec

from animator.core.errors import AnimatorError
from benchmarks.planning.needs import (
    FILM,
    LIVE,
    PREVIEWS,
    READ,
    Assumptions,
    Need,
    Plan,
    plan,
)
from benchmarks.planning.pages import put_into
from benchmarks.planning.stages import STAGES, measure_drawing
from benchmarks.planning.whole import ROLES, Costs, measure_product
from benchmarks.soaking.product import Product
from benchmarks.walk import DEFAULT_DATA, ROOT, choose_drawings
from serving.bench.records import percentile
from serving.local import LocalPredictor

__all__ = ("MEASURED", "Measured", "measure", "overhead_of")

MEASURED = Path(__file__).parent / "capacity.json"
"""The measurement that docs/scale.md tells."""

_JOBS = 4
"""Jobs of a drawing: read, live, previews, film."""


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured.

    Attributes:
        names: of the drawings' files.
        rows: processor seconds of each stage, by drawing.
        costs: of the running product.
    """

    names: tuple[str, ...]
    rows: tuple[dict[str, float], ...]
    costs: Costs


def measure(drawings: Sequence[Path], motion: str = "dance") -> Measured:
    """Measure all stages, then the product."""
    cv2.setNumThreads(1)
    predictor = LocalPredictor(ROOT / "models", threads=1)
    rows, tensors, used = [], [], []
    for number, file in enumerate([drawings[0], *drawings]):
        try:
            row, size = measure_drawing(file, predictor, motion)
        except AnimatorError as error:
            print(f"<!-- {file.name}: {error.code} -->", file=sys.stderr)
            continue
        if number:  # the first one loads the models
            rows.append(row)
            tensors.append(size)
            used.append(file)
    with tempfile.TemporaryDirectory(prefix="animator-capacity-") as name:
        product = Product(Path(name), Path(name) / "data", "whole", ROOT / "models")
        try:
            product.start()
            costs = measure_product(product, used, statistics.fmean(tensors))
        finally:
            product.stop()
    names = tuple(file.name for file in used)
    return Measured(names=names, rows=tuple(rows), costs=costs)


def overhead_of(measured: Measured) -> float:
    """Processor seconds of a job beside its stages: fork, queue, news, storage."""
    stages = [
        sum(sum(row[stage] for stage in job) for job in (READ, LIVE, PREVIEWS, FILM))
        for row in measured.rows
    ]
    return max((measured.costs.cpu["worker"] - statistics.fmean(stages)) / _JOBS, 0.0)


def _stage_table(measured: Measured) -> Iterator[str]:
    yield "| stage | median ms | mean ms | p95 ms |\n|---|---:|---:|---:|"
    for stage in STAGES:
        times = sorted(1000 * row[stage] for row in measured.rows)
        cells = (statistics.median(times), statistics.fmean(times), percentile(times, 95))
        yield f"| {stage} | {' | '.join(f'{cell:.0f}' for cell in cells)} |"
    yield f"| a job beside its stages | | {1000 * overhead_of(measured):.0f} | |"


def _role_table(costs: Costs) -> Iterator[str]:
    yield "| role | CPU ms a drawing | idle, cores | processes | MiB a process (PSS) |"
    yield "|---|---:|---:|---:|---:|"
    for role in ROLES:
        cells = (
            f"{1000 * costs.cpu[role]:.0f}",
            f"{costs.idle[role]:.3f}",
            f"{costs.processes[role]}",
            f"{costs.memory[role] / costs.processes[role]:.0f}",
        )
        yield f"| {role} | {' | '.join(cells)} |"


def _bytes_table(costs: Costs) -> Iterator[str]:
    yield "| a drawing | |\n|---|---:|"
    yield f"| requests | {costs.requests:.0f} |"
    yield f"| picture handed in | {costs.sent / 1000:.0f} kB |"
    yield f"| answers | {costs.received / 1000:.0f} kB |"
    yield f"| to the models and back | {costs.tensors / 1000:.0f} kB |"
    yield f"| kept in storage | {costs.stored / 1000:.0f} kB in {costs.files:.0f} files |"
    yield f"| Redis: commands | {costs.redis_commands:.0f} |"
    yield f"| Redis: bytes in and out | {costs.redis_bytes / 1000:.0f} kB |"
    yield f"| Redis: kept with the news | {costs.redis_news / 1000:.1f} kB |"
    yield f"| Redis: kept for an hour | {costs.redis_jobs / 1000:.1f} kB |"


def _plan_table(plans: Sequence[Plan]) -> Iterator[str]:
    yield "| drawings a minute | " + " | ".join(f"{p.rate:,.0f}" for p in plans) + " |"
    yield "|---|" + "---:|" * len(plans)
    for index, need in enumerate(plans[0].needs):
        cells = [_need_cell(p.needs[index]) for p in plans]
        yield f"| {need.role}: processes (cores busy, mean / peak) | {' | '.join(cells)} |"
    for name, of in (
        ("cores for all these", "cores"),
        ("hosts of 16 cores, one to spare", "hosts"),
        ("hosts where models are on GPUs (estimate)", "hosts_gpu"),
        ("GPUs, one to spare (estimate)", "gpus"),
        ("to and from clients, peak, Mbit/s", "mbit"),
        ("to and from storage, peak, Mbit/s", "store_mbit"),
        ("to and from models, peak, Mbit/s", "model_mbit"),
        ("new in storage, GiB a day", "gib_a_day"),
        ("in storage after 30 days, GiB", "gib_kept"),
        ("Redis: commands a second, peak", "redis_commands"),
        ("Redis: share of its thread, peak", "redis_busy"),
        ("Redis: memory after 30 days, GiB", "redis_gib"),
    ):
        yield f"| {name} | {' | '.join(_number(getattr(p, of)) for p in plans)} |"


def _need_cell(need: Need) -> str:
    return f"{need.processes:,} ({_number(need.mean)} / {_number(need.peak)})"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 or isinstance(value, int) else f"{value:.2g}"


def main() -> None:
    """Measure, reckon, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA, help="folder of drawings")
    parser.add_argument("--count", type=int, default=20, help="how many, evenly chosen")
    parser.add_argument("--rates", type=float, nargs="+", default=[1, 100, 10_000])
    parser.add_argument("--from", dest="file", type=Path, help="a kept measurement, not a new one")
    parser.add_argument("--save", type=Path, help="keep the measurement")
    parser.add_argument("--into", type=Path, help="put the tables into this page, as docs/scale.md")
    options = parser.parse_args()
    if options.file:
        measured = msgspec.json.decode(options.file.read_bytes(), type=Measured)
    else:
        measured = measure(choose_drawings(options.data, options.count))
    if options.save:
        options.save.write_bytes(msgspec.json.format(msgspec.json.encode(measured), indent=1))
    overhead = overhead_of(measured)
    plans = [plan(r, measured.costs, measured.rows, overhead, Assumptions()) for r in options.rates]
    for name, table in (
        ("stages", _stage_table(measured)),
        ("roles", _role_table(measured.costs)),
        ("bytes", _bytes_table(measured.costs)),
        ("plan", _plan_table(plans)),
    ):
        text = "\n".join(table)
        print(text + "\n")
        if options.into:
            put_into(options.into, name, text)


if __name__ == "__main__":
    main()
