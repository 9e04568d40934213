"""From what a drawing costs to what so many a minute need, on costs made up by hand."""

from types import SimpleNamespace
from typing import cast

import psutil
import pytest

from benchmarks.capacity import Measured, overhead_of
from benchmarks.planning.farm import Farm, simulate_farm
from benchmarks.planning.machine import Machine, simulate_machine
from benchmarks.planning.needs import MODELS, Assumptions, jobs_of, plan
from benchmarks.planning.stages import STAGES
from benchmarks.planning.whole import ROLES, Costs, cpu_by_role

ROW = dict.fromkeys(STAGES, 0.1)
"""Each stage a tenth of a second: reading takes 0.7 s, live 0.5, previews 0.2, a film 0.7."""

COSTS = Costs(
    drawings=1,
    cpu={"web": 0.06, "worker": 2.3, "model": 0.2, "inference": 0.01, "redis": 0.02},
    idle=dict.fromkeys(ROLES, 0.0),
    memory=dict.fromkeys(ROLES, 102.4),
    processes=dict.fromkeys(ROLES, 1),
    requests=20,
    received=1e6,
    sent=1e5,
    redis_commands=100,
    redis_bytes=1e4,
    redis_news=1000,
    redis_jobs=8000,
    stored=2**20,
    files=10,
    tensors=1e6,
    client=0.1,
    dispatch=0.05,
)


def test_jobs_are_the_sums_of_their_stages_and_of_what_each_job_costs() -> None:
    jobs = {job.name: job for job in jobs_of([ROW], overhead=0.05)}
    assert {name: round(job.seconds[0], 9) for name, job in jobs.items()} == {
        "read": 0.75,
        "live": 0.55,
        "previews": 0.25,
        "film": 0.75,
    }
    assert [name for name, job in jobs.items() if not job.has_priority] == ["previews"]


def test_overhead_is_what_the_workers_used_beyond_the_stages() -> None:
    # The stages of the workers: 5 + 5 + 2 + 7 tenths; 2.3 s less 1.9, over four jobs.
    assert overhead_of(Measured(names=("a",), rows=(ROW,), costs=COSTS)) == pytest.approx(0.1)


def test_needs_of_a_hundred_a_minute_by_hand() -> None:
    # 5 a second at the peak; the jobs of a drawing take 2.5 s: 12.5 cores, 85 % of them: 15.
    found = plan(100, COSTS, [ROW], 0.1, Assumptions())
    needs = {need.role: need for need in found.needs}
    assert needs["worker"].processes == 15
    assert needs["web"].processes == 1
    assert needs["web"].peak == pytest.approx(0.3)
    assert needs["model: detector"].peak == pytest.approx(0.5)
    assert found.redis_commands == pytest.approx(500)
    assert found.redis_busy == pytest.approx(0.1)
    assert found.mbit == pytest.approx(5 * 1.1 * 8)
    assert found.gib_a_day == pytest.approx(100 * 1440 / 1024)
    assert found.gib_kept == pytest.approx(30 * 100 * 1440 / 1024)
    assert found.redis_gib == pytest.approx((30 * 144e6 + 100 * 60 * 8000 + 3 * 2**20) / 2**30)
    # 15 + 1 + 1 + 1 and those of the models: more than the 14 cores of a host.
    assert found.hosts == 3


def test_one_a_minute_needs_one_of_each_and_a_host_to_spare() -> None:
    found = plan(1, COSTS, [ROW], 0.1, Assumptions())
    assert [(need.role, need.processes) for need in found.needs] == [
        ("web", 1),
        ("worker", 1),
        ("model: detector", 1),
        ("model: pose and mask", 1),
        ("inference", 1),
        ("redis", 1),
    ]
    assert found.hosts == 2


def test_one_person_on_an_idle_machine_waits_for_nobody() -> None:
    machine = Machine(cores=2, workers=1, rows=(ROW,), overhead=0.1, request=0.01, queue=0.005)
    felt = simulate_machine(machine, people=1, seconds=500, seed=1)
    # Read 0.7 and film 0.6 s, half of 0.1 s before each, 8 requests, 2 entries; what comes after
    # reading is tidied up meanwhile.
    # The second job waits for 0.05 s of tidying, less the 3 requests and the entry before it.
    wait = 0.05 - 0.03 - 0.005
    assert felt.errands[1] == pytest.approx(0.7 + 0.6 + 0.1 + 0.08 + 0.01 + wait)
    assert max(felt.waits) == pytest.approx(wait)


def test_second_person_waits_for_the_only_worker() -> None:
    machine = Machine(cores=8, workers=1, rows=(ROW,), overhead=0.0, request=0.0, queue=0.0)
    felt = simulate_machine(machine, people=4, seconds=1000, seed=1)
    assert felt.rate == pytest.approx(60 / 1.3, rel=0.01)
    assert felt.busy == pytest.approx(1.0, rel=0.01)


def test_machine_with_as_many_cores_as_workers_cannot_do_more_than_its_cores() -> None:
    machine = Machine(cores=2, workers=4, rows=(ROW,), overhead=0.0, request=0.0, queue=0.0)
    felt = simulate_machine(machine, people=4, seconds=1000, seed=1)
    assert felt.rate == pytest.approx(2 * 60 / 1.3, rel=0.02)


def test_farm_that_is_planned_for_its_peak_keeps_people_waiting_no_longer_than_planned() -> None:
    found = plan(100, COSTS, [ROW], 0.1, Assumptions())
    needs = {need.role: need.processes for need in found.needs}
    farm = Farm(
        rate=300,
        web=needs["web"],
        workers=needs["worker"],
        models={model: needs[model] for model in MODELS},
        rows=(ROW,),
        overhead=0.1,
        page=0.06,
    )
    served = simulate_farm(farm, seconds=600, seed=1)
    waits = sorted(served.waits)
    assert served.begun == pytest.approx(3000, rel=0.06)
    assert waits[int(0.95 * len(waits))] < 2.0


def test_farm_without_enough_workers_falls_behind() -> None:
    farm = Farm(
        rate=60,
        web=1,
        workers=1,
        models=dict.fromkeys(MODELS, 1),
        rows=(ROW,),
        overhead=0.0,
        page=0.0,
    )
    served = simulate_farm(farm, seconds=300, seed=1)
    assert max(served.waits) > 60
    assert len(served.previews) < served.begun / 20


def test_time_of_jobs_under_way_is_added_to_that_of_their_workers() -> None:
    def process(*times: float) -> psutil.Process:
        return cast(psutil.Process, SimpleNamespace(cpu_times=lambda: times))

    # User, system, and the same of children that have ended.
    worker, job = process(1, 2, 4, 8, 0), process(16, 32, 0, 0, 0)
    cpu = cpu_by_role([("worker", worker), ("job", job), ("web", job), ("worker", worker)])
    assert cpu == {**dict.fromkeys(ROLES, 0.0), "worker": 15 + 48 + 15, "web": 48}
