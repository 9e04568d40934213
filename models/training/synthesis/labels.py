"""Labels: what is known exactly about a synthetic picture."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ("COCO_KEYPOINTS", "LabelledFigure", "Sample")

COCO_KEYPOINTS = (
    "nose",
    "left_eye",
    "right_eye",
    "left_ear",
    "right_ear",
    "left_shoulder",
    "right_shoulder",
    "left_elbow",
    "right_elbow",
    "left_wrist",
    "right_wrist",
    "left_hip",
    "right_hip",
    "left_knee",
    "right_knee",
    "left_ankle",
    "right_ankle",
)
"""The 17 keypoints in the order of COCO; left and right are the character's own."""


@dataclass(frozen=True, slots=True, eq=False)
class LabelledFigure:
    """One figure of a picture.

    Attributes:
        box: (4,) float32 xyxy, pixels, tight around the mask.
        mask: (H, W) bool, the figure's silhouette: outlined parts filled, strokes with their width.
        keypoints: (17, 3) float32 x, y in pixels and v: 2 seen, 1 hidden or implied, 0 absent.
    """

    box: NDArray[np.float32]
    mask: NDArray[np.bool_]
    keypoints: NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A synthetic picture with everything in it that counts.

    Attributes:
        image: (H, W, 3) uint8 RGB.
        figures: every human-like figure; empty for a page without one.
        tags: the factors that were used, such as "stick" or "lined".
    """

    image: NDArray[np.uint8]
    figures: tuple[LabelledFigure, ...]
    tags: tuple[str, ...]
