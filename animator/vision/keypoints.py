"""A figure as the pose model sees it: keypoints and a mask."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from animator.core.drawing import Drawing, Figure, crop_figure
from animator.core.geometry import Box, pad_box
from animator.core.keypoints import Keypoints
from animator.core.spaces import drawing_to_figure, figure_to_drawing
from animator.core.tracing import part
from animator.vision.predictor import Predictor
from animator.vision.scaling import shrink

__all__ = (
    "POSE_ESTIMATOR",
    "FigureView",
    "crop_for_pose",
    "look_around",
    "look_at",
    "move_keypoints",
)

POSE_ESTIMATOR = "drawn_humanoid_pose_estimator"

_SPACE = 0.10
"""Space around a figure that the pose model sees, share of the box's longer side."""

_INPUT_SIDE = 512
"""The pose model sees at most this longer side, pixels; it works on less."""


@dataclass(frozen=True, slots=True, eq=False)
class FigureView:
    """What the pose model says of one crop.

    Attributes:
        box: the crop, drawing space.
        keypoints: figure space of the crop.
        mask: (m, n) float32 in [0, 1], probability over the whole crop; None from a model that
            sees no silhouette.
        figure: how likely the crop shows a figure at all, in [0, 1]; None from a model that does
            not say.
    """

    box: Box
    keypoints: Keypoints
    mask: NDArray[np.float32] | None
    figure: float | None = None


def crop_for_pose(drawing: Drawing, box: Box) -> Figure:
    """A box (drawing space) with the space around it that the pose model is used to."""
    return crop_figure(drawing, pad_box(box, _SPACE))


def look_around(drawing: Drawing, box: Box, predictor: Predictor) -> FigureView:
    """Ask the pose model of a box (drawing space) and a little space around it.

    Raises:
        ModelUnavailable: when the pose model does not answer.
    """
    return look_at(crop_for_pose(drawing, box), predictor)


def look_at(figure: Figure, predictor: Predictor) -> FigureView:
    """Ask the pose model once.

    figure: the detector's box with about 10 % space around it.

    Raises:
        ModelUnavailable: when the pose model does not answer.
    """
    image = shrink(figure.image, _INPUT_SIDE)
    with part("pose"):
        outputs = predictor.infer(POSE_ESTIMATOR, {"image": image})
    scale = np.array([figure.box.width / image.shape[1], figure.box.height / image.shape[0]])
    points = (outputs["keypoints"] * scale).astype(np.float32)
    scores = np.clip(outputs["scores"], 0.0, 1.0).astype(np.float32)
    mask, likely = outputs.get("mask"), outputs.get("figure")
    return FigureView(
        box=figure.box,
        keypoints=Keypoints(points=points, scores=scores),
        mask=None if mask is None else mask.astype(np.float32),
        figure=None if likely is None else float(likely[0]),
    )


def move_keypoints(keypoints: Keypoints, before: Box, after: Box) -> Keypoints:
    """Keypoints in figure space of one box (drawing space), in that of another."""
    points = drawing_to_figure(figure_to_drawing(keypoints.points, before), after)
    return Keypoints(points=points, scores=keypoints.scores)
