import argparse
from pathlib import Path

import pytest

from benchmarks import bench_search
from benchmarks.bench_search import Ran, compare
from serving.bench.command import INTERRUPTED
from serving.bench.limits import parse_limit
from serving.bench.measured import Trial
from serving.bench.setting import Setting
from tests.unit.serving.bench.simulated import trial

LIMITS = [parse_limit("p99=100ms")]
FOUND, OTHER = Setting(batch_size=4), Setting(batch_size=8)


def compared(of_found: Trial, search_s: float = 20.0) -> int:
    """A search that found one setting, beside a grid that tried it and another one."""
    grid = [of_found, trial(OTHER, 15.0, 100.0, 90.0)]
    halving = Ran("halving", search_s, [trial(FOUND, 15.0, 97.0, 80.0)])
    return compare(halving, Ran("grid", 100.0, grid), LIMITS)


@pytest.mark.parametrize(
    ("in_grid", "search_s", "code"), [(95.0, 20.0, 0), (94.0, 20.0, 1), (95.0, 21.0, 1)]
)
def test_search_is_good_with_95_percent_in_a_fifth_of_the_time(
    in_grid: float, search_s: float, code: int
) -> None:
    assert compared(trial(FOUND, 15.0, in_grid, 80.0), search_s) == code


def test_search_is_not_good_when_the_grid_could_not_try_what_it_found() -> None:
    assert compared(Trial(setting=FOUND, seconds=15.0, problem="it does not start")) == 1


@pytest.mark.parametrize(("p99_ms", "word"), [(100.0, "keeps"), (101.0, "breaks")])
def test_it_is_told_whether_the_limits_are_kept_in_the_grid(
    capsys: pytest.CaptureFixture[str], p99_ms: float, word: str
) -> None:
    compared(trial(FOUND, 15.0, 97.0, p99_ms))
    assert f"{word} the limits there" in capsys.readouterr().out


def test_after_an_interrupted_search_no_grid_is_tried(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tried: list[str] = []

    def interrupted(options: argparse.Namespace) -> int:
        tried.append(options.search)
        (options.output).mkdir()
        (options.output / "trials.jsonl").write_text("{}\n")
        return INTERRUPTED

    monkeypatch.setattr(bench_search, "run_bench", interrupted)
    flags = ["bench_search", "--data", "a.jpg", "--output", str(tmp_path)]
    monkeypatch.setattr("sys.argv", flags)
    with pytest.raises(SystemExit) as ended:
        bench_search.main()
    assert ended.value.code == INTERRUPTED
    assert tried == ["halving"]


def test_search_that_is_gone_on_with_is_not_compared(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["bench_search", "--resume"])
    with pytest.raises(SystemExit):
        bench_search.main()
    assert "leave --resume" in capsys.readouterr().err
