from collections.abc import Callable
from pathlib import Path

import pytest

from animator.motion import load_motion, write_bvh

Animator = Callable[..., int]


@pytest.fixture
def wave(tmp_path: Path) -> Path:
    """A motion file."""
    path = tmp_path / "wave.bvh"
    path.write_text(write_bvh(load_motion("wave")[0]))
    return path


def test_motions_are_listed_by_name(animator: Animator, capsys: pytest.CaptureFixture[str]) -> None:
    assert animator("motions") == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) >= 36
    assert lines == sorted(lines)
    (walk,) = [line for line in lines if line.startswith("walk ")]
    assert walk.split() == ["walk", "1.0", "s", "Walk", "(going,", "everyday)"]


def test_motions_are_found_by_tag(animator: Animator, capsys: pytest.CaptureFixture[str]) -> None:
    assert animator("motions", "--tag", "Dance") == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert {"ballet", "dance", "disco", "floss", "hula", "robot"} <= set(names)
    assert "walk" not in names


def test_check_tells_what_a_file_holds(
    animator: Animator, wave: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert animator("motions", "check", wave) == 0
    first, trunk, *limbs = capsys.readouterr().out.splitlines()
    assert first == (
        f"{wave}: 3.20 s, 96 frames at 30 a second, 22 joints, +y is up; "
        "its end leads into its beginning"
    )
    assert trunk.split() == ["trunk", "frontal", *["Hips", ">", "Chest", ">", "Neck", ">", "Head"]]
    assert [line[2:12].strip() for line in limbs] == [
        "left arm", "right arm", "left leg", "right leg",
    ]  # fmt: skip
    assert limbs[0].endswith("LeftShoulder > LeftElbow > LeftHand")


def test_check_takes_a_map(
    animator: Animator, wave: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "map.toml"
    own.write_text(
        '[planes]\ntrunk = "sagittal"\n[joints]\nleft_hand = "LeftHand End"\nneck = ""\n'
        'right_shoulder = ""\nright_elbow = ""\nright_hand = ""\n'
    )
    assert animator("motions", "check", wave, "--map", own) == 0
    out = capsys.readouterr().out
    assert "trunk      sagittal  Hips > Chest > Head" in out
    assert "LeftElbow > LeftHand End" in out
    assert "right arm  " in out
    assert out.splitlines()[3].endswith(" -")


def test_check_goes_on_after_a_bad_file(
    animator: Animator, wave: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.bvh"
    broken.write_text(wave.read_text()[:200])
    assert animator("motions", "check", broken, tmp_path / "none.bvh", wave) == 1
    shown = capsys.readouterr()
    assert len(shown.out.splitlines()) == 6
    complaints = shown.err.splitlines()
    assert complaints[0].startswith(f"{broken}: line ")
    assert complaints[1] == f"{tmp_path / 'none.bvh'} cannot be read: No such file or directory."


def test_check_refuses_a_broken_map(
    animator: Animator, wave: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "map.toml"
    own.write_text("[joint]\n")
    assert animator("motions", "check", wave, "--map", own) == 1
    assert "map.toml: Object contains unknown field `joint`" in capsys.readouterr().err


def test_tag_that_no_motion_has_is_told_with_those_there_are(
    animator: Animator, capsys: pytest.CaptureFixture[str]
) -> None:
    assert animator("motions", "--tag", "dancing") == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert "no motion has the tag 'dancing'; there are " in told.err
    assert ", dance, " in told.err


def test_joint_of_a_map_that_is_not_there_is_told_with_those_there_are(
    animator: Animator, wave: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "map.toml"
    for joint, hint in (("LeftHnad", "is it 'LeftHand'?"), ("Bone.012", "there are Hips, ")):
        own.write_text(f'[joints]\nleft_hand = "{joint}"\n')
        assert animator("motions", "check", wave, "--map", own) == 1
        assert f"has no joint '{joint}'; {hint}" in capsys.readouterr().err
