"""`animator animate`: a drawing in, a moving picture out, where it was asked for."""

import io
import sys
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
import yaml
from PIL import Image

from animator.cli import drawings
from animator.core.animation import AnimationFormat
from tests.support_bad_images import TEXT, blank_page, encode

Animator = Callable[..., int]


class NoModels:
    """Models that must not be asked."""

    def infer(self, model: str, inputs: Mapping[str, object]) -> Mapping[str, object]:
        msg = f"{model} was asked"
        raise AssertionError(msg)


def test_gif_is_written_where_it_was_asked_for(
    animator: Animator, stick_png: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "new" / "wave.gif"
    assert animator("animate", stick_png, "--motion", "wave", "--side", 96, "-o", target) == 0
    with Image.open(target) as film:
        assert film.format == "GIF"
        assert max(film.size) == 96
        assert film.convert("RGB").getpixel((0, 0)) == (255, 255, 255)
    assert f"{target}: " in capsys.readouterr().err
    assert [path.name for path in target.parent.iterdir()] == ["wave.gif"]


@pytest.mark.parametrize("form", list(AnimationFormat))
def test_every_format_can_be_asked_for_by_its_suffix(
    form: AnimationFormat, animator: Animator, stick_png: Path, tmp_path: Path
) -> None:
    target = tmp_path / "out" / f"wave.{form.suffix}"
    assert animator("animate", stick_png, "--motion", "wave", "--side", 64, "-o", target) == 0
    assert [path.name for path in target.parent.iterdir()] == [target.name]
    # what lies behind is plain white here
    assert target.stat().st_size > (50 if form is AnimationFormat.BACKDROP else 500)


def test_still_shows_the_frame_asked_for(
    animator: Animator, stick_png: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("animate", stick_png, "--motion", "wave", "--side", 64)
    for frame in (0, 20):
        assert animator(*words, "--frame", frame, "-o", tmp_path / f"{frame}.png") == 0
    assert animator(*words, "-o", tmp_path / "all.frames.zip") == 0
    with zipfile.ZipFile(tmp_path / "all.frames.zip") as frames:
        for frame in (0, 20):
            still = np.array(Image.open(tmp_path / f"{frame}.png"))
            expected = np.array(Image.open(io.BytesIO(frames.read(f"{frame:05}.png"))))
            np.testing.assert_array_equal(still, expected)
    assert animator(*words, "--frame", 9999, "-o", tmp_path / "no.png") == 1
    assert "There is no frame 9999" in capsys.readouterr().err
    assert not (tmp_path / "no.png").exists()


def test_drawing_comes_alive_on_its_own_paper(
    animator: Animator, stick_png: Path, tmp_path: Path
) -> None:
    words = ("animate", stick_png, "--motion", "wave", "--side", 300, "--frame", 12)
    assert animator(*words, "--background", "paper", "-o", tmp_path / "a.png") == 0
    with Image.open(stick_png) as drawing, Image.open(tmp_path / "a.png") as still:
        before, after = (np.array(p.convert("RGB").resize((200, 300))) for p in (drawing, still))
        assert still.size[0] < still.size[1] == 300
    # the page is in its place; what was drawn has moved, and left nothing where it was
    corner = np.s_[:20, :40]
    np.testing.assert_allclose(after[corner].astype(int), before[corner], atol=12)
    ink = (before < 128).all(axis=2).sum()
    assert 0.4 * ink < (after < 128).all(axis=2).sum() < 1.6 * ink


def test_picture_lies_behind_and_a_shadow_on_it(
    animator: Animator, stick_png: Path, tmp_path: Path
) -> None:
    sky = tmp_path / "sky.png"
    Image.new("RGB", (40, 30), (90, 160, 230)).save(sky)
    words = ("animate", stick_png, "--motion", "wave", "--side", 128, "--background", sky)
    for name, more in (("plain", ()), ("dark", ("--shadow",))):
        assert animator(*words, *more, "--fit", "stretch", "-o", tmp_path / f"{name}.png") == 0
    plain, dark = (
        np.array(Image.open(tmp_path / f"{n}.png")).astype(int) for n in ("plain", "dark")
    )
    assert plain[0, 0].tolist() == [90, 160, 230, 255]
    taken = (plain - dark)[..., 2]
    assert taken[:64].max() == 0 and taken[64:].max() > 40


def test_overlays_show_how_figures_are_moved(
    animator: Animator, stick_png: Path, tmp_path: Path
) -> None:
    words = ("animate", stick_png, "--motion", "wave", "--side", 128)
    for name, more in (("plain", ()), ("bones", ("--overlays", "bones,mesh"))):
        assert animator(*words, *more, "-o", tmp_path / f"{name}.png") == 0
    plain, bones = (
        np.array(Image.open(tmp_path / f"{n}.png")).astype(int) for n in ("plain", "bones")
    )
    blue = (bones[..., 2] - bones[..., 0]).max()
    assert blue > 120 > (plain[..., 2] - plain[..., 0]).max()


def test_gif_is_as_small_as_was_asked_for(
    animator: Animator, stick_png: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "a.gif"
    words = ("animate", stick_png, "--motion", "wave", "--side", 128, "-o", target)
    assert animator(*words, "--max-bytes", "10k") == 0
    assert target.stat().st_size <= 10_000
    assert "to fit, it has only" in capsys.readouterr().err


def test_character_goes_out_and_comes_in_again_and_no_model_is_asked(
    animator: Animator, stick_png: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (tmp_path / name / "bob.character.zip" for name in "ab")
    assert animator("animate", stick_png, "-o", first) == 0
    monkeypatch.setattr(drawings, "LocalModels", NoModels)
    assert animator("animate", first, "-o", second) == 0
    with zipfile.ZipFile(first) as packed, zipfile.ZipFile(second) as again:
        for name in ("mask.png", "texture.png"):
            assert again.read(name) == packed.read(name)
        before, after = (yaml.safe_load(z.read("char_cfg.yaml")) for z in (packed, again))
        packed.extractall(tmp_path / "bob")
    for one, other in zip(before["skeleton"], after["skeleton"], strict=True):
        assert (one["name"], one["parent"]) == (other["name"], other["parent"])
        np.testing.assert_allclose(one["loc"], other["loc"], atol=1)  # whole pixels, in the mask
    words = ("--motion", "wave", "--side", 64, "-o", tmp_path)
    assert animator("animate", tmp_path / "bob", *words) == 0
    assert animator("animate", first, *words, "--format", "webp") == 0
    assert (tmp_path / "bob-wave.gif").is_file()
    assert (tmp_path / "bob-wave.webp").is_file()


def test_default_is_a_dance_beside_the_caller(
    animator: Animator, stick_png: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert animator("animate", stick_png, "--side", 64) == 0
    assert (tmp_path / "stick-dance.gif").is_file()


def test_several_drawings_go_into_a_folder_and_a_bad_one_does_not_stop_the_rest(
    animator: Animator, stick_png: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad, blank = tmp_path / "bad.png", tmp_path / "blank.png"
    bad.write_bytes(TEXT)
    blank.write_bytes(encode(blank_page(), "PNG"))
    out = tmp_path / "films"
    words = ("--motion", "jump", "--side", 64, "--format", "mp4", "-o", out)
    assert animator("animate", bad, blank, stick_png, *words) == 1
    assert [path.name for path in out.iterdir()] == ["stick-jump.mp4"]
    err = capsys.readouterr().err
    assert f"{bad}: " in err
    assert f"{blank}: No figure was found" in err


@pytest.mark.parametrize(
    ("colour", "expected"),
    [("transparent", 0), ("black", (0, 0, 0)), ("#2040c0", (32, 64, 192))],
)
def test_background_is_what_was_asked_for(
    colour: str, expected: object, animator: Animator, stick_png: Path, tmp_path: Path
) -> None:
    target = tmp_path / "film.gif"
    words = ("--motion", "jump", "--side", 64, "--background", colour, "-o", target)
    assert animator("animate", stick_png, *words) == 0
    with Image.open(target) as film:
        pixels = np.array(film.convert("RGBA"))
    corner = pixels[0, 0]
    if expected == 0:
        assert corner[3] == 0
    else:
        assert np.abs(corner[:3].astype(int) - np.array(expected)).max() <= 8


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("-o", "film.avi"),
            "cannot write .avi; end the output's name in one of .gif, .mp4, .webm",
        ),
        (("-o", "film.gif", "--format", "mp4"), "ends in .gif, but --format says mp4"),
        (("-o", "film.mp4", "--background", "transparent"), "MP4 has no transparency"),
        (("-o", "film.mp4", "--max-bytes", "2M"), "works for GIF only"),
        (("other.png", "-o", "film.gif"), "2 drawings cannot go into one file"),
    ],
    ids=["suffix", "format", "transparency", "limit on a film", "several"],
)
def test_options_that_do_not_fit_are_wrong_use(
    words: tuple[str, ...],
    sentence: str,
    animator: Animator,
    stick_png: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert animator("animate", stick_png, *words) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ("--side", "63"),
        ("--side", "65"),
        ("--side", "x"),
        ("--side", "2000"),
        ("--background", "blu"),
        ("--fit", "middle"),
        ("--overlays", "bones,skin"),
        ("--max-bytes", "9k"),
        ("--max-bytes", "much"),
        ("--background", "#12345"),
        ("--format", "avi"),
        ("--frame", "-1"),
        ("--frame", "one"),
    ],
    ids=" ".join,
)
def test_values_out_of_range_are_wrong_use(
    words: tuple[str, ...], animator: Animator, stick_png: Path
) -> None:
    with pytest.raises(SystemExit) as ended:
        animator("animate", stick_png, *words)
    assert ended.value.code == 2


def test_unknown_motion_names_the_known_ones(
    animator: Animator, stick_png: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert animator("animate", stick_png, "--motion", "levitate") == 1
    err = capsys.readouterr().err
    assert "levitate" in err
    assert "wave" in err


def test_place_that_cannot_be_written_is_said_plainly(
    animator: Animator, stick_png: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("not a folder")
    target = tmp_path / "file" / "film.gif"
    assert animator("animate", stick_png, "--side", 64, "-o", target) == 1
    assert "cannot be written" in capsys.readouterr().err


def test_progress_is_shown_on_a_terminal_and_taken_away(
    animator: Animator, stick_png: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    words = ("--motion", "jump", "--side", 64, "-o", tmp_path / "film.gif")
    assert animator("animate", stick_png, *words) == 0
    shown = terminal.getvalue()
    steps = ("reading", "detecting", "outlining", "rigging", "moving", "drawing")
    places = [shown.index(f"stick.png: {step}") for step in steps]
    assert places == sorted(places)
    assert "\r\x1b[K" + str(tmp_path) in shown


def test_template_and_stiff_bones_can_be_asked_for(
    animator: Animator, stick_png: Path, tmp_path: Path
) -> None:
    words = ("animate", stick_png, "--motion", "wave", "--side", 64, "--frame", 12)
    stills = []
    for number, more in enumerate(((), ("--skeleton", "wings", "--stiff", "torso,neck"))):
        target = tmp_path / f"{number}.png"
        assert animator(*words, *more, "-o", target) == 0
        stills.append(target.read_bytes())
    assert stills[0] != stills[1]


def test_stiff_bone_that_the_figure_lacks_is_named(
    animator: Animator, stick_png: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "stick.gif"
    assert animator("animate", stick_png, "--stiff", "tail", "-o", target) == 1
    assert "no joint 'tail'" in capsys.readouterr().err
    assert not target.exists()


@pytest.mark.parametrize("text", ["", "torso,,neck", ",".join(["x"] * 65)])
def test_list_of_bones_that_is_none_is_refused(
    text: str, animator: Animator, stick_png: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        animator("animate", stick_png, "--stiff", text)
    assert "is no list of joints" in capsys.readouterr().err


def test_figure_that_is_not_there_is_told(
    animator: Animator, stick_png: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "wave.png"
    words = ("animate", stick_png, "--figure", "1=jump", "--figure", "5=walk", "-o", target)
    assert animator(*words) == 0
    told = capsys.readouterr().err
    assert "stick.png: there is no figure 5, only one\n" in told
    assert "frames a second" not in told  # of a picture


def test_joints_beside_the_figure_are_named(
    animator: Animator, stick_png: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "wave.png"
    words = ("animate", stick_png, "--motion", "wave", "--skeleton", "wings", "-o", target)
    assert animator(*words) == 0
    assert "stick.png: moved onto the figure: " in capsys.readouterr().err
