"""What the documentation says is true: links lead somewhere, commands parse, examples run."""

import argparse
import re
import shlex
import textwrap
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from animator.__main__ import build_parser, main
from animator.motion import read_keyframes, read_map
from serving.__main__ import build_parser as build_serving_parser
from serving.local import LocalPredictor
from serving.torchserve_command import build_parser as build_torchserve_parser

ROOT = Path(__file__).parents[1]
# In a help: up to its remark, or where its output goes; what is longer than a line goes on below.
EXAMPLE = re.compile(
    r"^ {2,4}(?:\w+=\S+ )*((?:animator|serving) (?![-\s]).+?)(?: {2,}.*| [|>].*)?$",
    re.MULTILINE,
)
PAGES = sorted(
    path
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *ROOT.glob("*/README.md"))
    if ".venv" not in path.parts
)
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")
COMMAND = re.compile(r"^ {4}(?:\w+=\S+ )*animator (.+?)(?: {2,}#.*)?$", re.MULTILINE)
SERVING = re.compile(
    r"^ {4}(?:\w+=\S+ )*(?:python -m )?serving ((?:.*\\\n)*.+?)(?: {2,}#.*)?$", re.MULTILINE
)


def _id(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=_id)
def test_links_lead_to_files(page: Path) -> None:
    broken = [link for link in LINK.findall(page.read_text()) if not (page.parent / link).exists()]
    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=_id)
def test_commands_parse(page: Path) -> None:
    parser = build_parser()
    for line in COMMAND.findall(page.read_text()):
        assert parser.parse_args(shlex.split(line)).command


@pytest.mark.parametrize("page", PAGES, ids=_id)
def test_commands_of_the_model_server_parse(page: Path) -> None:
    for line in SERVING.findall(page.read_text()):
        words = shlex.split(line.replace("\\\n", " "))
        is_reference = words[0] == "torchserve"
        parser = build_torchserve_parser() if is_reference else build_serving_parser()
        assert parser.parse_args(words[1:] if is_reference else words)


def _helps(parser: argparse.ArgumentParser) -> Iterator[str]:
    """The help of a command and of all below it."""
    yield parser.format_help()
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _helps(below)


def test_examples_of_every_help_parse() -> None:
    parsers = {
        "animator ": build_parser(),
        "serving torchserve ": build_torchserve_parser(),
        "serving ": build_serving_parser(),
    }
    seen = set()
    for text in (text for parser in parsers.values() for text in _helps(parser)):
        for line in EXAMPLE.findall(text):
            start = next(start for start in parsers if line.startswith(start))
            assert parsers[start].parse_args(shlex.split(line.removeprefix(start))), line
            seen.add(line)
    assert len(seen) >= 60


def test_commands_are_found_at_all() -> None:
    assert len(COMMAND.findall((ROOT / "README.md").read_text())) >= 5
    assert len(SERVING.findall((ROOT / "docs" / "torchserve.md").read_text())) >= 5


def test_models_page_can_be_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ANIMATOR_DATA_DIR", str(tmp_path / "data"))
    page = (ROOT / "docs" / "models.md").read_text()
    commands = COMMAND.findall(page.partition("## Try it")[2].partition("\n## ")[0])
    assert len(commands) == 7
    assert [main(shlex.split(line)) for line in commands] == [0] * len(commands)
    assert (tmp_path / "scores" / "index.html").is_file()
    newest, older, _ = capsys.readouterr().out.splitlines()[-3:]
    assert newest.startswith("drawn_humanoid_detector        2     *")
    assert "*" not in older


def test_python_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("models", "web"):
        (tmp_path / name).symlink_to(ROOT / name)
    (example,) = re.findall(
        r"```python\n(.+?)```", (ROOT / "docs" / "animate.md").read_text(), re.DOTALL
    )
    names: dict[str, object] = {}
    exec(compile(example, "docs/animate.md", "exec"), names)
    written = {path.name for path in (tmp_path / "animations").iterdir()}
    assert written == {"animation.gif", "animation.mp4"}


def test_example_of_the_page_of_rigs_works(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "rig.md").read_text()
    (example,) = re.findall(r"```python\n(.+?)```", page, re.DOTALL)
    exec(compile(example, "docs/rig.md", "exec"), {})
    rig, clip = capsys.readouterr().out.splitlines()
    assert rig.endswith(" degrees")
    assert "moved onto the figure: ()" in clip or "foot" in clip


def test_handler_example_answers(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "handlers.md").read_text()
    manifest, handler = (
        textwrap.dedent(re.search(pattern, page, re.DOTALL)[1])  # type: ignore[index]
        for pattern in (
            r"`manifest.json`:\n\n((?: {4}.*?\n)+)\nand",
            r"`handler.py`:\n\n(.+?)\n\n`POST",
        )
    )
    folder = tmp_path / "echo"
    folder.mkdir()
    (folder / "manifest.json").write_text(manifest)
    (folder / "handler.py").write_text(handler)
    predictor = LocalPredictor(tmp_path)
    outputs = predictor.infer("echo", {"x": np.array([1, 2], np.float32)})
    assert outputs["y"].tolist() == [2.0, 4.0]


def test_examples_of_the_page_of_motions_work(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "motions.md").read_text()
    own_map, keyframes = re.findall(r"```toml\n(.+?)```", page, re.DOTALL)
    assert read_map(own_map.encode()).joints == {"left_hand": "Bone.012", "neck": ""}
    motion, _ = read_keyframes(keyframes.encode(), name="nod")
    assert len(motion.root) == 48
    (example,) = re.findall(r"```python\n(.+?)```", page, re.DOTALL)
    exec(compile(example, "docs/motions.md", "exec"), {})
    # The walk at twice the speed, and the wave: 15 + 48 frames, but for a fade of a third.
    assert capsys.readouterr().out == "(58, 16)\n"
