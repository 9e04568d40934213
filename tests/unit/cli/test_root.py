"""The root finds commands by the convention, and ends with a fitting exit code."""

import subprocess
import sys
from collections.abc import Callable

import pytest

from animator.__main__ import build_parser, main
from animator.cli import COMMANDS, motions
from animator.core.errors import InvalidMotion

HEAVY = {"numpy", "cv2", "PIL", "onnxruntime", "litestar", "redis", "rq", "scipy", "av", "torch"}


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from animator.__main__ import build_parser;build_parser(); print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert HEAVY.isdisjoint(done.stdout.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    assert command in capsys.readouterr().out


def test_help_names_every_command() -> None:
    text = build_parser().format_help()
    assert all(command in text for command in COMMANDS)


def test_no_command_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == 2
    assert "usage" in capsys.readouterr().err


def test_error_of_ours_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(args: object) -> int:
        msg = "The motions are broken."
        raise InvalidMotion(msg)

    monkeypatch.setattr(motions, "run", broken)
    assert main(["motions"]) == 1
    assert capsys.readouterr().err == "animator: The motions are broken.\n"


def test_interrupt_ends_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(args: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(motions, "run", interrupted)
    assert main(["motions"]) == 130


def test_reader_that_goes_away_is_no_crash() -> None:
    done = subprocess.run(
        f"{sys.executable} -m animator motions | true; exit ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert "Traceback" not in done.stderr


def test_motions_are_listed_with_length_and_title(
    animator: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert animator("motions") == 0
    lines = capsys.readouterr().out.splitlines()
    assert {"dance", "jump", "wave"} <= {line.split()[0] for line in lines}
    assert all(" s  " in line for line in lines)
