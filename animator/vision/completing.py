"""A figure of which a person gave only a part: what it lacks is found inside its box."""

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from animator.core.annotation import FigureAnnotation
from animator.core.detection import Detection
from animator.core.drawing import Drawing
from animator.core.errors import EmptyMask
from animator.core.geometry import Box
from animator.core.keypoints import Keypoints
from animator.core.mask import Mask, mask_from_run_lengths, run_lengths_from_mask
from animator.vision.detect import FoundFigure
from animator.vision.figures import Outline, outline_inside, outline_plainly, tighten
from animator.vision.keypoints import look_around, move_keypoints
from animator.vision.predictor import Predictor
from animator.vision.scaling import shrink
from animator.vision.skeleton import build_skeleton

__all__ = ("complete_figure",)

_RIVAL_SIDE = 640
"""Longer side of a neighbour's mask, pixels."""


def complete_figure(
    drawing: Drawing,
    figure: FigureAnnotation,
    others: Sequence[FigureAnnotation],
    predictor: Predictor,
) -> FigureAnnotation:
    """The figure with mask and skeleton; what it has, and its box, stay as they are.

    drawing: upright, as the annotation is.
    others: the other figures of the drawing; the ink in their masks is theirs.

    Raises:
        ModelUnavailable: when the pose model does not answer.
    """
    if figure.mask is not None:
        mask = mask_from_run_lengths(figure.mask)
        keypoints = _look_at_mask(drawing, figure.box, mask, predictor)
    else:
        outline = _outline(drawing, figure, others, predictor)
        mask = _spread(outline, figure.box)
        keypoints = move_keypoints(outline.keypoints, outline.box, figure.box)
    skeleton = figure.skeleton or build_skeleton(keypoints, mask)
    lengths = figure.mask or run_lengths_from_mask(mask)
    return msgspec.structs.replace(figure, mask=lengths, skeleton=skeleton)


def _outline(
    drawing: Drawing,
    figure: FigureAnnotation,
    others: Sequence[FigureAnnotation],
    predictor: Predictor,
) -> Outline:
    """As the models see it; where they see none, what the person may have meant."""
    rivals = [_found(other) for other in others if other.mask is not None]
    try:
        return outline_inside(drawing, _found(figure), rivals, predictor)
    except EmptyMask:
        return outline_plainly(drawing, _found(figure), predictor)


def _found(figure: FigureAnnotation) -> FoundFigure:
    """As if a detector had found it, whose masks are coarse: nineteen full ones might be a lot."""
    mask: NDArray[np.float32] | None = None
    if figure.mask is not None:
        whole = mask_from_run_lengths(figure.mask).data.view(np.uint8) * np.uint8(255)
        mask = shrink(whole, _RIVAL_SIDE).astype(np.float32) / np.float32(255)
    return FoundFigure(detection=Detection(box=figure.box, score=figure.score), mask=mask)


def _look_at_mask(drawing: Drawing, box: Box, mask: Mask, predictor: Predictor) -> Keypoints:
    """Keypoints in figure space of the box; the model looks at what the mask covers."""
    close, _ = tighten(box, mask)
    view = look_around(drawing, close, predictor)
    return move_keypoints(view.keypoints, view.box, box)


def _spread(outline: Outline, box: Box) -> Mask:
    """The mask of an outline in figure space of a box around it."""
    whole = np.zeros((round(box.height), round(box.width)), np.bool_)
    x, y = round(outline.box.x1 - box.x1), round(outline.box.y1 - box.y1)
    height, width = outline.mask.data.shape
    whole[y : y + height, x : x + width] = outline.mask.data
    return Mask(whole)
