"""Quarter turns: by hand, and back again exactly."""

import numpy as np
import pytest

from animator.core.drawing import Drawing
from animator.core.geometry import Box
from animator.core.rotation import (
    ROTATIONS,
    Rotation,
    rotate_box_back,
    rotate_drawing,
    rotate_image,
    rotate_image_back,
    rotate_points_back,
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
    back = rotate_image_back(rotate_image(mask, rotation), rotation)
    assert back.tolist() == mask.tolist()
    assert back.flags.c_contiguous


@every_turn
def test_centre_of_each_pixel_comes_back_to_its_pixel(rotation: Rotation) -> None:
    turned = rotate_image(PICTURE, rotation)
    height, width = turned.shape
    rows, columns = np.mgrid[:height, :width]
    centres = np.stack((columns, rows), axis=-1).astype(np.float32) + np.float32(0.5)
    back = rotate_points_back(centres, rotation, (width, height))
    assert back.dtype == np.float32
    assert (back % 1 == 0.5).all()
    x, y = np.floor(back[..., 0]).astype(int), np.floor(back[..., 1]).astype(int)
    assert PICTURE[y, x].tolist() == turned.tolist()


@pytest.mark.parametrize(
    ("rotation", "size", "before"),
    [
        (0, (30, 20), Box(1, 2, 5, 9)),
        (90, (20, 30), Box(2, 15, 9, 19)),
        (180, (30, 20), Box(25, 11, 29, 18)),
        (270, (20, 30), Box(21, 1, 28, 5)),
    ],
)
def test_box_comes_back_to_its_edges(
    rotation: Rotation, size: tuple[int, int], before: Box
) -> None:
    assert rotate_box_back(Box(1, 2, 5, 9), rotation, size) == before


def test_drawing_keeps_its_name_and_swaps_its_sides() -> None:
    drawing = Drawing(id="d", image=np.zeros((2, 3, 3), np.uint8))
    turned = rotate_drawing(drawing, 90)
    assert (turned.id, turned.width, turned.height) == ("d", 2, 3)
    assert rotate_drawing(drawing, 0) is drawing
