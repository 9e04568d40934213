"""Truth and prediction drawn over a picture, for looking at failures."""

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from animator.core.geometry import Box
from models.training.scoring import FoundFigure, Point, TrueFigure

__all__ = ("draw_figures", "draw_masks")

_SIDE = 640
_TRUE = (0, 170, 0)
_FOUND = (230, 40, 40)
_TINTS = np.array([(255, 255, 255), _FOUND, (40, 90, 255), _TRUE], np.uint8)
_BONES = (
    ("root", "torso"),
    ("torso", "neck"),
    ("torso", "left_shoulder"),
    ("left_shoulder", "left_elbow"),
    ("left_elbow", "left_hand"),
    ("torso", "right_shoulder"),
    ("right_shoulder", "right_elbow"),
    ("right_elbow", "right_hand"),
    ("root", "left_hip"),
    ("left_hip", "left_knee"),
    ("left_knee", "left_foot"),
    ("root", "right_hip"),
    ("right_hip", "right_knee"),
    ("right_knee", "right_foot"),
)


def draw_figures(
    image: NDArray[np.uint8], truth: Sequence[TrueFigure], found: Sequence[FoundFigure]
) -> NDArray[np.uint8]:
    """A copy of the picture, longer side 640 pixels: the truth green, what was found red."""
    canvas, scale = _scale(image)
    for figure in truth:
        _draw(canvas, figure.box, figure.joints, (scale, _TRUE))
    for other in found:
        _draw(canvas, other.box, other.joints, (scale, _FOUND))
        corner = (round(other.box.x1 * scale) + 3, round(other.box.y1 * scale) + 14)
        cv2.putText(canvas, f"{other.score:.2f}", corner, cv2.FONT_HERSHEY_SIMPLEX, 0.5, _FOUND)
    return canvas


def draw_masks(
    image: NDArray[np.uint8], found: NDArray[np.bool_], true: NDArray[np.bool_]
) -> NDArray[np.uint8]:
    """A copy of the picture, longer side 640 pixels: right green, missing red, too much blue.

    found, true: (H, W) bool, of the picture's own size.
    """
    canvas, _ = _scale(image)
    tint = _TINTS[true + 2 * found.astype(np.uint8)]
    size = (canvas.shape[1], canvas.shape[0])
    small = cv2.resize(tint, size, interpolation=cv2.INTER_NEAREST)
    return np.asarray(cv2.addWeighted(canvas, 0.55, small, 0.45, 0), dtype=np.uint8)


def _scale(image: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], float]:
    """A copy whose longer side has 640 pixels, and by what it was scaled."""
    scale = _SIDE / max(image.shape[:2])
    size = (max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale)))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8), scale


def _draw(
    canvas: NDArray[np.uint8],
    box: Box,
    joints: Mapping[str, Point],
    pen: tuple[float, tuple[int, int, int]],
) -> None:
    scale, colour = pen
    low, high = (box.x1, box.y1), (box.x2, box.y2)
    cv2.rectangle(canvas, _place(low, scale), _place(high, scale), colour, 1)
    for a, b in _BONES:
        if a in joints and b in joints:
            cv2.line(canvas, _place(joints[a], scale), _place(joints[b], scale), colour, 2)
    for name, point in joints.items():
        side = (40, 90, 255) if name.startswith("right") else colour
        cv2.circle(canvas, _place(point, scale), 4, side, -1)


def _place(point: Point, scale: float) -> tuple[int, int]:
    return round(point[0] * scale), round(point[1] * scale)
