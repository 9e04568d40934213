"""Which way up a drawing is: as it is, unless its figure stands much better another way."""

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from animator.core.drawing import Drawing, Figure, crop_figure
from animator.core.geometry import Box, pad_box
from animator.core.keypoints import Keypoints
from animator.core.rotation import ROTATIONS, Rotation, rotate_box, rotate_image
from animator.vision.detect import FoundFigure
from animator.vision.keypoints import POSE_SPACE, FigureView, look_at
from animator.vision.predictor import Predictor
from animator.vision.scaling import shrink

__all__ = ("find_rotation", "rotate_figures")

_SURE = 0.6
"""A figure that stands this well, and"""

_LIKELY = 0.9
"""of which the model says so, too, is not looked at from other sides."""

_STANDING = 3.0
"""Weight of how a figure stands, beside the logarithm of what the model says of its way up."""

_LEAD = 0.6
"""People mostly hold the page right: another way up must be better by this.

All were chosen on synthetic drawings in all four turns.
"""

_LEAST_CHANCE = 1e-4
"""No single look rules a way up out."""

_UPPER = slice(0, 7)
"""Keypoints of head and shoulders, in COCO's order."""

_LOWER = slice(11, 17)
"""Those of hips, knees and ankles."""

_LOOK_SIDE = 384
"""Longer side of the crop that is turned, pixels; the pose model works on less."""


def find_rotation(drawing: Drawing, found: Sequence[FoundFigure], predictor: Predictor) -> Rotation:
    """How far a drawing must be turned clockwise for its best figure to stand upright.

    The pose model looks once, and at the three other ways up only where it is then unsure.

    found: the figures of the drawing as it is, best first; without any it stays as it is.

    Raises:
        ModelUnavailable: when the pose model does not answer.
    """
    if not found:
        return 0
    best_figure = found[0]
    crop = crop_figure(drawing, pad_box(best_figure.detection.box, POSE_SPACE))
    first = best_figure.view if best_figure.view is not None else look_at(crop, predictor)
    if _is_surely_upright(first):
        return 0
    figure = _whole_figure(crop)
    views = [first, *(_look_turned(figure, turn, predictor) for turn in ROTATIONS[1:])]
    scores = _weigh(views)
    best = int(scores.argmax())
    return ROTATIONS[best] if scores[best] > scores[0] + _LEAD else 0


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


def _look_turned(figure: Figure, rotation: Rotation, predictor: Predictor) -> FigureView:
    image = rotate_image(figure.image, rotation)
    turned = Figure(box=Box(0.0, 0.0, image.shape[1], image.shape[0]), image=image)
    return look_at(turned, predictor)


def _is_surely_upright(view: FigureView) -> bool:
    likely = view.turns is None or float(view.turns[0]) >= _LIKELY
    return likely and _standing(view.keypoints) >= _SURE


def _weigh(views: Sequence[FigureView]) -> NDArray[np.float64]:
    """How much speaks for each of `ROTATIONS`, (4,), from looks at a figure turned by each.

    What a look at a turned figure says of its way up holds for the whole turn, so all four looks
    speak for each rotation.
    """
    scores = np.array([_STANDING * _standing(view.keypoints) for view in views])
    for turned, view in enumerate(views):
        if view.turns is not None:
            chances = np.log(np.maximum(view.turns.astype(np.float64), _LEAST_CHANCE))
            scores += np.roll(chances, turned) / len(views)
    return scores


def _standing(keypoints: Keypoints) -> float:
    """The mean score of the keypoints, times the cosine of the body's slant; < 0 head down."""
    down = _centre(keypoints, _LOWER) - _centre(keypoints, _UPPER)
    length = float(np.hypot(*down))
    return float(keypoints.scores.mean() * down[1] / length) if length else 0.0


def _centre(keypoints: Keypoints, part: slice) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Mean (2,) of some keypoints, weighted by their scores."""
    weights = keypoints.scores[part].astype(np.float64) + 1e-6
    return np.average(keypoints.points[part].astype(np.float64), axis=0, weights=weights)
