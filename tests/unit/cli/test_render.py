"""`animator render`: scenes of AnimatedDrawings and of our own, to files."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
import yaml
from PIL import Image

from animator.cli import drawings
from animator.compat import FOLDER
from tests.support_scenes import MOTION, SCENE, changed, write_files

Animator = Callable[..., int]


def put(file: Path, content: dict[str, Any]) -> Path:
    file.write_text(yaml.dump(content))
    return file


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scene of AnimatedDrawings; its video goes into the working directory."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return write_files(tmp_path / "files")


def test_scene_is_written_where_it_says(
    animator: Animator, scene: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert animator("render", scene) == 0
    with Image.open("video.gif") as film:
        assert film.size == (80, 80)
        assert film.n_frames == 6  # type: ignore[attr-defined]
        durations = []
        for frame in range(6):
            film.seek(frame)
            durations.append(film.info["duration"])
            assert film.convert("RGBA").getchannel("A").getextrema() == (0, 255)
    assert durations == [100] * 6  # as the motion is recorded
    assert capsys.readouterr().err.startswith("video.gif: 80 x 80, 0.6 s at 10 frames a second")
    assert [path.name for path in Path().iterdir()] == ["video.gif"]


def test_film_without_alpha_shows_the_clear_colour(animator: Animator, scene: Path) -> None:
    put(scene, changed(SCENE, "view.CLEAR_COLOR", [1, 0, 0, 0]))
    assert animator("render", scene, "-o", "video.mp4") == 0
    with av.open("video.mp4") as film:
        stream = film.streams.video[0]
        assert stream.codec_context.name == "h264"
        frames = [frame.to_ndarray(format="rgb24") for frame in film.decode(stream)]
    assert len(frames) == 6
    red, green, blue = frames[0][2, 2]
    assert red > 230 and green < 25 and blue < 25


def test_picture_lies_behind_and_is_fitted_as_asked(animator: Animator, scene: Path) -> None:
    Image.new("RGB", (160, 40), (0, 0, 255)).save(scene.parent / "sea.png")
    put(scene, changed(SCENE, "view.BACKGROUND_IMAGE", "sea.png"))
    assert animator("render", scene, "-o", "stretched.png") == 0
    assert animator("render", scene, "--fit", "contain", "-o", "contained.png") == 0
    with Image.open("stretched.png") as still:
        assert still.convert("RGB").getpixel((2, 2)) == (0, 0, 255)
    with Image.open("contained.png") as still:
        assert still.convert("RGB").getpixel((2, 2)) == (255, 255, 255)
        assert still.convert("RGB").getpixel((2, 40)) == (0, 0, 255)


def test_size_can_be_asked_for(animator: Animator, scene: Path) -> None:
    assert animator("render", scene, "--size", "128x64", "-o", "still.png") == 0
    with Image.open("still.png") as still:
        assert still.size == (128, 64)


def test_figure_that_would_leave_is_kept_inside_unless_the_camera_is_fixed(
    animator: Animator, scene: Path
) -> None:
    retarget = scene.parent / "retarget.yaml"
    text = retarget.read_text().replace("- 0.0\n- 0.0\n- -0.5", "- 0.9\n- 0.0\n- -0.5")
    retarget.write_text(text)
    rims = {}
    for camera in ("inside", "fixed"):
        assert animator("render", scene, "--camera", camera, "-o", f"{camera}.png") == 0
        with Image.open(f"{camera}.png") as still:
            alpha = np.array(still.getchannel("A"))
        rims[camera] = alpha[:, -1].max()
    assert rims["inside"] == 0 < rims["fixed"]


def test_motion_that_ends_first_holds_its_last_frame(animator: Animator, scene: Path) -> None:
    (scene.parent / "short.yaml").write_text(
        (scene.parent / "motion.yaml")
        .read_text()
        .replace("end_frame_idx: null", "end_frame_idx: 2")
    )
    part = SCENE["scene"]["ANIMATED_CHARACTERS"][0]
    both = [part, {**part, "motion_cfg": "short.yaml"}]
    put(scene, changed(SCENE, "scene.ANIMATED_CHARACTERS", both))
    assert animator("render", scene, "-o", "both.gif") == 0
    put(scene, changed(SCENE, "scene.ANIMATED_CHARACTERS.0.motion_cfg", "short.yaml"))
    assert animator("render", scene, "-o", "short.gif") == 0
    counts = []
    for name in ("both.gif", "short.gif"):
        with Image.open(name) as film:
            counts.append(film.n_frames)  # type: ignore[attr-defined]
    assert counts == [6, 2]


def test_frames_and_frame_time_of_a_motion_file_make_length_and_speed(
    animator: Animator, scene: Path
) -> None:
    part = {"start_frame_idx": 1, "end_frame_idx": 4, "frame_time": 0.2}
    put(scene.parent / "motion.yaml", {**MOTION, **part})
    assert animator("render", scene) == 0
    with Image.open("video.gif") as film:
        assert film.n_frames == 3  # type: ignore[attr-defined]
        film.seek(1)
        assert film.info["duration"] == 200


def test_scene_of_our_own_shows_two_figures_in_a_row(animator: Animator, scene: Path) -> None:
    party = scene.parent / "party.toml"
    party.write_text(
        """
        size = [160, 80]
        background = "transparent"
        [[figures]]
        drawing = "bob"
        motion = "wave"
        [[figures]]
        drawing = "bob/char_cfg.yaml"
        motion = "wave.bvh"
        height = 0.4
        """
    )
    assert animator("render", party, "-o", "party.png") == 0
    with Image.open("party.png") as still:
        alpha = np.array(still.getchannel("A")) > 127
    filled = np.flatnonzero(alpha.any(axis=0))
    first, second = np.split(filled, np.flatnonzero(np.diff(filled) > 1) + 1)
    assert [np.mean(first), np.mean(second)] == pytest.approx([160 / 3, 320 / 3], abs=6)
    heights = [np.ptp(np.flatnonzero(alpha[:, part].any(axis=1))) for part in (first, second)]
    assert heights[1] / heights[0] == pytest.approx(0.4 / 0.6, abs=0.12)


def test_figure_of_a_scene_may_get_another_skeleton(animator: Animator, scene: Path) -> None:
    party = scene.parent / "party.toml"
    figure = '[[figures]]\ndrawing = "bob"\nmotion = "wave"\nskeleton = "wings"\nstiff = ["torso"]'
    party.write_text(f"size = [64, 64]\noverlays = ['bones']\n{figure}")
    assert animator("render", party, "-o", "wings.png") == 0


def test_stiff_bone_that_the_figure_lacks_is_named(
    animator: Animator, scene: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    party = scene.parent / "party.toml"
    party.write_text('[[figures]]\ndrawing = "bob"\nmotion = "wave"\nstiff = ["fin"]')
    assert animator("render", party, "-o", "fin.png") == 1
    assert "party.toml: figures[0]: the skeleton has no joint 'fin'" in capsys.readouterr().err


def test_drawing_in_a_scene_is_looked_at(animator: Animator, scene: Path, stick_png: Path) -> None:
    party = scene.parent / "party.toml"
    look = 'size = [200, 200]\nbackground = "transparent"'
    party.write_text(f'{look}\n[[figures]]\ndrawing = "{stick_png}"\nmotion = "wave"')
    assert animator("render", party, "-o", "party.png") == 0
    pixels = np.array(Image.open("party.png").convert("RGBA")).astype(int)
    paper = pixels[(pixels[..., 3] == 255) & (pixels.min(axis=2) > 200)]
    assert abs(np.median(paper[:, :3]) - 252) <= 3  # it was 225 in the photo


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (
            "controller.MODE",
            "interactive",
            "scene.yaml names no file to write: in AnimatedDrawings it opens a window. Name one, "
            "such as -o scene.gif; the page of `animator serve` plays and halts.",
        ),
        ("controller.OUTPUT_VIDEO_PATH", None, "names no file to write"),
        (
            "controller.OUTPUT_VIDEO_PATH",
            "video.avi",
            "video.avi: a scene is written as .gif, .mp4, .webm, .webp, .apng, .png, .frames.zip,",
        ),
        ("controller.OUTPUT_VIDEO_PATH", "bob.character.zip", "bob.character.zip: a scene is"),
        ("view.CAMERA_POS", [0, 0, -9], "view.CAMERA_POS: a figure is behind this camera"),
        (
            "scene.ANIMATED_CHARACTERS.0.character_cfg",
            "motion.yaml",
            "motion.yaml: width: is missing.",
        ),
    ],
)
def test_what_cannot_be_rendered_is_said_in_a_sentence(
    *,
    path: str,
    value: Any,
    said: str,
    animator: Animator,
    scene: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    put(scene, changed(SCENE, path, value))
    assert animator("render", scene) == 1
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1
    assert [*Path().iterdir()] == []


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("wave.bvh", "Frame Time: 0.1", "Frame Time: now", "wave.bvh: "),
        ("motion.yaml", "start_frame_idx: 0", "start_frame_idx: 6", "start_frame_idx: "),
        ("bob/char_cfg.yaml", "height: 120", "height: 121", "[0]: texture.png is 60 x 120 pixels"),
        ("bob/char_cfg.yaml", "parent: torso", "parent: tors", "hangs on no root"),
    ],
)
def test_bad_file_of_a_scene_is_named(
    *,
    file: str,
    old: str,
    new: str,
    said: str,
    animator: Animator,
    scene: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = scene.parent / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    assert animator("render", scene) == 1
    assert said in capsys.readouterr().err


def test_figure_without_an_arm_is_rendered(animator: Animator, scene: Path) -> None:
    config = scene.parent / "bob" / "char_cfg.yaml"
    plain = yaml.safe_load(config.read_text())
    arm = ("left_shoulder", "left_elbow", "left_hand")
    plain["skeleton"] = [joint for joint in plain["skeleton"] if joint["name"] not in arm]
    put(config, plain)
    assert animator("render", scene, "-o", "still.png") == 0


def test_scene_that_cannot_be_written_is_refused(
    animator: Animator, scene: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("file").write_text("")
    assert animator("render", scene, "-o", "file/video.gif") == 1
    assert "file/video.gif cannot be written: " in capsys.readouterr().err


@pytest.mark.parametrize("size", ["640", "640x", "640x481", "8x64", "4096x64", "-4x64"])
def test_size_that_cannot_be_drawn_is_wrong_usage(size: str, animator: Animator) -> None:
    with pytest.raises(SystemExit) as caught:
        animator("render", "scene.yaml", f"--size={size}")
    assert caught.value.code == 2


SCRIPT = """
import animated_drawings.render

animated_drawings.render.start("{scene}")
"""


def run_script(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    """A script of somebody else, with our stand-in for AnimatedDrawings on its path."""
    script = folder / "script.py"
    script.write_text(text)
    root = Path(drawings.__file__).parents[2]
    return subprocess.run(
        [sys.executable, script],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": f"{FOLDER}:{root}", "PATH": "/usr/bin:/bin"},
        cwd=folder,
        check=False,
    )


def test_script_written_for_animated_drawings_runs_as_it_is(scene: Path, tmp_path: Path) -> None:
    done = run_script(tmp_path, SCRIPT.format(scene=scene))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("video.gif: 80 x 80")
    assert (tmp_path / "video.gif").is_file()


def test_script_ends_with_a_sentence_and_no_stack_trace(scene: Path, tmp_path: Path) -> None:
    put(scene, changed(SCENE, "view.CAMERA_FWD", [0, 0, 0]))
    done = run_script(tmp_path, SCRIPT.format(scene=scene))
    assert done.returncode == 1
    assert done.stderr == f"{scene}: view.CAMERA_FWD: (0, 0, 0) is no direction.\n"
