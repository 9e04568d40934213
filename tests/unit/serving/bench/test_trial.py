import csv
import dataclasses
import io
from pathlib import Path

import psutil
import pytest

from serving.bench.journal import Journal
from serving.bench.load import Plan
from serving.bench.records import Record, Result
from serving.bench.setting import Setting
from serving.bench.torchserve_report import Case, ab_csv
from serving.bench.trial import Ask, Bench, Timing
from serving.errors import BadInput, InvalidModel

TIMING = Timing(seconds=2.0, repeats=3, warmup_s=1.0)


class Subject:
    """A server that refuses batches of three."""

    def __init__(self) -> None:
        self.prepared: list[Setting] = []
        self.place = ("127.0.0.1", 80)

    def prepare(self, setting: Setting) -> None:
        if setting.batch_size == 3:
            raise InvalidModel("no batches of three")
        self.prepared.append(setting)

    def processes(self) -> list[psutil.Process]:
        return []

    def metrics(self) -> str:
        return ""

    def close(self) -> None:
        pass


class Load:
    """A load that takes no time: ten answers after 10 ms each."""

    def __init__(self, status: int = 200) -> None:
        self.plans: list[Plan] = []
        self._status = status

    def __call__(self, plan: Plan) -> Result:
        self.plans.append(plan)
        result = Result(seconds=plan.seconds, completed=10 if self._status == 200 else 0)
        result.records = [Record(0.1 * n, 10.0, self._status) for n in range(10)]
        result.statuses[self._status] = 10
        result.sample = b"why"
        return result


def bench(path: Path, load: Load, subject: Subject, *, is_resumed: bool = False) -> Bench:
    journal = Journal(path, "cat", is_resumed=is_resumed)
    ask = Ask("/predictions/cat", (b"one", b"two"), {})
    return Bench(subject, ask, TIMING, journal, model="cat", load=load)


def test_trial_repeats_with_other_arrivals_and_warms_up_once(tmp_path: Path) -> None:
    load, subject = Load(), Subject()
    setting = Setting(batch_size=4, concurrency=8, rate=50.0)
    trial = bench(tmp_path / "trials", load, subject).attempt(setting, TIMING.whole_s)
    assert [plan.seed for plan in load.plans] == [1, 2, 3]
    assert [plan.warmup_s for plan in load.plans] == [1.0, 0.2, 0.2]
    assert {(plan.seconds, plan.clients, plan.rate) for plan in load.plans} == {(2.0, 8, 50.0)}
    assert load.plans[0].requests[1].endswith(b"\r\n\r\ntwo")
    assert (trial.requests, trial.median("throughput")) == (30, 5.0)


@pytest.mark.parametrize(
    ("seconds", "each", "repeats"), [(6.0, 2.0, 3), (4.0, 2.0, 2), (1.2, 1.2, 1), (0.24, 0.5, 1)]
)
def test_shorter_trials_have_fewer_repeats(seconds: float, each: float, repeats: int) -> None:
    split = TIMING.split(seconds)
    assert (split.seconds, split.repeats) == (each, repeats)


def test_resumed_trials_are_not_tried_again(tmp_path: Path) -> None:
    path, settings = tmp_path / "trials", [Setting(batch_size=size) for size in (1, 2, 3)]
    first = bench(path, Load(), Subject())
    before = [first.attempt(setting, 6.0) for setting in settings]
    with path.open("ab") as file:
        file.write(b'{"setting": {"batch')  # it was interrupted here
    load, subject = Load(), Subject()
    again = bench(path, load, subject, is_resumed=True)
    assert [again.attempt(setting, 6.0) for setting in settings] == before
    assert (load.plans, subject.prepared) == ([], [])
    again.attempt(settings[0], 1.2)  # a shorter trial of the same is another one
    assert len(load.plans) == 1
    kept = Journal(path, "cat", is_resumed=True).trials
    # Batches of three, which could not be tried, would be tried once more.
    assert [trial.setting.batch_size for trial in kept] == [1, 2, 1]


def test_trials_of_something_else_are_not_resumed(tmp_path: Path) -> None:
    bench(tmp_path / "trials", Load(), Subject()).attempt(Setting(), 6.0)
    with pytest.raises(BadInput, match="something else"):
        Journal(tmp_path / "trials", "dog", is_resumed=True)
    assert Journal(tmp_path / "trials", "dog", is_resumed=False).trials == []
    (tmp_path / "trials").write_bytes(b'"dog"\n{"setting": 3}\n')
    with pytest.raises(BadInput, match="cannot be read"):
        Journal(tmp_path / "trials", "dog", is_resumed=True)


def test_setting_that_cannot_be_served_is_a_trial_with_its_reason(tmp_path: Path) -> None:
    trial = bench(tmp_path / "trials", Load(), Subject()).attempt(Setting(batch_size=3), 6.0)
    assert (trial.problem, trial.repeats) == ("no batches of three", ())


def test_setting_that_answers_nothing_well_is_told_with_what_it_said(tmp_path: Path) -> None:
    trial = bench(tmp_path / "trials", Load(status=503), Subject()).attempt(Setting(), 6.0)
    assert trial.problem == "no good answer came, only 503: why"


def test_setting_that_answered_only_what_was_asked_before_has_no_time_to_tell(
    tmp_path: Path,
) -> None:
    def slow(plan: Plan) -> Result:
        return Result(seconds=plan.seconds, completed=0.5)

    made = Bench(
        Subject(),
        Ask("/predictions/cat", (b"one",), {}),
        TIMING,
        Journal(tmp_path / "trials", "cat", is_resumed=False),
        model="cat",
        load=slow,
    )
    trial = made.attempt(Setting(), 6.0)
    assert trial.problem.endswith("measure longer, by --seconds")
    assert not trial.is_measured
    (row,) = csv.DictReader(io.StringIO(ab_csv([Case(trial, "group", "cat.mar", "body")])))
    assert row["TS latency P99"] == row["TS latency mean"] == ""


def test_timing_is_whole() -> None:
    assert dataclasses.replace(TIMING, repeats=5).whole_s == 10.0
