"""Keypoints: what the pose model saw, in COCO's order."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ("COCO_KEYPOINTS", "Keypoints")

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


@dataclass(frozen=True, slots=True, eq=False)
class Keypoints:
    """Points of one figure as the model gave them.

    Attributes:
        points: (17, 2) float32 x, y, figure space, in the order of COCO_KEYPOINTS.
        scores: (17,) float32 in [0, 1].
        schema: the order's name.

    Raises:
        ValueError: when an array has another shape.
    """

    points: NDArray[np.float32]
    scores: NDArray[np.float32]
    schema: Literal["coco17"] = "coco17"

    def __post_init__(self) -> None:
        count = len(COCO_KEYPOINTS)
        if self.points.shape != (count, 2) or self.scores.shape != (count,):
            msg = (
                f"expected points ({count}, 2) and scores ({count},), "
                f"got {self.points.shape} and {self.scores.shape}"
            )
            raise ValueError(msg)
