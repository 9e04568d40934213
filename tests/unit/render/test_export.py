from dataclasses import replace
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import msgspec
import numpy as np
import pytest
import yaml
from PIL import Image

from animator.core.animation import Animation, AnimationFormat
from animator.core.errors import EncodingFailed
from animator.core.mask import Mask
from animator.core.moved_figure import MovedFigure
from animator.core.scene import Background, Placement
from animator.core.stage import Stage
from animator.render.export import export
from animator.render.joints import JointDocument
from tests.unit.render.conftest import (
    CORNERS,
    SIDE,
    make_moved,
    make_rig,
    make_scene,
    make_texture,
    make_track,
)

JOINTS, CHARACTER = AnimationFormat.JOINTS, AnimationFormat.CHARACTER


def make_square() -> MovedFigure:
    """The flat square, cut out at (10, 20), then moved half its size to the right."""
    track = make_track(np.stack([CORNERS, CORNERS + np.array([0.5, 0.0], np.float32)]))
    mask = np.zeros((SIDE, SIDE), bool)
    mask[2:14, 1:15] = True
    return replace(make_moved(make_rig(make_texture((200, 30, 60))), track), mask=Mask(mask))


def test_joints_are_told_in_the_drawing_and_in_the_frames(tmp_path: Path) -> None:
    scene = make_scene(Background(), Placement(x=1.0, y=-1.0, scale=2.0), side=64, frames=2)
    (animation,) = export(Stage(scene, (make_square(),)), {JOINTS: tmp_path / "a.joints.json"})
    data = (tmp_path / "a.joints.json").read_bytes()
    facts = {"width": 64, "height": 64, "fps": 10.0, "frame_count": 2, "bytes": len(data)}
    assert animation == Animation(
        blob="a.joints.json",
        format=JOINTS,
        **facts,  # type: ignore[arg-type]
    )
    found = msgspec.json.decode(data, type=JointDocument)
    assert (found.fps, found.width, found.height) == (10.0, 64, 64)
    (figure,) = found.figures
    assert figure.joints == ("root", "one", "two")
    assert figure.parents == (-1, 0, 0)
    assert figure.drawing == [
        [(10.0, 20.0), (10.0, 36.0), (26.0, 20.0)],
        [(18.0, 20.0), (18.0, 36.0), (34.0, 20.0)],
    ]
    assert figure.output == [
        [(24.0, 24.0), (24.0, 56.0), (56.0, 24.0)],
        [(40.0, 24.0), (40.0, 56.0), (72.0, 24.0)],
    ]


def test_character_has_the_three_files_of_animated_drawings(tmp_path: Path) -> None:
    export(
        Stage(make_scene(Background(), frames=2), (make_square(),)), {CHARACTER: tmp_path / "a.zip"}
    )
    with ZipFile(tmp_path / "a.zip") as folder:
        assert folder.namelist() == ["char_cfg.yaml", "mask.png", "texture.png"]
        config = yaml.safe_load(folder.read("char_cfg.yaml"))
        mask = np.array(Image.open(BytesIO(folder.read("mask.png"))))
        texture = np.array(Image.open(BytesIO(folder.read("texture.png"))))
    assert config == {
        "height": 16,
        "width": 16,
        "skeleton": [
            {"loc": [0, 0], "name": "root", "parent": None},
            {"loc": [0, 15], "name": "one", "parent": "root"},  # 16 would be outside
            {"loc": [15, 0], "name": "two", "parent": "root"},
        ],
    }
    np.testing.assert_array_equal(mask, np.where(make_square().mask.data, 255, 0))
    np.testing.assert_array_equal(texture, make_texture((200, 30, 60)))


def test_several_characters_have_a_folder_each(tmp_path: Path) -> None:
    scene = make_scene(Background(), Placement(), Placement())
    export(Stage(scene, (make_square(), make_square())), {CHARACTER: tmp_path / "a.zip"})
    with ZipFile(tmp_path / "a.zip") as folder:
        assert [name for name in folder.namelist() if name.endswith("yaml")] == [
            "figure-1/char_cfg.yaml",
            "figure-2/char_cfg.yaml",
        ]


def test_missing_folder_is_a_failure(tmp_path: Path) -> None:
    with pytest.raises(EncodingFailed, match="could not be written"):
        export(
            Stage(make_scene(Background(), frames=2), (make_square(),)),
            {JOINTS: tmp_path / "no" / "a"},
        )


def test_joints_of_another_length_are_refused() -> None:
    moved = make_square()
    with pytest.raises(ValueError, match=r"expected joints \(2, 3, 2\)"):
        MovedFigure(moved.figure, moved.mask, moved.rig, moved.joints[:1], moved.track)
