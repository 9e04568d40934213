"""Which way up a drawing is: as it is, unless its figure stands much better another way."""

from collections.abc import Sequence

import msgspec
import numpy as np

from animator.core.drawing import Drawing, Figure
from animator.core.geometry import Box
from animator.core.keypoints import Keypoints
from animator.core.rotation import ROTATIONS, Rotation, rotate_box, rotate_image
from animator.vision.detect import FoundFigure
from animator.vision.keypoints import crop_for_pose, look_around, look_at
from animator.vision.predictor import Predictor
from animator.vision.scaling import shrink

__all__ = ("find_rotation", "rotate_figures")

_SURE = 0.6
"""A figure that stands this well is not looked at from other sides."""

_LEAD = 0.2
"""People mostly hold the page right: another way up must be better by this.

Both were chosen on synthetic drawings in all four turns; a lead of 0.15 to 0.25 is as good.
"""

_UPPER = slice(0, 7)
"""Keypoints of head and shoulders, in COCO's order."""

_LOWER = slice(11, 17)
"""Those of hips, knees and ankles."""

_LOOK_SIDE = 384
"""Longer side of the crop that is turned, pixels; the pose model works on less."""


def find_rotation(drawing: Drawing, found: Sequence[FoundFigure], predictor: Predictor) -> Rotation:
    """How far a drawing must be turned clockwise for its best figure to stand upright.

    The pose model looks at the three other ways up only where it is unsure of the first.

    found: the figures of the drawing as it is, best first; without any it stays as it is.

    Raises:
        ModelUnavailable: when the pose model does not answer.
    """
    if not found:
        return 0
    box, view = found[0].detection.box, found[0].view
    as_it_is = _standing((view or look_around(drawing, box, predictor)).keypoints)
    if as_it_is >= _SURE:
        return 0
    figure = _whole_figure(crop_for_pose(drawing, box))
    others = {turn: _uprightness(figure, turn, predictor) for turn in ROTATIONS[1:]}
    best = max(others, key=lambda turn: others[turn])
    return best if others[best] > as_it_is + _LEAD else 0


def rotate_figures(
    found: Sequence[FoundFigure], rotation: Rotation, size: tuple[float, float]
) -> tuple[FoundFigure, ...]:
    """Move what was found along as its drawing (width, height) is turned clockwise; views go."""
    return tuple(
        FoundFigure(
            detection=msgspec.structs.replace(
                one.detection, box=rotate_box(one.detection.box, rotation, size)
            ),
            mask=None if one.mask is None else rotate_image(one.mask, rotation),
        )
        for one in found
    )


def _whole_figure(crop: Figure) -> Figure:
    """A crop as a small picture of its own."""
    image = shrink(crop.image, _LOOK_SIDE)
    return Figure(box=Box(0.0, 0.0, image.shape[1], image.shape[0]), image=image)


def _uprightness(figure: Figure, rotation: Rotation, predictor: Predictor) -> float:
    """How well a figure stands when it is turned so, in [-1, 1]."""
    image = rotate_image(figure.image, rotation)
    turned = Figure(box=Box(0.0, 0.0, image.shape[1], image.shape[0]), image=image)
    return _standing(look_at(turned, predictor).keypoints)


def _standing(keypoints: Keypoints) -> float:
    """The mean score of the keypoints, times the cosine of the body's slant; < 0 head down."""
    down = _centre(keypoints, _LOWER) - _centre(keypoints, _UPPER)
    length = float(np.hypot(*down))
    return float(keypoints.scores.mean() * down[1] / length) if length else 0.0


def _centre(keypoints: Keypoints, part: slice) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Mean (2,) of some keypoints, weighted by their scores."""
    weights = keypoints.scores[part].astype(np.float64) + 1e-6
    return np.average(keypoints.points[part].astype(np.float64), axis=0, weights=weights)
