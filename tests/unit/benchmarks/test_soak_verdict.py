"""The ledger and the verdict of a soak, on samples made by hand."""

import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import cast

import pytest

from benchmarks.soak import drain
from benchmarks.soaking.faults import FAULTS, Injected, order
from benchmarks.soaking.ledger import Entry, Fate, Ledger, count
from benchmarks.soaking.report import summary
from benchmarks.soaking.sampling import ProcessSample, Sample
from benchmarks.soaking.verdict import Finding, Soaked, judge
from benchmarks.soaking.visit import Waiting
from benchmarks.soaking.world import Answer, World


def ticking() -> Iterator[float]:
    now = 0.0
    while True:
        yield now
        now += 1.0


def make_ledger() -> Ledger:
    ticks = ticking()
    return Ledger(lambda: next(ticks))


def entry(fate: Fate, code: str = "", at: float = 100.0, job: str = "j") -> Entry:
    return Entry(job=job, kind="drawing", accepted=at, ended=at + 1, fate=fate, code=code)


def fault(at: float, works: float | None = 2.0) -> Injected:
    return Injected(name="kill web", begun=at, healed=at, about="", well=1.0, works=works)


def sample(
    at: float, handles: float = 20, memory: float = 50.0, life: str = "1", threads: int = 4
) -> Sample:
    web = ProcessSample(
        role="web",
        life=life,
        rss=memory,
        pss=memory,
        handles=int(handles),
        threads=threads,
        cpu=at / 10,
    )
    return Sample(at=at, processes=(web,), temp_files=0, scratch_files=0, data=1.0, redis=2.0)


def found(name: str, soaked: Soaked) -> Finding:
    (finding,) = (f for f in judge(soaked) if f.name.startswith(name))
    return finding


def soaked(
    entries: tuple[Entry, ...] = (),
    answers: tuple[Answer, ...] = (),
    faults: tuple[Injected, ...] = (),
    samples: tuple[Sample, ...] = (),
    left: tuple[str, ...] = (),
) -> Soaked:
    return Soaked(entries=entries, answers=answers, faults=faults, samples=samples, left=left)


def test_first_word_on_a_job_counts_and_a_loss_outweighs_it() -> None:
    ledger = make_ledger()
    ledger.accept("a", "drawing")
    ledger.accept("a", "drawing")
    ledger.close("a", "done")
    ledger.close("a", "failed", "job_failed")
    assert [(e.fate, e.accepted, e.ended) for e in ledger.entries()] == [("done", 0.0, 2.0)]
    ledger.close("a", "lost", "not_found", "Done, but gone.")
    assert ledger.fate("a") == "lost"


def test_job_that_was_never_accepted_cannot_be_closed() -> None:
    with pytest.raises(KeyError):
        make_ledger().close("a", "done")


def test_what_is_open_when_nobody_waits_any_longer_is_lost() -> None:
    ledger = make_ledger()
    for job in ("a", "b"):
        ledger.accept(job, "drawing")
    ledger.close("a", "withdrawn")
    ledger.lose_open()
    assert {e.job: (e.fate, e.code) for e in ledger.entries()} == {
        "a": ("withdrawn", ""),
        "b": ("lost", "no_end"),
    }
    assert count(ledger.entries()) == {"drawing": {"withdrawn": 1, "lost": 1}}


@pytest.mark.parametrize("fate", ["lost", "open"])
def test_one_job_without_an_end_fails_the_soak(fate: Fate) -> None:
    run = soaked((entry("done"), entry(fate, "no_end", job="k")))
    finding = found("every accepted job", run)
    assert finding.holds == "no"
    assert finding.text == f"2 accepted: 1 done, 1 {fate}; drawing k: no_end"


def test_jobs_that_ended_in_any_way_are_accounted_for() -> None:
    run = soaked((entry("done"), entry("failed", "no_figure_found"), entry("withdrawn")))
    assert found("every accepted job", run).holds == "yes"


def test_no_jobs_at_all_prove_nothing() -> None:
    assert found("every accepted job", soaked()).holds == "no"


@pytest.mark.parametrize(
    ("code", "holds"),
    [("no_figure_found", "yes"), ("worker_died", "yes"), ("", "no"), ("KeyError", "no")],
)
def test_failure_must_have_a_code_that_is_known(code: str, holds: str) -> None:
    run = soaked((entry("failed", code),))
    assert found("every failure", run).holds == holds
    refused = soaked(answers=(Answer(at=1.0, action="film", code=code),))
    assert found("every failure", refused).holds == holds


@pytest.mark.parametrize(("at", "holds"), [(99.0, "yes"), (50.0, "yes"), (10.0, "no"), (103, "no")])
def test_failure_for_our_reasons_needs_a_fault_near_it(at: float, holds: str) -> None:
    # Accepted at 100 s, ended at 101; a fault explains it until a minute after it was undone.
    run = soaked((entry("failed", "job_failed"),), faults=(fault(at),))
    assert found("nothing fails", run).holds == holds


def test_failure_of_the_drawing_needs_no_fault() -> None:
    assert found("nothing fails", soaked((entry("failed", "invalid_image"),))).holds == "yes"


def test_service_that_does_not_come_back_is_named() -> None:
    finding = found("the service", soaked(faults=(fault(1.0), fault(2.0, works=None))))
    assert (finding.holds, finding.text) == ("no", "not back after: kill web")


def test_handles_that_grow_by_one_a_minute_are_found_and_steady_ones_pass() -> None:
    growing = tuple(sample(at, handles=20 + at / 60) for at in range(0, 3600, 10))
    steady = tuple(sample(at, handles=20 + at % 20 / 10) for at in range(0, 3600, 10))
    assert found("web: handles", soaked(samples=growing)).holds == "no"
    assert found("web: handles", soaked(samples=steady)).holds == "yes"
    assert found("web: memory", soaked(samples=growing)).holds == "yes"


def test_leak_is_found_though_its_process_is_killed_every_ten_minutes() -> None:
    samples = tuple(
        sample(at, memory=50 + at % 600 / 20, life=str(at // 600)) for at in range(0, 3600, 10)
    )
    finding = found("web: memory", soaked(samples=samples))
    assert finding.holds == "no"
    assert "+180.0 an hour" in finding.text


def test_memory_that_comes_with_a_new_thread_is_no_leak() -> None:
    samples = tuple(
        sample(at, memory=50 + 9 * (at // 900), threads=4 + at // 900) for at in range(0, 3600, 10)
    )
    assert found("web: memory", soaked(samples=samples)).holds == "yes"


def test_few_samples_are_too_short_to_tell() -> None:
    assert found("web: memory", soaked(samples=(sample(0), sample(10)))).holds == "unclear"


def test_what_is_left_after_the_stop_fails_the_soak() -> None:
    assert found("nothing is left", soaked(left=("process 7",))).holds == "no"


def test_mistake_of_the_load_fails_the_soak() -> None:
    run = soaked(answers=(Answer(at=1.0, action="film", code="soak_is_wrong", text="Bad\nKey"),))
    assert found("the load itself", run).text == "Key"


def test_faults_come_all_before_one_comes_again_in_an_order_of_the_seed() -> None:
    import random

    names = sorted(FAULTS)
    first, again = (order(names, random.Random(1)) for _ in range(2))
    drawn = [next(first) for _ in range(2 * len(names))]
    assert sorted(drawn[: len(names)]) == sorted(drawn[len(names) :]) == names
    assert drawn == [next(again) for _ in range(2 * len(names))]
    assert drawn[: len(names)] != names


def test_summary_tells_jobs_faults_and_roles() -> None:
    run = soaked(
        (entry("done"), entry("failed", "job_failed")),
        (Answer(at=1.0, action="film", code="ok"),),
        (fault(90.0), fault(95.0, works=None)),
        tuple(sample(at) for at in range(0, 100, 10)),
    )
    lines = summary({"seed": "1"}, run, judge(run)).splitlines()
    assert "| drawing | 2 | 1 done, 1 failed: job_failed |" in lines
    assert "| kill web | 2 | 1.0 | never |" in lines
    assert "| film | 1 | 1 ok |" in lines
    assert "| web | 50, 50, 50 | 20, 20, 20 | 9 |" in lines


def test_job_of_somebody_who_still_waits_at_the_end_is_not_lost() -> None:
    ledger = make_ledger()
    ledger.accept("j", "film")
    world = cast(World, SimpleNamespace(waiting=Waiting(), ledger=ledger))
    errand = threading.Timer(0.1, ledger.close, ("j", "done"))
    errand.start()
    drain(world)
    errand.join()
    assert ledger.fate("j") == "done"
