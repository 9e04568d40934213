"""`animator animate`: what the figures do, and how it is played."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from animator.motion import load_motion, write_bvh
from animator.motion.timing import thin

Animator = Callable[..., int]


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    """A motion file of ten frames a second."""
    path = tmp_path / "Hello There.bvh"
    path.write_text(write_bvh(thin(load_motion("wave")[0], 10.0)))
    return path


def _heights(path: Path) -> dict[str, list[float]]:
    """Of the only figure: how high every joint is in every frame, pixels, by its name."""
    (figure,) = msgspec.json.decode(path.read_bytes())["figures"]
    frames: list[list[tuple[float, float]]] = figure["drawing"]
    return {name: [-frame[i][1] for frame in frames] for i, name in enumerate(figure["joints"])}


def _range(heights: list[float]) -> float:
    return max(heights) - min(heights)


def _animate(animator: Animator, stick_png: Path, folder: Path, *words: object) -> int:
    return animator("animate", stick_png, "--side", 64, *words, "-o", folder / "a.joints.json")


def test_a_motion_file_is_followed(animator: Animator, stick_png: Path, clip: Path) -> None:
    assert _animate(animator, stick_png, clip.parent, "--motion", clip) == 0
    hand = _heights(clip.parent / "a.joints.json")["right_hand"]
    assert len(hand) == 32
    assert _range(hand) > 50


def test_output_is_named_after_the_file_and_what_follows(
    animator: Animator, stick_png: Path, clip: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(clip.parent)
    words = ("--motion", clip, "--then", "walk", "--format", "joints", "--side", 64)
    assert animator("animate", stick_png, *words) == 0
    assert Path("stick-Hello There-walk.joints.json").is_file()


def test_playback_is_as_asked(animator: Animator, stick_png: Path, clip: Path) -> None:
    words = ("--motion", clip, "--trim", "0.5:2.5", "--speed", "0.5", "--mirror", "--loop")
    assert _animate(animator, stick_png, clip.parent, *words) == 0
    heights = _heights(clip.parent / "a.joints.json")
    # 20 frames at half the speed are 39, of which the loop takes a fade of 4.
    assert len(heights["left_hand"]) == 35
    assert _range(heights["left_hand"]) > 2 * _range(heights["right_hand"])


def test_a_motion_is_mixed_in(animator: Animator, stick_png: Path, tmp_path: Path) -> None:
    words = ("--motion", "walk", "--blend", "sneak:0.25", "--side", 64, "--format", "joints")
    assert animator("animate", stick_png, *words, "-o", tmp_path / "a.joints.json") == 0
    # 30 frames of a walk and 72 of sneaking
    assert len(_heights(tmp_path / "a.joints.json")["left_hand"]) == 40


def test_a_map_says_which_joint_is_which(animator: Animator, stick_png: Path, clip: Path) -> None:
    own = clip.parent / "map.toml"
    own.write_text('[joints]\nright_shoulder = ""\nright_elbow = ""\nright_hand = ""\n')
    assert _animate(animator, stick_png, clip.parent, "--motion", clip, "--map", own) == 0
    heights = _heights(clip.parent / "a.joints.json")
    assert _range(heights["right_hand"]) < 15  # it hangs as it is drawn


def test_keyframes_of_ones_own_are_followed(
    animator: Animator, stick_png: Path, tmp_path: Path
) -> None:
    own = tmp_path / "raise.toml"
    own.write_text("duration = 1.0\n[tracks]\nleft_arm = [[0.0, 20.0], [0.5, 160.0]]\n")
    assert _animate(animator, stick_png, tmp_path, "--motion", own) == 0
    heights = _heights(tmp_path / "a.joints.json")
    assert len(heights["left_hand"]) == 30
    assert _range(heights["left_hand"]) > 30
    assert _range(heights["right_hand"]) < 5


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--motion", "wave", "--map", "map.toml"), "--map is for .bvh files"),
        (("--then", "walk") * 9, "at most 8 motions"),
        (("--blend", "walk:2"), "'walk:2' is no motion with a share"),
        (("--speed", "9"), "the speed must be"),
        (("--speed", "fast"), "the speed must be"),
        (("--trim", "3:1"), "'3:1' is no part of a motion"),
        (("--trim", "3"), "'3' is no part of a motion"),
        (("--trim", "0:inf"), "'0:inf' is no part of a motion"),
    ],
)
def test_wrong_use_is_told(
    animator: Animator, words: tuple[str, ...], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = animator("animate", "drawing.png", *words)
    except SystemExit as stop:
        code = int(stop.code or 0)
    assert code == 2
    assert why in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--motion", "none.bvh"), "none.bvh cannot be read"),
        (("--then", "gallop"), "there is no motion 'gallop'"),
        (("--blend", "gallop"), "there is no motion 'gallop'"),
        (("--trim", "70:80"), "there is nothing from 70 to 80 s"),
    ],
)
def test_what_cannot_be_played_is_told_before_a_drawing_is_looked_at(
    animator: Animator, words: tuple[str, ...], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert animator("animate", "drawing.png", *words) == 1
    assert why in capsys.readouterr().err


def test_one_figure_can_do_something_else(
    animator: Animator, stick_png: Path, tmp_path: Path
) -> None:
    own = ("--motion", "breathe", "--figure", "1=jump")
    assert _animate(animator, stick_png, tmp_path, *own) == 0
    jumping = _heights(tmp_path / "a.joints.json")
    assert _animate(animator, stick_png, tmp_path, "--motion", "jump") == 0
    assert jumping == _heights(tmp_path / "a.joints.json")
    assert _animate(animator, stick_png, tmp_path, "--motion", "jump", "--figure", "2=walk") == 0
    assert jumping == _heights(tmp_path / "a.joints.json"), "there is no second figure to walk"


@pytest.mark.parametrize("words", ["walk", "0=walk", "x=walk", "1=", "21=walk"])
def test_figure_without_number_or_motion_is_refused(
    words: str, animator: Animator, stick_png: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        animator("animate", stick_png, "--figure", words)
    assert "write 2=walk" in capsys.readouterr().err
