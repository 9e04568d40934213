"""Scenes of our own, in TOML."""

from pathlib import Path

import pytest

from animator.core.animation import FrameSize
from animator.core.errors import InvalidScene
from animator.core.motion import Playback
from animator.core.rigging import RigOptions
from animator.core.scene import Background
from animator.core.script import BvhClip, FrameShare, LibraryClip
from animator.ingest import read_scene
from tests.support_scenes import write_files


def scene(folder: Path, text: str) -> Path:
    write_files(folder)
    file = folder / "party.toml"
    file.write_text(text)
    return file


def test_least_scene_is_one_figure_that_dances_in_the_middle(tmp_path: Path) -> None:
    script = read_scene(scene(tmp_path, '[[figures]]\ndrawing = "bob"'))
    assert script.size == FrameSize(width=640, height=480)
    assert script.background == Background()
    assert script.output is None and script.camera is None and script.moves_camera
    (role,) = script.roles
    assert role.figure == tmp_path / "bob"
    assert role.clip == LibraryClip(name="dance")
    assert role.place == FrameShare(x=0.5, y=0.1, height=0.6)
    assert (role.start, role.repeats, role.rules) == (0.0, True, None)


def test_everything_can_be_said(tmp_path: Path) -> None:
    file = scene(
        tmp_path,
        """
        size = [320, 200]
        background = "bob/texture.png"
        fit = "contain"
        shadow = true
        overlays = ["bones"]
        keep_inside = false
        output = "party.webm"

        [[figures]]
        drawing = "bob/char_cfg.yaml"
        motion = "wave.bvh"

        [[figures]]
        drawing = "bob"
        motion = "motion.yaml"
        retarget = "retarget.yaml"
        place = [0.75, 0.2]
        height = 0.3
        start = 1.5
        repeat = false

        [[figures]]
        drawing = "bob"
        motion = "wave.bvh"
        map = "motion.yaml"
        speed = 2
        mirror = true
        loop = true
        skeleton = "wings"
        stiff = ["torso"]
        stretchy = ["neck"]
        """,
    )
    script = read_scene(file)
    assert script.size == FrameSize(width=320, height=200)
    assert script.background == Background(kind="picture", fit="contain", shadow=True)
    assert script.picture == tmp_path / "bob" / "texture.png"
    assert script.output == Path("party.webm")
    assert script.overlays == ("bones",)
    assert not script.moves_camera
    first, second, third = script.roles
    assert first.place == FrameShare(x=1 / 4, y=0.1, height=0.6)  # in a row
    assert isinstance(first.clip, BvhClip) and first.clip.file == tmp_path / "wave.bvh"
    assert second.place == FrameShare(x=0.75, y=0.2, height=0.3)
    assert second.rules is not None and second.rules.path_plane == "Legs"
    assert (second.start, second.repeats) == (1.5, False)
    assert third.map_file == tmp_path / "motion.yaml"
    assert third.rigging == RigOptions(stiff=("torso",), stretchy=("neck",), skeleton="wings")
    assert third.playback == Playback(speed=2.0, mirror=True, loop=True)


@pytest.mark.parametrize(
    ("colour", "background"),
    [
        ("#336699", Background(colour=(0x33, 0x66, 0x99))),
        ("black", Background(colour=(0, 0, 0))),
        ("transparent", Background(kind="transparent")),
    ],
)
def test_background_may_be_a_colour(colour: str, background: Background, tmp_path: Path) -> None:
    text = f'background = "{colour}"\n[[figures]]\ndrawing = "bob"'
    assert read_scene(scene(tmp_path, text)).background == background


def test_scene_in_the_documentation_is_read(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "animated-drawings.md").read_text()
    file = scene(tmp_path, page.partition("```toml\n")[2].partition("```")[0])
    for name in ("bob.jpg", "meadow.jpg", "walk.bvh", "walk-map.toml"):
        (tmp_path / name).write_text("")
    for name in ("pig", "char1"):
        (tmp_path / name).symlink_to(tmp_path / "bob")
    for kind, name in (("motion", "dab"), ("retarget", "fair1_ppf")):
        (tmp_path / "config" / kind).mkdir(parents=True)
        (tmp_path / f"{kind}.yaml").rename(tmp_path / "config" / kind / f"{name}.yaml")
    script = read_scene(file)
    assert len(script.roles) == 3
    assert [role.rules is None for role in script.roles] == [True, True, False]


FIGURE = '[[figures]]\ndrawing = "bob"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "figures: is missing"),
        ("figures = []", "figures: expected a list of length >= 1"),
        ("[[figures]]", "figures[0].drawing: is missing"),
        (f'{FIGURE}dance = "wave"', "figures[0].dance: there is no such field"),
        (f"{FIGURE}start = -1", "figures[0].start: expected a number >= 0"),
        (f"{FIGURE}height = 0", "figures[0].height: expected a number > 0"),
        (f"{FIGURE}place = [inf, 0]", "figures[0].place[0]: expected a number <= "),
        (f'{FIGURE}motion = "no.bvh"', "figures[0].motion: there is no file 'no.bvh'"),
        (f'{FIGURE}skeleton = "worm"', "figures[0].skeleton: skeleton must be one of biped, "),
        (f"{FIGURE}speed = 9", "figures[0].speed: expected a number <= 4"),
        (f'{FIGURE}map = "x.toml"', "figures[0].map: it goes with a motion of the kind .bvh only"),
        (f'{FIGURE}retarget = "retarget.yaml"', "figures[0].retarget: it goes with a motion file"),
        (f"size = [640, 481]\n{FIGURE}", "size[1]: expected a whole number that's a multiple of 2"),
        (f'fit = "crop"\n{FIGURE}', "fit: there is no choice 'crop'"),
        (f'background = "#12"\n{FIGURE}', "background: '#12' is no colour"),
        (f'background = "sea.jpg"\n{FIGURE}', "background: there is no file 'sea.jpg'"),
        (f'overlays = ["nose"]\n{FIGURE}', "overlays[0]: there is no choice 'nose'"),
    ],
)
def test_bad_field_is_named(text: str, said: str, tmp_path: Path) -> None:
    file = scene(tmp_path, text)
    with pytest.raises(InvalidScene) as caught:
        read_scene(file)
    assert caught.value.message.startswith(f"{file}: {said}")
