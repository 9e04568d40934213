from itertools import takewhile
from pathlib import Path

import pytest

from animator.__main__ import main
from animator.cli import bench_jobs
from animator.cli.bench_jobs import jobs_table
from animator.cli.job_load import Errand, JobLoad, Stopwatch
from animator.cli.job_rates import find_greatest
from animator.core.errors import NoFigureFound
from animator.core.job import JobEvent
from serving.bench.limits import parse_limit
from serving.bench.load import arrivals
from serving.bench.measured import Trial, measure
from serving.bench.records import UNANSWERED, Record, Result
from serving.bench.setting import Setting


class Clock:
    """Time passes only in errands."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_one_person_goes_on_until_the_time_is_over() -> None:
    clock, seen = Clock(), []

    def errand(number: int) -> None:
        seen.append(number)
        clock.now += 4.0
        if number == 1:
            raise NoFigureFound("There is nobody in this drawing.")

    load = JobLoad(errand, clock)
    result = load.run(people=1, seconds=10.0)
    # Begun at 0, 4 and 8 s; the last one ends at 12 s, with its whole time, and counts for a half.
    assert seen == [0, 1, 2]
    assert result.records == [
        Record(0.0, 4000.0, 200), Record(4.0, 4000.0, UNANSWERED), Record(8.0, 4000.0, 200),
    ]  # fmt: skip
    assert (result.seconds, result.completed) == (10.0, 1.5)
    assert load.problems == {"no_figure_found": 1}


def test_people_share_the_drawings_out() -> None:
    numbers: list[int] = []
    clock = Clock()

    def errand(number: int) -> None:
        numbers.append(number)
        clock.now += 1.0

    JobLoad(errand, clock).run(people=3, seconds=5.0)
    assert sorted(numbers) == list(range(len(numbers)))


def test_people_come_when_they_are_due_and_wait_from_then() -> None:
    clock = Clock()

    def sleep_too_long(seconds: float) -> None:
        clock.now += seconds + 0.25

    load = JobLoad(lambda _: None, clock, sleep_too_long)
    result = load.run_arriving(rate=0.5, seconds=20.0, seed=3)
    due = list(takewhile(lambda at: at < 20, arrivals(0.5, 3)))
    assert len(due) > 3
    assert sorted(record.start_s for record in result.records) == due
    assert all(record.latency_ms > 249 for record in result.records)
    assert (result.completed, result.seconds) == (len(due), max(20.0, clock.now - 100.0))


@pytest.mark.parametrize(
    ("most", "expected", "tried"),
    [
        (100.0, 16.0, [4, 8, 16]),  # all that was to be tried keeps the limits
        (10.0, 10.0, [4, 8, 16, 11, 9.4, 10]),
        (3.0, 2.8, [4, 2, 2.8, 3.3]),
        (0.1, None, [4, 2, 1, 0.5]),
    ],
)
def test_greatest_rate_is_looked_for_by_halves(
    most: float, expected: float | None, tried: list[float]
) -> None:
    seen: list[float] = []

    def keeps(rate: float) -> bool:
        seen.append(rate)
        return rate <= most

    assert find_greatest([8.0, 4.0, 16.0], keeps) == expected
    assert seen == tried


def test_wait_in_the_queue_is_timed_apart() -> None:
    clock = Clock()
    watch = Stopwatch(clock=clock)
    with watch.timing("read") as heard:
        for state, seconds in (("queued", 1.0), ("queued", 2.0), ("running", 0.0), ("done", 4.0)):
            clock.now += seconds
            heard(JobEvent(job="j", state=state, step="detect", progress=0.0))  # type: ignore[arg-type]
    assert watch.seconds == {"read": [7.0], "read, until it begins": [3.0]}


def test_table_tells_drawings_a_minute_and_who_keeps_the_limits() -> None:
    trials = []
    for people, latency_ms in ((1, 4000.0), (2, 9000.0)):
        records = [Record(0.0, latency_ms, 200)] * 6
        result = Result(60.0, records, 6)
        repeats = (measure(result, None),)
        trials.append(Trial(setting=Setting(concurrency=people), seconds=60.0, repeats=repeats))
    lines = jobs_table(trials, {"read": [1.0, 3.0]}, [parse_limit("p95=5s")]).splitlines()
    assert lines[2] == "| 1 at a time | 6.0 | 4.0 | 4.0 | 4.0 | 0 of 6 | yes |"
    assert lines[3] == "| 2 at a time | 6.0 | 9.0 | 9.0 | 9.0 | 0 of 6 | no |"
    assert lines[-1] == "| read | 2.00 | 2 |"


@pytest.fixture
def drawing(tmp_path: Path) -> Path:
    """A file that nobody reads here."""
    file = tmp_path / "a.png"
    file.touch()
    return file


def test_command_measures_each_number_of_people_and_compares(
    tmp_path: Path,
    drawing: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    made: list[Errand] = []
    monkeypatch.setattr(bench_jobs, "make_film", lambda errand, *_: made.append(errand))
    monkeypatch.setattr(JobLoad, "run", _steady)
    flags = ["bench", "--job", "--url", "http://h", "--data", str(drawing), "--seconds", "60"]
    where = ["--concurrency", "1,2", "--output", str(tmp_path / "one")]
    assert main([*flags, *where, "--slo", "p95=5s"]) == 0
    assert made[0] == Errand("http://h", [drawing], "dance", "mp4")
    assert "best: 60.0 drawings a minute, 2 at a time" in capsys.readouterr().out
    assert "drawings a minute" in (tmp_path / "one" / "jobs.md").read_text()
    again = ["--concurrency", "1,2", "--output", str(tmp_path / "two")]
    assert main([*flags, *again, "--against", str(tmp_path / "one")]) == 0
    assert main([*flags, *again, "--slo", "p95=1ms"]) == 1


def test_command_finds_the_most_people_who_may_come(
    tmp_path: Path,
    drawing: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def waiting(_: JobLoad, rate: float, seconds: float, seed: int) -> Result:
        latency_ms = 1000.0 * 60 * rate  # as many seconds as come a minute
        records = [Record(0.0, latency_ms, 200)] * round(rate * seconds)
        return Result(seconds, records, len(records))

    monkeypatch.setattr(bench_jobs, "make_film", lambda *_: None)
    monkeypatch.setattr(JobLoad, "run_arriving", waiting)
    flags = ["bench", "--job", "--url", "http://h", "--data", str(drawing), "--seconds", "600"]
    rates = ["--rate", "4,16", "--slo", "p95=10s", "--output", str(tmp_path)]
    assert main([*flags, *rates]) == 0
    told = capsys.readouterr().out
    assert "best: 9.4 drawings a minute, 9.4 a minute" in told
    assert "| 16 a minute | 16.0 | 16.0 |" in told
    assert main([*flags, *rates, "--slo", "p95=1ms"]) == 1


def _steady(load: JobLoad, people: int, seconds: float) -> Result:
    """Each person has a film every two seconds."""
    rate = people / 2
    records = [Record(n / rate, 2000.0, 200) for n in range(round(seconds * rate))]
    return Result(seconds, records, len(records))


def test_nothing_to_hand_in_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--job"]) == 1
    assert "--data" in capsys.readouterr().err


def test_drawing_that_is_not_there_is_told_before_anything_is_started(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "nobody.jpg"
    assert main(["bench", "--job", "--data", str(missing), "-o", str(tmp_path / "out")]) == 1
    assert capsys.readouterr().err == (
        f"animator: There is no file {missing}. Check its name and folder.\n"
    )
    assert not (tmp_path / "out").exists()
