"""The features in docs/animated-drawings.md: every row has a test that exists, or a reason why."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "animated-drawings.md"
TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def rows() -> list[list[str]]:
    lines = PAGE.read_text().partition("## Feature by feature")[2].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if "|" in line]
    return cells[2:]


def names_in(file: str) -> set[str]:
    return {
        node.name
        for node in ast.walk(ast.parse((ROOT / file).read_text()))
        if isinstance(node, ast.FunctionDef)
    }


def test_every_feature_has_its_row_with_a_test_or_a_reason() -> None:
    found = rows()
    assert [row[0] for row in found] == [str(number) for number in range(1, 35)]
    assert all(len(row) == 5 and all(row) for row in found)
    bare = [row[0] for row in found if not TEST.search(row[4]) and "why" not in row[4]]
    assert bare == []


def test_every_test_that_is_named_exists() -> None:
    named = TEST.findall(PAGE.read_text())
    assert len(named) >= 34
    missing = [f"{file}::{name}" for file, name in named if name not in names_in(file)]
    assert missing == []


def test_nothing_asks_for_a_display() -> None:
    words = re.compile(
        r"^\s*(?:import|from) (?:OpenGL|glfw|moderngl|tkinter|pygame)\b", re.MULTILINE
    )
    files = [*(ROOT / "animator").rglob("*.py"), *(ROOT / "serving").rglob("*.py")]
    assert len(files) > 100
    assert [str(file) for file in files if words.search(file.read_text())] == []
