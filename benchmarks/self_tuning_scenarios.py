"""What is compared: models and their traffic, and the ways in which a server is set."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product

from benchmarks.self_tuning_simulation import Model, Outcome, Policy, simulate
from benchmarks.self_tuning_traffic import bursty, daily, steady
from serving.batching.pending import BatchLimits

__all__ = ("SCENARIOS", "Aimd", "Scenario", "aimd_policy", "fixed_policies", "tuned_policy")

# A network whose time is mostly fixed, as on a GPU: 64 MB of weights, 6.6 ms for one row and
# 12.8 ms for eight, measured; benchmarks/serving_peers has it.
NETWORK = Model(fixed_s=0.0057, each_s=0.000886, most=64)
# The detector of this repository on a core, one picture at a time: 36.4 ms of processor time with
# bodies decoded, +- 9 %, measured over 60 drawings.
DETECTOR = Model(fixed_s=0.0, each_s=0.0364, spread=0.09, workers=2, most=16)

_SIZES = (1, 4, 8, 16, 32, 64)
_DELAYS_S = (0.0, 0.005)
_QUEUES = (4, 8, 12, 16, 20, 24, 32, 48, 128, 1000)


@dataclass(frozen=True)
class Scenario:
    """A model, its SLO and its traffic."""

    name: str
    model: Model
    slo_s: float
    traffic: Callable[[float, float, int], list[float]]
    seconds: float = 20.0
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
    Scenario("detector, steady", DETECTOR, 0.2, steady, 50.0),
    Scenario("detector, bursts", DETECTOR, 0.2, bursty, 50.0),
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
