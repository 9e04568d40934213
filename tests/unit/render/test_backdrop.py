from io import BytesIO

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from animator.core.animation import FrameSize
from animator.core.scene import Background, Fit, Placement, Scene
from animator.core.spaces import WorldToFrame
from animator.core.stage import Stage
from animator.render import rasterize
from animator.render.backdrop import backdrop_of, lay_backdrop
from tests.unit.render.conftest import (
    CORNERS,
    make_moved,
    make_rig,
    make_scene,
    make_texture,
    make_track,
)

RED, GREEN, BLUE = (255, 0, 0), (0, 255, 0), (0, 0, 255)


def scene_of(
    background: Background, width: int, height: int, camera: tuple[float, float, float] = (1, 0, 0)
) -> Scene:
    """Camera: scale and origin; a world unit is ten pixels of the drawing."""
    scale, x, y = camera
    return Scene(
        size=FrameSize(width=width, height=height),
        fps=10.0,
        frame_count=1,
        camera=WorldToFrame(scale=scale, origin_x=x, origin_y=y),
        background=background,
        placements=(),
        drawing_unit=10.0,
    )


def stripes() -> NDArray[np.uint8]:
    """Red, green and blue, ten pixels wide each, 30 x 20."""
    return np.repeat(np.array([[RED, GREEN, BLUE]], np.uint8).repeat(20, axis=0), 10, axis=1)


def test_transparent_is_nothing() -> None:
    assert not lay_backdrop(scene_of(Background(kind="transparent"), 32, 16), None).any()


def test_colour_fills_the_frame() -> None:
    found = lay_backdrop(scene_of(Background(colour=(1, 2, 3)), 32, 16), None)
    assert found.shape == (16, 32, 4)
    assert (found == (1, 2, 3, 255)).all()


@pytest.mark.parametrize(
    ("fit", "row"),
    [
        # a frame of 40 x 40: twice as large and cut to the middle; as wide and in the middle; bent
        ("cover", [RED] * 10 + [GREEN] * 20 + [BLUE] * 10),
        ("contain", [RED] * 13 + [GREEN] * 14 + [BLUE] * 13),
        ("stretch", [RED] * 13 + [GREEN] * 14 + [BLUE] * 13),
    ],
)
def test_picture_fills_the_frame_as_it_is_told(fit: Fit, row: list[tuple[int, int, int]]) -> None:
    background = Background(kind="picture", colour=(9, 9, 9), fit=fit)
    found = lay_backdrop(scene_of(background, 40, 40), stripes())
    pure = [i for i, (a, b) in enumerate(zip(row[:-4], row[4:], strict=True)) if a == b]
    for i in pure:
        np.testing.assert_allclose(found[20, i + 2, :3], row[i + 2], atol=24)
    filled = (found[..., :3] != 9).any(axis=2).all(axis=1)
    # 30 x 20 in 40 x 40 is 27 rows high, with 6 above
    assert np.flatnonzero(filled).tolist() == list(range(6, 33) if fit == "contain" else range(40))
    assert (found[..., 3] == 255).all()


def test_paper_lies_where_the_drawing_is() -> None:
    paper = stripes()
    # ten pixels of a frame a unit, as in the drawing, whose corner is at (4, 6)
    found = lay_backdrop(scene_of(Background(kind="paper"), 36, 28, (10.0, 4.0, 6.0)), paper)
    np.testing.assert_array_equal(found[6:26, 4:34, :3], paper)


def test_paper_is_as_small_as_the_drawing_in_the_frame() -> None:
    found = lay_backdrop(scene_of(Background(kind="paper"), 16, 16, (5.0, 0.5, 0.0)), stripes())
    # half as large, and half a pixel to the right: edges are mixed
    assert found[4, 2:5, :3].tolist() == [list(RED)] * 3
    assert found[4, 7:10, :3].tolist() == [list(GREEN)] * 3
    np.testing.assert_allclose(found[4, 5, :3], (128, 128, 0), atol=1)


def test_paper_goes_on_beyond_its_edge() -> None:
    found = lay_backdrop(scene_of(Background(kind="paper"), 50, 20, (10.0, 10.0, 0.0)), stripes())
    assert found[5, [2, 48], :3].tolist() == [list(RED), list(BLUE)]


def test_backdrop_is_a_frame_without_its_figures() -> None:
    figure = make_moved(make_rig(make_texture((200, 30, 60))), make_track(CORNERS[None]))
    stage = Stage(make_scene(Background(colour=(40, 90, 160)), Placement()), (figure,))
    with Image.open(BytesIO(backdrop_of(stage))) as picture:
        shown = np.array(picture.convert("RGBA")).astype(int)
    (frame,) = rasterize(stage, [0])
    assert shown.shape == frame.shape
    np.testing.assert_allclose(shown[0, 0], (40, 90, 160, 255), atol=3)
    assert np.ptp(shown, axis=(0, 1)).max() <= 3
    assert np.ptp(frame[..., :3].astype(int), axis=(0, 1)).max() > 50
