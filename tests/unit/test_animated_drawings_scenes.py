"""The example scenes of AnimatedDrawings, as they are, beside what that project draws of them.

Numbers: run there at commit 74ee7f0 with its own files: outline of the first frame of 500 x 500.
"""

from pathlib import Path

import msgspec
import numpy as np
import pytest
from PIL import Image

from animator.cli.casting import cast_role
from animator.cli.rendering import Wishes, render_scene
from animator.core.script import BvhClip, Role, Script
from animator.core.stage import Stage
from animator.ingest import read_scene
from animator.render import rasterize
from animator.staging import stage_script
from tests.support_predictor import DarkPredictor

SCENES = {
    "different_bvh_skeleton_example": (165, 77, 371),
    "export_gif_example": (80, 75, 371),
    "export_mp4_example": (29, 205, 304),
    "four_legs_example": (28, 195, 373),
    "interactive_window_example": (118, 68, 381),
    "multiple_characters_example": (23, 132, 355),
    "rokoko_motion_example": (171, 75, 370),
    "six_arms_example": (92, 54, 403),
}
"""Scene: its leftmost, uppermost and lowest pixel there."""

NEAR = 8
"""Pixels: their figures have a rim of paper, and turn their arms along with the trunk."""


@pytest.fixture
def examples(shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Their scenes, with `examples/` beside the working directory as in their repository."""
    (tmp_path / "examples").symlink_to(shared_data / "animated-drawings")
    monkeypatch.chdir(tmp_path)
    return Path("examples/config/mvc")


def shorter(role: Role, frames: int, start: int) -> Role:
    assert isinstance(role.clip, BvhClip)
    start += role.clip.start
    clip = msgspec.structs.replace(role.clip, start=start, end=start + frames)
    return msgspec.structs.replace(role, clip=clip)


def stage_of(script: Script, frames: int, start: int = 0) -> Stage:
    roles = tuple(shorter(role, frames, start) for role in script.roles)
    cast = [cast_role(role, DarkPredictor()) for role in roles]
    return stage_script(msgspec.structs.replace(script, roles=roles), cast, None)


@pytest.mark.parametrize("name", SCENES)
def test_first_frame_is_where_theirs_is(name: str, examples: Path) -> None:
    script = read_scene(examples / f"{name}.yaml")
    assert script.notes == ()
    stage = stage_of(msgspec.structs.replace(script, moves_camera=False), 2)
    first, _ = rasterize(stage)
    rows, columns = np.nonzero(first[..., 3] > 127)
    outline = (columns.min(), rows.min(), rows.max())
    np.testing.assert_allclose(outline, SCENES[name], atol=NEAR)


@pytest.mark.slow
def test_walk_out_of_their_picture_stays_in_ours(examples: Path) -> None:
    # Their zombie leaves to the right, and the last frames are empty.
    script = read_scene(examples / "four_legs_example.yaml")
    stage = stage_of(script, 779)
    for frame in rasterize(stage, [0, 390, 778]):
        filled = np.flatnonzero((frame[..., 3] > 0).any(axis=0))
        assert filled[0] > 0 and filled[-1] < 499
        assert (frame[..., 3] > 127).sum() > 2000


def test_two_figures_are_drawn_in_their_order(examples: Path) -> None:
    stage = stage_of(read_scene(examples / "multiple_characters_example.yaml"), 1)
    boy, girl = stage.scene.placements
    assert boy.x > 0.5 > girl.x
    assert len(stage.moved[0].rig.skeleton.joints) == 16


def test_six_arms_and_four_legs_move(examples: Path) -> None:
    for name, bones in (("six_arms", "hand"), ("four_legs", "foot")):
        stage = stage_of(read_scene(examples / f"{name}_example.yaml"), 30, 60)
        (one,) = stage.moved
        ends = [i for i, j in enumerate(one.rig.skeleton.joints) if bones in j.name]
        assert len(ends) == (6 if name == "six_arms" else 4)
        away = one.joints[:, ends] - one.joints[:, :1]  # seen from the root
        assert (np.ptp(away, axis=0).max(axis=1) > 0.01).all()


def test_background_example_is_drawn_before_its_picture(examples: Path) -> None:
    text = (examples / "background_example.yaml").read_text()
    # The picture itself is not among the files here; the photograph of the drawing is.
    Path("scene.yaml").write_text(text.replace("background.png", "original_img.png"))
    render_scene(Path("scene.yaml"), Wishes(output=Path("still.png")), DarkPredictor())
    with Image.open("still.png") as still:
        assert still.size == (300, 400)
        assert still.convert("RGBA").getchannel("A").getextrema() == (255, 255)
        assert np.asarray(still.convert("L")).std() > 20
