from pathlib import Path

import numpy as np
import pytest

from serving.errors import BadInput, InferenceFailed, InvalidModel
from serving.protocol.tensors import Tensors
from serving.workflow.ensemble import ENSEMBLE_FILE, EnsembleSpec, Step, read_ensemble
from serving.workflow.steps import MOST_ROWS, run_steps

HEAD = """
name = "squares"
inputs = [{name = "numbers", datatype = "INT64", shape = [-1]}]
outputs = [{name = "squares", datatype = "INT64", shape = [-1, 2], value = "square.pair"}]
"""
TEXT = (
    HEAD
    + """
[[steps]]
name = "find"
model = "finder"
inputs = {numbers = "numbers"}
[[steps]]
name = "square"
function = "steps.py:square"
inputs = {number = "find.found", offset = "numbers"}
for_each = ["number"]
"""
)


def _read(text: str, folder: Path) -> EnsembleSpec:
    (folder / ENSEMBLE_FILE).write_text(text)
    return read_ensemble(folder)


class Steps:
    """`find` gives the positive numbers, `square` a number beside its square."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []

    async def __call__(self, step: Step, item: Tensors) -> Tensors:
        self.asked.append((step.name, len(item)))
        if step.name == "find":
            return {"found": item["numbers"][item["numbers"] > 0]}
        number = int(item["number"])
        if number == 13:
            raise InferenceFailed("unlucky")
        return {"pair": np.array([number, number * number])}


async def test_step_for_each_row_gives_one_row_each(tmp_path: Path) -> None:
    spec, steps = _read(TEXT, tmp_path), Steps()

    result = await run_steps(spec, {"numbers": np.array([3, -1, 5])}, steps)

    assert result["squares"].tolist() == [[3, 9], [5, 25]]
    assert steps.asked == [("find", 1), ("square", 2), ("square", 2)]


async def test_no_row_gives_an_output_without_rows(tmp_path: Path) -> None:
    result = await run_steps(_read(TEXT, tmp_path), {"numbers": np.array([-1])}, Steps())

    assert result["squares"].shape == (0, 2)
    assert result["squares"].dtype == np.int64


async def test_row_that_fails_fails_the_item(tmp_path: Path) -> None:
    with pytest.raises(InferenceFailed, match="unlucky"):
        await run_steps(_read(TEXT, tmp_path), {"numbers": np.array([3, 13])}, Steps())


async def test_too_many_rows_are_refused(tmp_path: Path) -> None:
    numbers = np.ones(MOST_ROWS + 1, np.int64)

    with pytest.raises(BadInput, match="1001 rows"):
        await run_steps(_read(TEXT, tmp_path), {"numbers": numbers}, Steps())


async def test_output_that_a_step_does_not_give_is_named(tmp_path: Path) -> None:
    spec = _read(TEXT.replace("find.found", "find.lost"), tmp_path)

    with pytest.raises(InferenceFailed, match=r"find\.lost"):
        await run_steps(spec, {"numbers": np.array([3])}, Steps())


async def test_rows_of_different_shapes_are_no_output(tmp_path: Path) -> None:
    async def infer(step: Step, item: Tensors) -> Tensors:
        if step.name == "find":
            return {"found": np.array([1, 2])}
        return {"pair": np.zeros(int(item["number"]))}

    with pytest.raises(InferenceFailed, match="not of one shape"):
        await run_steps(_read(TEXT, tmp_path), {"numbers": np.array([3])}, infer)


async def test_inputs_of_different_numbers_of_rows_are_refused(tmp_path: Path) -> None:
    text = TEXT.replace('["number"]', '["number", "offset"]')

    with pytest.raises(InferenceFailed, match="different numbers of rows"):
        await run_steps(_read(text, tmp_path), {"numbers": np.array([3, -1])}, Steps())


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('model = "finder"', "", "either a model or a function"),
        ('model = "finder"', 'model = "finder"\nfunction = "a.py:f"', "either a model or"),
        ('"find.found"', '"later.found"', "nothing gives the value later.found"),
        ('"square.pair"', '"nothing.pair"', "nothing gives the value nothing.pair"),
        ('name = "square"', 'name = "find"', "taken twice"),
        ('["number"]', '["numbr"]', "takes numbr by row"),
        ("for_each", "foreach", "foreach"),
        ('"steps.py:square"', '"../steps.py:square"', "function|pattern"),
        ('name = "squares"', 'name = "a/b"', "pattern|name"),
        ("[[steps]]", "[[steps", "ensemble.toml"),
    ],
)
def test_ensemble_that_cannot_work_is_refused(
    old: str, new: str, reason: str, tmp_path: Path
) -> None:
    assert old in TEXT
    with pytest.raises(InvalidModel, match=reason):
        _read(TEXT.replace(old, new), tmp_path)


def test_folder_without_an_ensemble_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidModel, match=r"ensemble\.toml"):
        read_ensemble(tmp_path)
