"""Rotation: by how many quarter turns a picture is turned upright, and the way back."""

from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from animator.core.drawing import Drawing
from animator.core.geometry import Box

__all__ = (
    "ROTATIONS",
    "Rotation",
    "rotate_box",
    "rotate_drawing",
    "rotate_image",
    "rotate_points",
    "undo",
)

Rotation = Literal[0, 90, 180, 270]
"""Degrees clockwise, as one sees the picture."""

ROTATIONS: tuple[Rotation, ...] = (0, 90, 180, 270)

_Scalar = TypeVar("_Scalar", np.uint8, np.bool_, np.float32)


def undo(rotation: Rotation) -> Rotation:
    """The rotation that turns back."""
    return ROTATIONS[-rotation // 90]


def rotate_drawing(drawing: Drawing, rotation: Rotation) -> Drawing:
    """The drawing turned clockwise; itself when there is nothing to turn."""
    if rotation == 0:
        return drawing
    return Drawing(id=drawing.id, image=rotate_image(drawing.image, rotation))


def rotate_image(image: NDArray[_Scalar], rotation: Rotation) -> NDArray[_Scalar]:
    """Turn an image or mask (h, w, ...) clockwise."""
    return np.ascontiguousarray(np.rot90(image, -rotation // 90))


def rotate_points(
    points: NDArray[np.float32], rotation: Rotation, size: tuple[float, float]
) -> NDArray[np.float32]:
    """Move points along as their picture is turned clockwise.

    points: (..., 2) float32 x, y, pixels of the picture before.
    size: width and height of the picture before, pixels.
    """
    x, y = points[..., 0], points[..., 1]
    width, height = size
    after = {
        0: (x, y),
        90: (height - y, x),
        180: (width - x, height - y),
        270: (y, width - x),
    }
    return np.stack(after[rotation], axis=-1).astype(np.float32)


def rotate_box(box: Box, rotation: Rotation, size: tuple[float, float]) -> Box:
    """Move a box along as its picture (width, height) is turned clockwise."""
    corners = np.array([(box.x1, box.y1), (box.x2, box.y2)], dtype=np.float32)
    after = rotate_points(corners, rotation, size)
    (x1, y1), (x2, y2) = after.min(axis=0).tolist(), after.max(axis=0).tolist()
    return Box(x1, y1, x2, y2)
