"""Queueing theory against textbooks' numbers, and the simulation against queueing theory."""

import math
import random
import statistics
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.planning.events import Batches, Cores, Course, Events, Hold, Servers
from benchmarks.planning.pool import simulate_pool
from benchmarks.planning.queueing import (
    fewest_servers,
    mean_wait,
    wait_percentile,
    waits_at_all,
)


def test_erlangs_formula_by_hand() -> None:
    # One server: the load itself. Two at a load of 1: (1/2 * 2) / (1 + 1 + 1/2 * 2) = 1/3.
    assert waits_at_all(0.7, 1) == pytest.approx(0.7)
    assert waits_at_all(1.0, 2) == pytest.approx(1 / 3)
    assert waits_at_all(2.0, 2) == 1.0


def test_mean_wait_of_one_server_is_pollaczek_and_khinchines() -> None:
    # Load 0.8, service 1 s: 0.8 / 0.2 = 4 s where it is exponential, half where it is constant.
    assert mean_wait(0.8, 1.0, 1) == pytest.approx(4.0)
    assert mean_wait(0.8, 1.0, 1, variation=0.0) == pytest.approx(2.0)
    assert math.isinf(mean_wait(1.0, 1.0, 1))


def test_percentile_of_the_wait_of_one_server() -> None:
    # P(W > t) = 0.8 e^(-0.2 t), which is 0.05 at t = 5 ln 16; six in ten do not wait at 0.4.
    assert wait_percentile(0.95, 0.8, 1.0, 1) == pytest.approx(5 * math.log(16))
    assert wait_percentile(0.6, 0.4, 1.0, 1) == 0.0


@given(st.floats(0.1, 200.0), st.floats(0.01, 2.0), st.floats(0.05, 5.0))
def test_fewest_servers_are_enough_and_one_less_is_not(
    rate: float, service: float, within: float
) -> None:
    servers = fewest_servers(rate, service, within)
    assert wait_percentile(0.95, rate, service, servers) <= within
    assert servers == 1 or wait_percentile(0.95, rate, service, servers - 1) > within


CASES: dict[str, tuple[int, float, Callable[[random.Random], float], float]] = {
    "M/M/1": (1, 0.7, lambda rng: rng.expovariate(1.0), 1.0),
    "M/D/1": (1, 0.7, lambda _: 1.0, 0.0),
    "M/G/1, uniform": (1, 0.7, lambda rng: rng.uniform(0.0, 2.0), 1 / 3),
    "M/M/4": (4, 3.0, lambda rng: rng.expovariate(1.0), 1.0),
}


@pytest.mark.parametrize("case", CASES)
def test_simulated_queue_waits_as_long_as_theory_says(case: str) -> None:
    servers, rate, service, variation = CASES[case]
    waits = simulate_pool(servers, rate, service, seconds=25_000)
    theory = mean_wait(rate, 1.0, servers, variation)
    assert statistics.fmean(waits) == pytest.approx(theory, rel=0.1)
    waited = sum(wait > 1e-9 for wait in waits) / len(waits)
    assert waited == pytest.approx(waits_at_all(rate, servers), rel=0.05)


def test_simulated_waits_have_theorys_percentile() -> None:
    waits = sorted(simulate_pool(4, 3.4, lambda rng: rng.expovariate(1.0), seconds=30_000))
    p95 = waits[int(0.95 * len(waits))]
    assert p95 == pytest.approx(wait_percentile(0.95, 3.4, 1.0, 4), rel=0.1)


def share(draw: Callable[[random.Random], float], seconds: float) -> tuple[list[float], float]:
    """How long tasks stay on a core that all share, 0.6 of which come a second; its use."""
    events, rng, stays = Events(), random.Random(3), list[float]()
    cores = Cores(events, 1)

    def stay() -> Course:
        begun = events.now
        yield cores.work(draw(rng))
        stays.append(events.now - begun)

    def arrive() -> Course:
        while True:
            yield Hold(events, rng.expovariate(0.6))
            events.follow(stay())

    events.follow(arrive())
    events.run(seconds)
    return stays, cores.busy / seconds


@pytest.mark.parametrize(
    "draw", [lambda _: 1.0, lambda rng: rng.expovariate(1.0)], ids=["constant", "exponential"]
)
def test_shared_core_takes_as_long_as_theory_says_whatever_the_work_is_like(
    draw: Callable[[random.Random], float],
) -> None:
    # M/G/1 processor sharing: the mean stay is E[S] / (1 - load), 2.5 s at a load of 0.6.
    stays, used = share(draw, seconds=30_000)
    assert statistics.fmean(stays) == pytest.approx(2.5, rel=0.08)
    assert used == pytest.approx(0.6, rel=0.03)


def ends(course: Iterator[tuple[float, float]], cores: int) -> list[float]:
    """When tasks end that begin at an instant and take some work."""
    events, found = Events(), list[float]()
    shared = Cores(events, cores)

    def work(begin: float, seconds: float) -> Course:
        yield Hold(events, begin)
        yield shared.work(seconds)
        found.append(round(events.now, 9))

    for begin, seconds in course:
        events.follow(work(begin, seconds))
    events.run(1000)
    return found


def test_cores_are_shared_fairly_by_hand() -> None:
    # One core: alone for 1 s, then halved; the short one ends at 2, the long one at 4.
    assert ends(iter([(0.0, 3.0), (1.0, 0.5)]), cores=1) == [2.0, 3.5]
    # Two cores: three tasks of 2 s each run at two thirds, and all end at 3.
    assert ends(iter([(0.0, 2.0)] * 3), cores=2) == [3.0] * 3
    # A task uses no more than one core.
    assert ends(iter([(0.0, 2.0)]), cores=8) == [2.0]


def test_closed_loop_of_one_server_is_the_machine_repair_problem() -> None:
    # Two who think 1 s and need 1 s of one server: P(nobody there) = 1 / (1 + 2 + 2) = 0.2.
    events, rng, done = Events(), random.Random(1), list[float]()
    pool = Servers(events, 1)

    def live() -> Course:
        while True:
            yield Hold(events, rng.expovariate(1.0))
            yield pool.turn()
            yield Hold(events, rng.expovariate(1.0))
            pool.leave()
            done.append(events.now)

    for _ in range(2):
        events.follow(live())
    events.run(20_000)
    assert len(done) / 20_000 == pytest.approx(0.8, rel=0.03)


def test_who_has_time_is_served_when_nobody_else_waits() -> None:
    events, order = Events(), list[str]()
    pool = Servers(events, 1)

    def come(name: str, has_time: bool) -> Course:
        yield pool.turn(has_time)
        order.append(name)
        yield Hold(events, 1.0)
        pool.leave()

    for name, has_time in (("a", False), ("b", True), ("c", False)):
        events.follow(come(name, has_time))
    events.run(10)
    assert order == ["a", "c", "b"]


def test_batch_takes_what_waits_up_to_its_size() -> None:
    events, answered = Events(), list[tuple[str, float]]()
    model = Batches(events, 1, 2, lambda each: Hold(events, 1.0 + sum(each)))

    def ask(name: str, at: float) -> Course:
        yield Hold(events, at)
        yield model.answer(0.5)
        answered.append((name, events.now))

    for name, at in (("a", 0.0), ("b", 0.1), ("c", 0.2), ("d", 0.3)):
        events.follow(ask(name, at))
    events.run(10)
    # Alone 1.5 s; two of the three that wait then take 2 s; the last 1.5 s.
    assert answered == [("a", 1.5), ("b", 3.5), ("c", 3.5), ("d", 5.0)]
    assert model.sizes == [1, 2, 1]


def test_servers_that_are_taken_away_finish_what_they_do() -> None:
    events, done = Events(), list[float]()
    pool = Servers(events, 2)

    def come() -> Course:
        yield pool.turn()
        yield Hold(events, 2.0)
        done.append(events.now)
        pool.leave()

    for _ in range(4):
        events.follow(come())
    events.run(1.0)
    pool.change(-1)
    events.run(100)
    assert done == [2.0, 2.0, 4.0, 6.0]
