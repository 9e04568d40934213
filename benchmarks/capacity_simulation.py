"""Does the simulation foretell what is measured, and does what was reckoned keep waits short?

    python -m benchmarks.capacity_simulation             # farms, from benchmarks/capacity.json
    python -m benchmarks.capacity_simulation --measure   # first the machine at hand, 3 to 4 minutes

`--measure` takes the costs on this machine anew (fewer drawings), foretells drawings a minute and
waits for 1, 2 and 4 people, has the load of `animator bench --job` do the same for real, and prints
both side by side. The machine should have nothing else to do. Then, and without it, farms as
`benchmarks.capacity` reckons them are simulated in their busiest minute, with one host gone for a
while.
"""

import argparse
import math
import os
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import msgspec

from animator.cli.job_load import Errand, JobLoad, Stopwatch, make_film
from animator.cli.job_server import started_server
from animator.settings import Settings
from benchmarks.capacity import MEASURED, Measured, measure, overhead_of
from benchmarks.planning.farm import Farm, Served, simulate_farm
from benchmarks.planning.machine import Felt, Machine, simulate_machine
from benchmarks.planning.needs import MODELS, Assumptions, Plan, Row, jobs_of, plan
from benchmarks.planning.pages import put_into
from benchmarks.planning.plot import plot_waits
from benchmarks.planning.queueing import wait_percentile
from benchmarks.walk import DEFAULT_DATA, choose_drawings
from serving.bench.records import Record, is_good, part_within, percentile

_PEOPLE = (1, 2, 4)
_SEEDS = 5
_LONG_S = 2000.0
_MOTION, _FORMAT = "dance", "mp4"


class Real(msgspec.Struct, frozen=True, kw_only=True):
    """What people felt at a real machine.

    Attributes:
        rate: drawings a minute.
        errands: seconds of each whole errand.
        waits: seconds until each job began.
    """

    rate: float
    errands: list[float]
    waits: list[float]


def machine_of(measured: Measured, cores: float, workers: int) -> Machine:
    """The machine that was measured, for the simulation."""
    costs = measured.costs
    return Machine(
        cores=cores,
        workers=workers,
        rows=measured.rows,
        overhead=overhead_of(measured),
        request=(costs.cpu["web"] + costs.client) / costs.requests,
        queue=(costs.cpu["redis"] + costs.cpu["inference"]) / 4,
    )


def farm_of(planned: Plan, measured: Measured, peak: float, gone: int = 0) -> Farm:
    """What was reckoned, for the simulation of its busiest minute.

    Args:
        planned: for the mean rate.
        measured: what a drawing costs.
        peak: over the mean.
        gone: job workers of the host that is gone for a while: so many are there beside those that
            are needed.
    """
    sizes = {need.role: need.processes for need in planned.needs}
    return Farm(
        rate=planned.rate * peak,
        web=sizes["web"],
        workers=sizes["worker"] + gone,
        models={model: sizes[model] for model in MODELS},
        rows=measured.rows,
        overhead=overhead_of(measured),
        page=measured.costs.cpu["web"],
        gone=gone,
    )


def _measure_load(drawings: Sequence[Path], seconds: float) -> Iterator[tuple[int, Real]]:
    """What so many people felt, by the load of `animator bench --job`."""
    with (
        tempfile.TemporaryDirectory(prefix="animator-capacity-") as folder,
        started_server(Path(folder)) as url,
    ):
        errand = Errand(url, drawings, _MOTION, _FORMAT)
        make_film(errand, 0, Stopwatch())
        for people in _PEOPLE:
            watch = Stopwatch()
            load = JobLoad(partial(_go, errand, watch))
            result = load.run(people, seconds)
            steps = [step for step in watch.seconds if "until it begins" in step]
            yield (
                people,
                Real(
                    rate=60 / seconds * sum(_part(record, seconds) for record in result.records),
                    errands=[record.latency_ms / 1000 for record in result.records],
                    waits=[wait for step in steps for wait in watch.seconds[step]],
                ),
            )


def _go(errand: Errand, watch: Stopwatch, number: int) -> None:
    make_film(errand, number, watch)


def _part(record: Record, until: float) -> float:
    """How much of an errand lies in the time that is measured; those that failed count nothing."""
    end = record.start_s + record.latency_ms / 1000
    return part_within(record.start_s, end, until) if is_good(record.status) else 0.0


def _compare(measured: Measured, drawings: Sequence[Path], seconds: float) -> Iterator[str]:
    machine = machine_of(measured, os.cpu_count() or 1, Settings().job_workers)
    yield "| people | | drawings a minute | errand p50 / p95 s | wait for a worker p50 / p95 s |"
    yield "|---:|---|---:|---:|---:|"
    for people, real in _measure_load(drawings, seconds):
        told = [simulate_machine(machine, people, _LONG_S, seed) for seed in range(_SEEDS)]
        rates = [felt.rate for felt in told]
        foretold = Felt(
            errands=[each for felt in told for each in felt.errands],
            waits=[each for felt in told for each in felt.waits],
            seconds=_LONG_S * _SEEDS,
        )
        rate = f"{statistics.fmean(rates):.1f} ({min(rates):.1f} to {max(rates):.1f})"
        felt = f"{_two(foretold.errands)} | {_two(foretold.waits)}"
        yield f"| {people} | foretold | {rate} | {felt} |"
        yield f"| | measured | {real.rate:.1f} | {_two(real.errands)} | {_two(real.waits)} |"
        yield f"| | off by | {100 * (foretold.rate / real.rate - 1):+.0f} % | | |"


def _farms(measured: Measured, rates: Sequence[float]) -> Iterator[str]:
    assumed = Assumptions()
    yield "| drawings a minute, peak | workers | seconds | waits p50 / p95 s | theory p95 s |" + (
        " moves p50 / p95 s | model p95 ms | previews p95 s |"
    )
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    for rate in rates:
        planned = plan(rate, measured.costs, measured.rows, overhead_of(measured), assumed)
        seconds = max(min(1_500_000 / (rate * assumed.peak), 20_000.0), 60.0)
        workers = next(need.processes for need in planned.needs if need.role == "worker")
        for gone in (0, math.ceil(workers / (planned.hosts - 1))):
            farm = farm_of(planned, measured, assumed.peak, gone)
            served = simulate_farm(farm, seconds, seed=1)
            yield _farm_row(farm, served, seconds, _theory(farm))


def _farm_row(farm: Farm, served: Served, seconds: float, theory: float) -> str:
    what = f"{farm.rate:,.0f}" + (f", {farm.gone} of them gone a third of it" if farm.gone else "")
    cells = (
        what,
        f"{farm.workers:,}",
        f"{seconds:,.0f}",
        _two(served.waits),
        f"{theory:.2f}" if not farm.gone else "",
        _two(served.moves),
        f"{1000 * percentile(served.answers, 95):.0f}",
        f"{percentile(served.previews, 95):.1f}" if served.previews else "none yet",
    )
    return f"| {' | '.join(cells)} |"


def _urgent(rows: Sequence[Row], overhead: float) -> list[float]:
    """Seconds of those jobs that somebody waits for."""
    jobs = jobs_of(rows, overhead)
    return [seconds for job in jobs if job.has_priority for seconds in job.seconds]


def _theory(farm: Farm) -> float:
    """M/G/c for those jobs that somebody waits for: previews in between are not in it."""
    times = _urgent(farm.rows, farm.overhead)
    mean = statistics.fmean(times)
    variation = statistics.pvariance(times) / mean**2
    return wait_percentile(0.95, 3 * farm.rate / 60, mean, farm.workers, variation)


def _two(values: Sequence[float]) -> str:
    return f"{percentile(values, 50):.2f} / {percentile(values, 95):.2f}" if values else "none"


def _tell(name: str, lines: Iterator[str], page: Path | None) -> None:
    text = "\n".join(lines)
    print(text + "\n", flush=True)
    if page:
        put_into(page, name, text)


def main() -> None:
    """Foretell, measure, compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--measure", action="store_true", help="compare with the machine at hand")
    parser.add_argument("--seconds", type=float, default=40.0, help="of each number of people")
    parser.add_argument("--count", type=int, default=8, help="drawings to take costs from")
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA, help="folder of drawings")
    parser.add_argument("--from", dest="file", type=Path, default=MEASURED, help="kept costs")
    parser.add_argument("--rates", type=float, nargs="*", default=[1, 100, 10_000])
    parser.add_argument("--plot", type=Path, help="write a picture of waits by use of workers")
    parser.add_argument("--into", type=Path, help="put the tables into this page, as docs/scale.md")
    options = parser.parse_args()
    if options.measure:
        chosen = choose_drawings(options.data, options.count)
        here = measure(chosen, _MOTION)
        used = [file for file in chosen if file.name in here.names]
        _tell("machine", _compare(here, used, options.seconds), options.into)
    kept = msgspec.json.decode(options.file.read_bytes(), type=Measured)
    if options.rates:
        _tell("farms", _farms(kept, options.rates), options.into)
    if options.plot:
        times = _urgent(kept.rows, overhead_of(kept))
        options.plot.write_text(plot_waits(times, Assumptions().wait_s), encoding="utf-8")


if __name__ == "__main__":
    main()
