"""Rotation: by how many quarter turns a picture is turned upright, and the way back."""

from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from animator.core.drawing import Drawing
from animator.core.geometry import Box

__all__ = (
    "ROTATIONS",
    "Rotation",
    "rotate_box_back",
    "rotate_drawing",
    "rotate_image",
    "rotate_image_back",
    "rotate_points_back",
)

Rotation = Literal[0, 90, 180, 270]
"""Degrees clockwise, as one sees the picture."""

ROTATIONS: tuple[Rotation, ...] = (0, 90, 180, 270)

_Scalar = TypeVar("_Scalar", np.uint8, np.bool_)


def rotate_drawing(drawing: Drawing, rotation: Rotation) -> Drawing:
    """The drawing turned clockwise; itself when there is nothing to turn."""
    if rotation == 0:
        return drawing
    return Drawing(id=drawing.id, image=rotate_image(drawing.image, rotation))


def rotate_image(image: NDArray[_Scalar], rotation: Rotation) -> NDArray[_Scalar]:
    """Turn an image (h, w, ...) clockwise."""
    return np.ascontiguousarray(np.rot90(image, -rotation // 90))


def rotate_image_back(image: NDArray[_Scalar], rotation: Rotation) -> NDArray[_Scalar]:
    """Undo `rotate_image`."""
    return np.ascontiguousarray(np.rot90(image, rotation // 90))


def rotate_points_back(
    points: NDArray[np.float32], rotation: Rotation, size: tuple[float, float]
) -> NDArray[np.float32]:
    """Move points from a turned picture to where they were before.

    points: (..., 2) float32 x, y, pixels of the turned picture.
    size: width and height of the turned picture, pixels.
    """
    x, y = points[..., 0], points[..., 1]
    width, height = size
    before = {
        0: (x, y),
        90: (y, width - x),
        180: (width - x, height - y),
        270: (height - y, x),
    }
    return np.stack(before[rotation], axis=-1).astype(np.float32)


def rotate_box_back(box: Box, rotation: Rotation, size: tuple[float, float]) -> Box:
    """Move a box from a turned picture (width, height) to where it was before."""
    corners = np.array([(box.x1, box.y1), (box.x2, box.y2)], dtype=np.float32)
    before = rotate_points_back(corners, rotation, size)
    (x1, y1), (x2, y2) = before.min(axis=0).tolist(), before.max(axis=0).tolist()
    return Box(x1, y1, x2, y2)
