"""Quarter turns: by hand, and back again exactly."""

import numpy as np
import pytest

from animator.core.drawing import Drawing
from animator.core.geometry import Box
from animator.core.rotation import (
    ROTATIONS,
    Rotation,
    rotate_box,
    rotate_drawing,
    rotate_image,
    rotate_points,
    undo,
)

PICTURE = np.array([[1, 2, 3], [4, 5, 6]], dtype=np.uint8)
TURNED: dict[Rotation, list[list[int]]] = {
    0: [[1, 2, 3], [4, 5, 6]],
    90: [[4, 1], [5, 2], [6, 3]],
    180: [[6, 5, 4], [3, 2, 1]],
    270: [[3, 6], [2, 5], [1, 4]],
}

every_turn = pytest.mark.parametrize("rotation", ROTATIONS)


@every_turn
def test_picture_is_turned_clockwise(rotation: Rotation) -> None:
    assert rotate_image(PICTURE, rotation).tolist() == TURNED[rotation]


@every_turn
def test_mask_comes_back_exactly(rotation: Rotation) -> None:
    mask = PICTURE % 2 == 1
    back = rotate_image(rotate_image(mask, rotation), undo(rotation))
    assert back.tolist() == mask.tolist()
    assert back.flags.c_contiguous


@every_turn
def test_centre_of_each_pixel_goes_with_its_pixel_and_comes_back(rotation: Rotation) -> None:
    turned = rotate_image(PICTURE, rotation)
    rows, columns = np.mgrid[:2, :3]
    centres = np.stack((columns, rows), axis=-1).astype(np.float32) + np.float32(0.5)
    points = rotate_points(centres, rotation, (3, 2))
    assert points.dtype == np.float32
    assert (points % 1 == 0.5).all()
    x, y = np.floor(points[..., 0]).astype(int), np.floor(points[..., 1]).astype(int)
    assert turned[y, x].tolist() == PICTURE.tolist()
    height, width = turned.shape
    assert rotate_points(points, undo(rotation), (width, height)).tolist() == centres.tolist()


@pytest.mark.parametrize(
    ("rotation", "after"),
    [
        (0, Box(1, 2, 5, 9)),
        (90, Box(11, 1, 18, 5)),
        (180, Box(25, 11, 29, 18)),
        (270, Box(2, 25, 9, 29)),
    ],
)
def test_box_keeps_its_edges(rotation: Rotation, after: Box) -> None:
    assert rotate_box(Box(1, 2, 5, 9), rotation, (30, 20)) == after


def test_turning_back_completes_the_circle() -> None:
    assert [undo(rotation) for rotation in ROTATIONS] == [0, 270, 180, 90]


def test_drawing_keeps_its_name_and_swaps_its_sides() -> None:
    drawing = Drawing(id="d", image=np.zeros((2, 3, 3), np.uint8))
    turned = rotate_drawing(drawing, 90)
    assert (turned.id, turned.width, turned.height) == ("d", 2, 3)
    assert rotate_drawing(drawing, 0) is drawing
