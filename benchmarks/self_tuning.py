"""Does a server that tunes itself keep its SLO, and what does that cost against the best settings?

    python -m benchmarks.self_tuning                 # simulated, exact; writes docs/pictures
    python -m benchmarks.self_tuning --apart         # what each of its parts is worth
    python -m benchmarks.self_tuning --real          # a real server on this machine

Simulated: the real batcher on a clock that leaps, models of which the cost is known. For each
traffic every fixed setting of a grid is tried, on one seed; the best of them, with hindsight, and
the worst are then compared on five seeds with plain AIMD (Clipper, NSDI 2017) and with the server
that only knows its SLO.
"""

import argparse
import statistics
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from unittest import mock

from benchmarks.self_tuning_plot import Row, plot_burst, plot_rows
from benchmarks.self_tuning_real import run_real
from benchmarks.self_tuning_scenarios import (
    SCENARIOS,
    Scenario,
    aimd_policy,
    fixed_policies,
    tuned_policy,
)
from benchmarks.self_tuning_simulation import Policy
from serving.batching import adaptive, cost, tuner

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"

SEEDS = (1, 2, 3, 4, 5)
_GRID_SEEDS = SEEDS[:1]
_FINALISTS = 3
_APART = ("network, bursts", "bursts, times +- 35 %", "detector, bursts")


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


def apart() -> str:
    """What the server keeps of its goodput without one of its parts, as Markdown."""
    without: dict[str, AbstractContextManager[object]] = {
        "whole": nullcontext(),
        "without who is expected to come": mock.patch.object(
            adaptive.Governor, "_note_arrival", lambda *_: None
        ),
        "without a look at what batches save": mock.patch.object(
            cost.BatchCost, "worthwhile", lambda _, most: most
        ),
        "without learning from late answers": mock.patch.object(
            tuner.Tuner, "note_answers", lambda *_, **__: None
        ),
    }
    chosen = [each for each in SCENARIOS if each.name in _APART]
    lines = [
        f"| | {' | '.join(each.name for each in chosen)} |",
        "|---|" + "---:|" * len(chosen),
    ]
    for name, change in without.items():
        with change:
            scores = [score(each, tuned_policy(each), SEEDS[:3]) for each in chosen]
        cells = [f"{each.goodput:.1f} /s, {statistics.median(each.p99s):.2f}" for each in scores]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


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
    parser.add_argument("--apart", action="store_true", help="leave out one part at a time")
    parser.add_argument("--only", default="", help="scenarios with this in their name")
    parser.add_argument("--jobs", type=int, default=1, help="processes that simulate")
    options = parser.parse_args()
    if options.real or options.apart:
        run_real() if options.real else print(apart())
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
