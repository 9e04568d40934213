"""A figure as the pose model sees it: keypoints and a mask."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from animator.core.drawing import Figure
from animator.core.keypoints import Keypoints
from animator.vision.predictor import Predictor
from animator.vision.scaling import shrink

__all__ = ("POSE_ESTIMATOR", "POSE_SPACE", "FigureView", "look_at")

POSE_ESTIMATOR = "drawn_humanoid_pose_estimator"

POSE_SPACE = 0.10
"""Space around a figure that the pose model sees, share of the box's longer side."""

_INPUT_SIDE = 512
"""The pose model sees at most this longer side, pixels; it works on less."""


@dataclass(frozen=True, slots=True, eq=False)
class FigureView:
    """What the pose model says of one crop.

    Attributes:
        keypoints: figure space of the crop.
        mask: (m, n) float32 in [0, 1], probability over the whole crop; None from a model that
            sees no silhouette.
        turns: (4,) float32, how likely the crop must be turned clockwise by each of `ROTATIONS` to
            stand upright; None when the model does not say.
        figure: how likely the crop holds a figure at all, in [0, 1]; None when the model does not
            say.
    """

    keypoints: Keypoints
    mask: NDArray[np.float32] | None
    turns: NDArray[np.float32] | None = None
    figure: float | None = None


def look_at(figure: Figure, predictor: Predictor) -> FigureView:
    """Ask the pose model once.

    figure: the detector's box with about 10 % space around it.

    Raises:
        ModelUnavailable: when the pose model does not answer.
    """
    image = shrink(figure.image, _INPUT_SIDE)
    outputs = predictor.infer(POSE_ESTIMATOR, {"image": image})
    scale = np.array([figure.box.width / image.shape[1], figure.box.height / image.shape[0]])
    points = (outputs["keypoints"] * scale).astype(np.float32)
    scores = np.clip(outputs["scores"], 0.0, 1.0).astype(np.float32)
    mask, turns, likely = (outputs.get(name) for name in ("mask", "turns", "figure"))
    return FigureView(
        keypoints=Keypoints(points=points, scores=scores),
        mask=None if mask is None else mask.astype(np.float32),
        turns=None if turns is None else turns.astype(np.float32),
        figure=None if likely is None else float(likely[0]),
    )
