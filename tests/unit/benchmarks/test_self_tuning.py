"""The simulation of self-tuning: exact, the same each time, and what the page says of it."""

import pytest

from benchmarks.self_tuning_scenarios import SCENARIOS, Scenario, aimd_policy, tuned_policy
from benchmarks.self_tuning_simulation import Model, Policy, simulate
from serving.batching.pending import BatchLimits

BURSTS = next(scenario for scenario in SCENARIOS if scenario.name == "network, bursts")


def fixed(size: int, queue: int) -> Policy:
    limits = BatchLimits(size=size, delay_s=0.0, queue_size=queue, wait="never")
    return Policy("fixed", limits)


def test_what_is_simulated_is_what_can_be_worked_out_by_hand() -> None:
    model = Model(fixed_s=1.0, each_s=0.5, spread=0.0)
    outcome = simulate(model, [0.0, 0.1, 0.2, 10.0], fixed(2, 2), seed=1)
    # One alone until 1.5; the next two until 3.5; the last alone.
    assert [fate.latency_s for fate in outcome.fates] == pytest.approx([1.5, 3.4, 3.3, 1.5])
    assert outcome.sizes == [1, 2, 1]
    assert outcome.goodput(3.35) == pytest.approx(3 / 10)
    assert (outcome.percentile(50), outcome.percentile(99)) == pytest.approx((1.5, 3.4))


def test_who_finds_the_queue_full_is_refused() -> None:
    model = Model(fixed_s=1.0, each_s=0.5, spread=0.0)
    outcome = simulate(model, [0.0, 0.1, 0.2, 0.3, 10.0], fixed(2, 1), seed=1)
    assert outcome.refused == pytest.approx(2 / 5)


def test_same_seed_gives_the_same_and_another_seed_another() -> None:
    scenario = Scenario("short", BURSTS.model, BURSTS.slo_s, BURSTS.traffic, seconds=1.0)
    first, again = (scenario.run(tuned_policy(scenario), 1) for _ in range(2))
    assert first == again
    assert scenario.run(tuned_policy(scenario), 2) != first


def test_in_bursts_the_slo_is_kept_at_the_goodput_of_the_best_fixed_setting() -> None:
    scenario = Scenario("bursts", BURSTS.model, BURSTS.slo_s, BURSTS.traffic, seconds=8.0)
    ours = scenario.run(tuned_policy(scenario), 2)
    best = max(
        scenario.run(fixed(64, queue), 2).goodput(scenario.slo_s) for queue in (12, 16, 20, 24)
    )
    aimd = scenario.run(aimd_policy(scenario), 2)
    assert ours.percentile(99) <= scenario.slo_s
    assert ours.goodput(scenario.slo_s) >= 0.95 * best
    assert ours.goodput(scenario.slo_s) >= 2 * aimd.goodput(scenario.slo_s)
