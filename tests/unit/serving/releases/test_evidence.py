import math
import random

import pytest

from serving.releases.alarm import Alarm
from serving.releases.evidence import EITHER_WAY, Evidence


def test_evidence_is_the_product_of_likelihood_ratios() -> None:
    evidence = Evidence((2.0,))
    assert evidence.logarithm == 0
    # With twice the risk an event is the candidate's with 2/3, without with 1/2.
    for is_candidate in (True, True, False):
        evidence.add(0.5, is_candidate=is_candidate)
    assert math.exp(evidence.logarithm) == pytest.approx(4 / 3 * 4 / 3 * 2 / 3)
    assert evidence.p_value == pytest.approx(27 / 32)


def test_evidence_of_several_ratios_is_their_mean() -> None:
    evidence = Evidence((2.0, 3.0))
    evidence.add(0.5, is_candidate=True)
    # 2/3 and 3/4, where 1/2 was to be expected.
    assert math.exp(evidence.logarithm) == pytest.approx((4 / 3 + 3 / 2) / 2)


def test_two_failures_of_a_canary_of_one_percent_are_enough_where_the_stable_version_has_none() -> (
    None
):
    alarm = Alarm(0.01)
    alarm.add(0.01, is_candidate=True)
    assert not alarm.rings()
    alarm.add(0.01, is_candidate=True)
    assert alarm.rings()


def test_stall_that_befalls_many_requests_between_two_looks_is_three_events() -> None:
    stalled, single = Alarm(0.01), Alarm(0.01)
    for _ in range(50):
        stalled.add(0.5, is_candidate=True)
    for _ in range(3):
        single.add(0.5, is_candidate=True)
    assert not stalled.rings()
    single.rings()
    assert stalled.logarithm == single.logarithm
    looks = 1
    while not stalled.rings():
        for _ in range(10):
            stalled.add(0.5, is_candidate=True)
        looks += 1
    assert 3 <= looks <= 6


def test_events_say_nothing_where_nothing_was_drawn() -> None:
    evidence = Evidence()
    for share in (0.0, 1.0):
        evidence.add(share, is_candidate=share == 1)
    assert evidence.logarithm == 0
    assert evidence.p_value == 1


def test_evidence_is_as_likely_to_shrink_as_to_grow() -> None:
    """Its expectation is 1 after each event, whatever the share: it is a martingale."""
    for share in (0.01, 0.3, 0.9):
        means = []
        for is_candidate, chance in ((True, share), (False, 1 - share)):
            evidence = Evidence(EITHER_WAY)
            evidence.add(share, is_candidate=is_candidate)
            means.append(chance * math.exp(evidence.logarithm))
        assert sum(means) == pytest.approx(1)


def peeked(false_alarms: float, risks: tuple[float, float], count: int, seed: int) -> int | None:
    """After how many of so many requests, looked at every tenth, an alarm rings; None: never."""
    source, alarm = random.Random(seed), Alarm(false_alarms)
    shares = (0.01, 0.05, 0.25, 0.5)
    for number in range(count):
        share = shares[number * len(shares) // count]
        is_candidate = source.random() < share
        if source.random() < risks[is_candidate]:
            alarm.add(share, is_candidate=is_candidate)
        if number % 10 == 0 and alarm.rings():
            return number
    return None


@pytest.mark.parametrize("risk", [0.01, 0.2])
def test_alarm_is_seldom_false_however_often_it_is_looked_at(risk: float) -> None:
    alarms = sum(peeked(0.05, (risk, risk), 2000, seed) is not None for seed in range(300))
    # 5 % of 300, and three standard deviations of a binomial count.
    assert alarms <= 15 + 3 * math.sqrt(300 * 0.05 * 0.95)


def test_alarm_rings_when_the_candidate_fails_more_often() -> None:
    found = [peeked(0.0033, (0.01, 0.1), 20_000, seed) for seed in range(20)]
    assert None not in found


def test_evidence_for_a_version_is_forgotten_so_that_a_later_change_is_seen() -> None:
    alarm = Alarm(0.01)
    for _ in range(2000):
        alarm.add(0.5, is_candidate=False)
    assert not alarm.rings()
    assert alarm.round_number == 2
    assert alarm.bound == pytest.approx(math.log(2 * 3 / 0.01))
    found = []
    for _ in range(40):
        alarm.add(0.5, is_candidate=True)
        found.append(alarm.rings())
    assert any(found)
