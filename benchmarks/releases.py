"""Canaries on paper: how often a good version is taken back, and how soon a bad one.

Traffic of two versions is simulated, and looked at every two seconds by the rules that the server
has (`serving/releases/guard.py`). Times are log-normal with a heavy tail, of the client's wait and
of the worker's work; some requests fail; each answer measures five statistics. `--cost` measures
what a release costs each request instead.

    python -m benchmarks.releases --runs 300
    python -m benchmarks.releases --cost
"""

import argparse
import math
import random
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

from serving.handlers.points import MetricPoint
from serving.protocol.asker import NOBODY, Client
from serving.registry.endpoint import Endpoint
from serving.registry.registry import Registry
from serving.releases.arm import Arm
from serving.releases.guard import CanaryGuard
from serving.releases.kept import KeptRelease
from serving.releases.plan import CanaryPlan, Sticky
from serving.releases.release import Release
from serving.releases.result import Result
from serving.releases.trial import Trial

SHARES = (0.01, 0.05, 0.25, 0.5)
STEP_REQUESTS = 100
LOOK_S = 2.0
STATISTICS = tuple(f"statistic{number}" for number in range(5))
MOST_REQUESTS = 60_000


@dataclass(frozen=True)
class Version:
    """How one version fares.

    Attributes:
        failing: share of its requests that fail.
        slower: how many times as long it takes.
        tail: share of its requests that take ten times as long.
        drift: of its first statistic, in standard deviations.
    """

    failing: float = 0.01
    slower: float = 1.0
    tail: float = 0.02
    drift: float = 0.0


@dataclass(frozen=True)
class World:
    """What befalls both versions alike.

    Attributes:
        rate: requests a second.
        swing: by how much times grow and shrink over five minutes, as a factor.
        outage_s: how long everything fails, once in ten minutes, seconds.
        hiccup: chance of a version's worker to pause; the next few of its requests are slow.
    """

    rate: float = 50.0
    swing: float = 1.0
    outage_s: float = 0.0
    hiccup: float = 0.0


@dataclass
class Run:
    """One canary from its begin to its end."""

    candidate: Version
    world: World
    seed: int
    paused: dict[str, int] = field(default_factory=dict)

    def go(self, shares: tuple[float, ...] = SHARES) -> tuple[str, float, int]:
        """How it ended ("" is well), after how many seconds, and how many requests it touched."""
        source, now, plan = random.Random(self.seed), 0.0, CanaryPlan(version="new")
        arms = {"new": Arm("new"), "old": Arm("old")}
        guard = CanaryGuard(plan.guard, arms["new"], arms["old"])
        look_at, step = LOOK_S, 0
        versions = {"new": self.candidate, "old": Version()}
        for _ in range(MOST_REQUESTS):
            now += source.expovariate(self.world.rate)
            if now >= look_at:
                look_at = now + LOOK_S
                verdict = guard.look(now)
                if verdict is not None:
                    return verdict.rule, now, arms["new"].total.requests
                if arms["new"].step.requests >= STEP_REQUESTS and not guard.is_in_doubt:
                    step += 1
                    if step == len(shares):
                        return "", now, arms["new"].total.requests
                    guard.begin_step()
                    for arm in arms.values():
                        arm.begin_step()
            name = "new" if source.random() < shares[step] else "old"
            trial = Trial(arms[name], {"new": shares[step]}, (), cast(Any, None))
            self._answer(guard, trial, versions[name], (source, now))
        return "undecided", now, arms["new"].total.requests

    def _answer(
        self,
        guard: CanaryGuard,
        trial: Trial,
        version: Version,
        moment: tuple[random.Random, float],
    ) -> None:
        source, now = moment
        name, is_new = trial.arm.version, trial.arm.version == "new"
        work = 0.02 * version.slower * math.exp(source.gauss(0, 0.3))
        work *= self.world.swing ** math.sin(now / 48)
        if source.random() < version.tail:
            work *= 10
        if source.random() < self.world.hiccup:
            self.paused[name] = 5
        if self.paused.get(name, 0):
            self.paused[name] -= 1
            work += 0.2
        seconds = work + source.expovariate(100)
        has_failed = source.random() < version.failing
        has_failed |= now % 600 > 600 - self.world.outage_s
        result: Result = "failed" if has_failed else "ok"
        trial.arm.note(seconds, result)
        guard.ended(trial, result)
        guard.took(trial, seconds, is_candidate=is_new)
        guard.worked(work, 1, is_candidate=is_new)
        points = [
            MetricPoint(name=each, value=source.gauss(0, 1), kind="statistic")
            for each in STATISTICS
        ]
        points[0] = MetricPoint(
            name=STATISTICS[0], value=source.gauss(version.drift, 1), kind="statistic"
        )
        guard.measured(points, is_candidate=is_new)


GOOD: Mapping[str, World] = {
    "equal, steady": World(),
    "equal, times swing threefold": World(swing=3.0),
    "equal, an outage of 10 s": World(outage_s=10.0),
    "equal, pauses of one worker (5 requests each)": World(hiccup=0.005),
}
BAD: Mapping[str, Version] = {
    "fails 2 % (not 1 %)": Version(failing=0.02),
    "fails 5 %": Version(failing=0.05),
    "fails 20 %": Version(failing=0.2),
    "takes 1.3 times as long (1.5 is tolerated)": Version(slower=1.3),
    "takes twice as long": Version(slower=2.0),
    "takes three times as long": Version(slower=3.0),
    "one in five takes ten times as long (not one in 50)": Version(tail=0.2),
    "drifts by half a deviation (KS 0.20)": Version(drift=0.5),
    "drifts by one deviation (KS 0.38)": Version(drift=1.0),
    "drifts by two deviations (KS 0.68)": Version(drift=2.0),
}


def simulate(runs: int, word: str) -> None:
    """Print both tables, with the rows that have this word in their name."""
    print("| good version | taken back | of |\n|---|---|---|")
    for name, world in GOOD.items():
        if word not in name:
            continue
        ends = [Run(Version(), world, seed).go() for seed in range(runs)]
        rules = [rule for rule, _, _ in ends if rule]
        print(f"| {name} | {len(rules)} {sorted(set(rules)) or ''} | {runs} |", flush=True)
    print("\n| bad version | found | requests touched, median (90 %) | seconds at 50/s |")
    print("|---|---|---|---|")
    for name, version in BAD.items():
        if word not in name:
            continue
        ends = [Run(version, World(), seed).go() for seed in range(max(runs // 6, 10))]
        found = [end for end in ends if end[0] not in ("", "undecided")]
        touched = sorted(count for _, _, count in found) or [0]
        seconds = sorted(after for _, after, _ in found) or [0.0]
        print(
            f"| {name} | {len(found)} of {len(ends)} | {statistics.median(touched):.0f} "
            f"({touched[len(touched) * 9 // 10]}) | {statistics.median(seconds):.0f} |",
            flush=True,
        )


def measure(what: Callable[[], object], count: int = 200_000) -> float:
    """CPU time of one call, microseconds: the best of five."""
    best = math.inf
    for _ in range(5):
        began = time.process_time()
        for _ in range(count // 5):
            what()
        best = min(best, time.process_time() - began)
    return best / (count // 5) * 1e6


def cost() -> None:
    """Print what a request pays."""
    registry = Registry()
    for version in ("1.0", "1.1"):
        manifest = SimpleNamespace(name="m", version=version)
        registry.add(cast(Endpoint, SimpleNamespace(manifest=manifest, is_ready=True, content="0")))
    client = Client({"x-user": "somebody", "cookie": "a=b; who=somebody"}, "203.0.113.9")
    plain = measure(lambda: registry.find("m", None))
    chosen = measure(lambda: registry.choose("m", None, client))
    print("| a request that names no version | microseconds |\n|---|---|")
    print(f"| `find`, the default version | {plain:.2f} |")
    print(f"| `choose`, no release | {chosen:.2f} |")
    for by, name in (("none", ""), ("header", "x-user"), ("cookie", "who"), ("address", "")):
        sticky = Sticky(by=cast(Any, by), name=name)
        plan = CanaryPlan(model="m", version="1.1", stable="1.0", sticky=sticky)
        kept = KeptRelease(
            id="0", plan=plan, stable="1.0", candidate="1.1",
            weights={"1.1": 0.1, "1.0": 0.9}, begun_at=0, step_at=0,
            contents={"1.1": "0", "1.0": "0"},
        )  # fmt: skip
        release = Release(kept, registry)
        registry.routers["m"] = release
        print(f"| chosen by {by} | {measure(lambda: registry.choose('m', None, client)):.2f} |")
    _, choice = registry.choose("m", None, NOBODY)
    trial = cast(Trial, choice)
    ended = measure(lambda: release.ended(trial, 0.01, {}, cast(Any, None)))
    print(f"| its answer counted | {ended:.2f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=300, help="of each good version (300)")
    parser.add_argument("--only", default="", help="rows with this word in their name")
    parser.add_argument("--cost", action="store_true", help="measure the cost of a choice")
    options = parser.parse_args()
    if options.cost:
        cost()
    else:
        simulate(options.runs, options.only)


if __name__ == "__main__":
    main()
