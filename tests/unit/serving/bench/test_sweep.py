from pathlib import Path

import pytest

from serving.bench.setting import Space
from serving.bench.subject import Subject
from serving.bench.sweep import Goal, Sweep
from serving.bench.trial import Ask
from serving.bench.tuned import Model
from serving.errors import BadInput
from tests.unit.serving.bench.simulated import TIMING


def never() -> Subject:
    raise AssertionError("no server is started for results that nothing can hold")


def test_folder_that_can_hold_no_results_is_told_before_anything_is_started(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("")
    goal = Goal(Space(), [], TIMING, is_grid=True)
    sweep = Sweep(Model("cat", tmp_path), Ask("/", (b"",), {}), goal, tmp_path / "file")
    with pytest.raises(BadInput, match=r"file can hold no results: File exists; choose another"):
        sweep.run(never)
