"""Does a server that tunes itself keep its SLO, and what does that cost against the best settings?

    python -m benchmarks.self_tuning                 # simulated, exact; writes docs/pictures
    python -m benchmarks.self_tuning --real          # a real server on this machine

Simulated: the real batcher on a clock that leaps, models of which the cost is known. For each
traffic every fixed setting of a grid is tried, on two seeds; the best of them, with hindsight, and
the worst are then compared on all seeds with plain AIMD (Clipper, NSDI 2017) and with the server
that only knows its SLO.
"""

import argparse
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from pathlib import Path

from benchmarks.self_tuning_plot import Row, plot_burst, plot_rows
from benchmarks.self_tuning_real import run_real
from benchmarks.self_tuning_simulation import Model, Outcome, Policy, simulate
from benchmarks.self_tuning_traffic import bursty, daily, steady
from serving.batching.pending import BatchLimits

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"

# A network whose time is mostly fixed, as on a GPU: 64 MB of weights, 6.6 ms for one row and
# 12.8 ms for eight, measured; benchmarks/serving_peers has it.
NETWORK = Model(fixed_s=0.0057, each_s=0.000886, most=64)
# The detector of this repository on a core, one picture at a time: 36.4 ms of processor time with
# bodies decoded, +- 9 %, measured over 60 drawings.
DETECTOR = Model(fixed_s=0.0, each_s=0.0364, spread=0.09, workers=2, most=16)

SEEDS = (1, 2, 3, 4, 5)
_GRID_SEEDS = SEEDS[:2]
_SIZES = (1, 4, 8, 16, 32, 64)
_DELAYS_S = (0.0, 0.005)
_QUEUES = (4, 8, 12, 16, 20, 24, 32, 48, 128, 1000)
_FINALISTS = 3


@dataclass(frozen=True)
class Scenario:
    """A model, its SLO and its traffic."""

    name: str
    model: Model
    slo_s: float
    traffic: Callable[[float, float, int], list[float]]
    seconds: float = 30.0
    moments: dict[int, list[float]] = field(default_factory=dict, compare=False)

    def run(self, policy: Policy, seed: int) -> Outcome:
        """Simulate it."""
        if seed not in self.moments:
            capacity = self.model.capacity(self.slo_s)
            self.moments[seed] = self.traffic(capacity, self.seconds, seed)
        return simulate(self.model, self.moments[seed], policy, seed)


SCENARIOS = (
    Scenario("network, steady", NETWORK, 0.05, steady),
    Scenario("network, bursts", NETWORK, 0.05, bursty),
    Scenario("network, by the hour", NETWORK, 0.05, daily),
    Scenario("bursts, four workers", replace(NETWORK, workers=4), 0.05, bursty, 10.0),
    Scenario("bursts, SLO of 1 s", NETWORK, 1.0, bursty),
    Scenario("bursts, times +- 35 %", replace(NETWORK, spread=0.35), 0.05, bursty),
    Scenario("bursts, 1 % take 5 times", replace(NETWORK, stalls=0.01), 0.05, bursty),
    Scenario("bursts, slower by half", replace(NETWORK, drift=2.0), 0.05, bursty),
    Scenario("detector, steady", DETECTOR, 0.2, steady, 60.0),
    Scenario("detector, bursts", DETECTOR, 0.2, bursty, 60.0),
)


@dataclass(frozen=True)
class Score:
    """A policy over several seeds.

    Attributes:
        policy: which.
        goodputs: of each seed, answers inside the SLO a second.
        p99s: of each, of what was answered, in units of the SLO.
        refused: mean share of the requests.
    """

    policy: Policy
    goodputs: tuple[float, ...]
    p99s: tuple[float, ...]
    refused: float

    @property
    def goodput(self) -> float:
        """Mean of the seeds."""
        return statistics.fmean(self.goodputs)

    @property
    def keeps(self) -> bool:
        """Whether the p99 over the seeds, in the middle, is inside the SLO."""
        return statistics.median(self.p99s) <= 1


def score(scenario: Scenario, policy: Policy, seeds: Sequence[int]) -> Score:
    """Simulate a policy with several seeds."""
    outcomes = [scenario.run(policy, seed) for seed in seeds]
    return Score(
        policy,
        tuple(outcome.goodput(scenario.slo_s) for outcome in outcomes),
        tuple(outcome.percentile(99) / scenario.slo_s for outcome in outcomes),
        statistics.fmean(outcome.refused for outcome in outcomes),
    )


def fixed_policies(model: Model) -> Iterator[Policy]:
    """The grid: batch size, delay, length of the queue."""
    for size, delay_s, queue in product(_SIZES, _DELAYS_S, _QUEUES):
        if size > model.most or (size == 1 and delay_s):
            continue
        limits = BatchLimits(
            size=size,
            delay_s=delay_s,
            queue_size=queue,
            wait="always" if delay_s else "never",
        )
        yield Policy(f"batch {size}, {delay_s * 1000:g} ms, queue {queue}", limits)


def tuned_policy(scenario: Scenario) -> Policy:
    """What knows its SLO, and else only what it must not pass."""
    limits = BatchLimits(
        size=scenario.model.most, delay_s=0.005, queue_size=1000, slo_s=scenario.slo_s
    )
    return Policy("self-tuned", limits)


class Aimd:
    """Learns a size from what batches took.

    Args:
        slo_s: that each is held against, seconds.
        most: items of a batch.
    """

    def __init__(self, slo_s: float, most: int) -> None:
        self._slo_s, self._most = slo_s, most
        self._size = 1.0

    def __call__(self, count: int, seconds: float) -> BatchLimits:
        """Learn what a batch took; how batches are made from now on."""
        if seconds > self._slo_s:
            self._size = max(self._size * 0.9, 1.0)
        elif count >= int(self._size):
            self._size = min(self._size + 1, float(self._most))
        return BatchLimits(size=int(self._size), delay_s=0.0, queue_size=100, wait="never")


def aimd_policy(scenario: Scenario) -> Policy:
    """Clipper's: one item more after a batch in time, a tenth fewer after one that was not."""
    first = BatchLimits(size=1, delay_s=0.0, queue_size=100, wait="never")
    return Policy("AIMD", first, on_batch=partial(Aimd, scenario.slo_s, scenario.model.most))


@dataclass(frozen=True)
class Compared:
    """What came of one scenario; `keeping` is the best fixed setting whose p99 is in the SLO."""

    scenario: Scenario
    ours: Score
    aimd: Score
    best: Score
    keeping: Score | None
    worst: Score

    def shares(self, score_: Score) -> list[float]:
        """Goodput by that of the best fixed setting, of each seed."""
        return [a / b for a, b in zip(score_.goodputs, self.best.goodputs, strict=True)]


def compare(scenario: Scenario) -> Compared:
    """Try the grid, and the finalists on all seeds."""
    grid = [score(scenario, policy, _GRID_SEEDS) for policy in fixed_policies(scenario.model)]
    grid.sort(key=lambda each: -each.goodput)
    keeping = [each for each in grid if each.keeps][:_FINALISTS]

    def again(scores: Sequence[Score]) -> list[Score]:
        return [score(scenario, each.policy, SEEDS) for each in scores]

    return Compared(
        scenario,
        score(scenario, tuned_policy(scenario), SEEDS),
        score(scenario, aimd_policy(scenario), SEEDS),
        max(again(grid[:_FINALISTS]), key=lambda each: each.goodput),
        max(
            (each for each in again(keeping) if each.keeps),
            key=lambda each: each.goodput,
            default=None,
        ),
        again(grid[-1:])[0],
    )


def table(compared: Sequence[Compared]) -> str:
    """As Markdown: goodput a second, and p99 in units of the SLO."""
    lines = [
        "| traffic | self-tuned /s | p99/SLO | of best fixed | of best fixed that keeps it "
        "| best fixed /s | p99/SLO | AIMD /s | p99/SLO | worst /s |",
        "|---|---:|---:|---:|---:|---|---:|---:|---:|---:|",
    ]
    for each in compared:
        shares = each.shares(each.ours)
        kept = "none does"
        if each.keeping is not None:
            kept = f"{each.ours.goodput / each.keeping.goodput:.1%}"
        lines.append(
            f"| {each.scenario.name} | {each.ours.goodput:.1f} | {_span(each.ours.p99s)} "
            f"| {statistics.fmean(shares):.1%} ({min(shares):.1%} to {max(shares):.1%}) | {kept} "
            f"| {each.best.goodput:.1f} ({each.best.policy.name}) | {_span(each.best.p99s)} "
            f"| {each.aimd.goodput:.1f} | {_span(each.aimd.p99s)} | {each.worst.goodput:.1f} |"
        )
    return "\n".join(lines)


def _span(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.2f} (to {max(values):.2f})"


def rows(compared: Sequence[Compared]) -> list[Row]:
    """For the plot."""
    return [
        Row(
            each.scenario.name,
            {
                "self-tuned": each.shares(each.ours),
                "AIMD": each.shares(each.aimd),
                "worst fixed": each.shares(each.worst),
                "best fixed": each.shares(each.best),
            },
            {
                "self-tuned": each.ours.p99s,
                "AIMD": each.aimd.p99s,
                "worst fixed": each.worst.p99s,
                "best fixed": each.best.p99s,
            },
        )
        for each in compared
    ]


def main() -> None:
    """Compare, print the table, draw the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--real", action="store_true", help="a real server, about three minutes")
    parser.add_argument("--only", default="", help="scenarios with this in their name")
    parser.add_argument("--jobs", type=int, default=1, help="processes that simulate")
    options = parser.parse_args()
    if options.real:
        run_real()
        return
    chosen = [scenario for scenario in SCENARIOS if options.only in scenario.name]
    compared = []
    with ProcessPoolExecutor(options.jobs) as processes:
        for scenario, job in [(s, processes.submit(compare_by_name, s.name)) for s in chosen]:
            print(scenario.name, file=sys.stderr)
            compared.append(job.result())
    print(table(compared))
    if not options.only:
        (PICTURES / "self-tuning.svg").write_text(plot_rows(rows(compared)), "utf-8")
    scenario = replace(SCENARIOS[1], seconds=16.0, moments={})
    best = next((each.best for each in compared if each.scenario.name == scenario.name), None)
    if best is None:
        return
    runs = {
        "self-tuned": scenario.run(tuned_policy(scenario), 3),
        "AIMD": scenario.run(aimd_policy(scenario), 3),
        "best fixed": scenario.run(best.policy, 3),
    }
    picture = plot_burst(scenario.moments[3], runs, scenario.slo_s)
    (PICTURES / "self-tuning-burst.svg").write_text(picture, "utf-8")


def compare_by_name(name: str) -> "Compared":
    """As `compare`, in a process of its own, which finds the scenario itself."""
    scenario = next(scenario for scenario in SCENARIOS if scenario.name == name)
    return replace(compare(scenario), scenario=replace(scenario, moments={}))


if __name__ == "__main__":
    main()
