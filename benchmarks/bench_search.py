"""Does the search of `animator bench` find what a full grid finds, in how much of its time?

    python -m benchmarks.bench_search --slo p99=400ms        # about 12 minutes; --seconds 3: 8

Runs both on this machine, with the detector of drawn figures and a real drawing unless the flags of
`animator bench` say otherwise, and prints Markdown: the time of each, what each found, and how much
of the grid's best throughput the setting has that the search found, as the grid itself measured it.
"""

import argparse
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.walk import DEFAULT_DATA, choose_drawings
from serving.bench.command import INTERRUPTED, run_bench
from serving.bench.limits import Limit, excess, parse_limit
from serving.bench.measured import Trial
from serving.bench.options import add_bench_options
from serving.bench.results import read_trials
from serving.bench.search import best_of
from serving.errors import ServingError

ROOT = Path(__file__).parents[1]
MODEL = "drawn_humanoid_detector"


@dataclass(frozen=True)
class Ran:
    """One search.

    Attributes:
        kind: "halving" or "grid".
        seconds: of the whole command.
        trials: all of them.
    """

    kind: str
    seconds: float
    trials: list[Trial]

    @property
    def measured_s(self) -> float:
        """Seconds that were measured."""
        return sum(trial.measured_s for trial in self.trials)

    def best(self, limits: list[Limit]) -> Trial:
        """What it found.

        Raises:
            SystemExit: when it found nothing.
        """
        best = best_of(self.trials, limits)
        if best is None:
            sys.exit(f"{self.kind}: no setting keeps the limits")
        return best


def main() -> int:
    """Run both and print the comparison; 0: as good as it is said to be, else 1."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_bench_options(parser)
    parser.set_defaults(model=MODEL, models_dir=ROOT / "models", output=Path("bench-search"))
    options = parser.parse_args()
    if options.resume or options.input is not None:
        parser.error("whole searches of one model are compared: leave --resume and --input away")
    if not options.data and not options.tensor:
        options.data = choose_drawings(DEFAULT_DATA, 1)
    try:
        halving, grid = _search(options, "halving"), _search(options, "grid")
    except ServingError as error:
        sys.exit(error.message)
    return compare(halving, grid, [parse_limit(text) for text in options.slo])


def compare(halving: Ran, grid: Ran, limits: list[Limit]) -> int:
    """Print what both took and found; 0 where the one keeps to what is said of it, else 1."""
    found, best = halving.best(limits), grid.best(limits)
    print("\n| search | time | measured | best setting | good/s | p99 ms |")
    print("|---|---:|---:|---|---:|---:|")
    for ran, trial in ((halving, found), (grid, best)):
        numbers = f"{trial.median('throughput'):.4g} | {trial.median('p99_ms'):.3g}"
        times = f"{ran.seconds:.0f} s | {ran.measured_s:.0f} s"
        print(f"| {ran.kind} | {times} | {trial.setting.name} | {numbers} |")
    in_grid = next(trial for trial in grid.trials if trial.setting == found.setting)
    quality = in_grid.median("throughput") / best.median("throughput")
    is_kept = excess(in_grid, limits) <= 1
    share = halving.seconds / grid.seconds
    print(f"\nTime: {share:.3f} of the grid's; measuring: ", end="")
    print(f"{halving.measured_s / grid.measured_s:.3f}. The setting that was found has ", end="")
    print(
        f"{quality:.3f} of the grid's best throughput, and {'keeps' if is_kept else 'breaks'} ",
        end="",
    )
    print(f"the limits there (load {os.getloadavg()[0]:.1f}).")
    # Of a setting that the grid could not try the quality is NaN, which is no success.
    return int(not (share <= 0.2 and quality >= 0.95))


def _search(options: argparse.Namespace, kind: str) -> Ran:
    folder = options.output / kind
    began = time.monotonic()
    code = run_bench(argparse.Namespace(**{**vars(options), "search": kind, "output": folder}))
    if code == INTERRUPTED:
        sys.exit(INTERRUPTED)
    return Ran(kind, time.monotonic() - began, read_trials(folder))


if __name__ == "__main__":
    sys.exit(main())
