"""One found figure to its annotation: outline, tight box and skeleton."""

from collections.abc import Sequence

import numpy as np

from animator.core.annotation import FigureAnnotation
from animator.core.drawing import Drawing, crop_figure
from animator.core.geometry import Box, intersection_over_union, pad_box
from animator.core.keypoints import Keypoints
from animator.core.mask import Mask, run_lengths_from_mask
from animator.core.spaces import drawing_to_figure, figure_to_drawing
from animator.vision.belief import Opinion, believe
from animator.vision.detect import FoundFigure
from animator.vision.keypoints import FigureView, look_at
from animator.vision.predictor import Predictor
from animator.vision.segment import segment
from animator.vision.skeleton import build_skeleton

__all__ = ("annotate_figure",)

_POSE_SPACE = 0.10
"""Space around the detector's box that the pose model sees, share of the longer side."""

_INK_SPACE = 0.25
"""Space around it in which limbs that stick out are followed, share of the longer side."""

_SAME = 0.85
"""Both look again when the outline's box agrees less than this with the one they saw."""

_LOOKS = 3
"""How often at most."""

_RIM = 2
"""Pixels between the outline and its box."""


def annotate_figure(
    drawing: Drawing, found: Sequence[FoundFigure], index: int, predictor: Predictor
) -> FigureAnnotation:
    """Outline a figure and place its joints; its box becomes the outline's.

    found: all figures of the drawing; the ink of the others is theirs.
    index: which of them.

    Raises:
        EmptyMask: when no ink belongs to the figure.
        ModelUnavailable: when the pose model does not answer.
    """
    figure = found[index]
    rivals = [Opinion(one.detection.box, one.mask) for one in found if one is not figure]
    box, looks = figure.detection.box, 0
    while True:
        near, view = _look_around(drawing, box, predictor)
        wide = crop_figure(drawing, pad_box(box, _INK_SPACE))
        opinions = [Opinion(figure.detection.box, figure.mask), Opinion(near, view.mask)]
        belief = believe(wide.box, box, opinions, rivals)
        outline, mask = _tighten(wide.box, segment(wide, belief))
        looks += 1
        if looks == _LOOKS or intersection_over_union(outline, box) > _SAME:
            break
        box = outline
    points = drawing_to_figure(figure_to_drawing(view.keypoints.points, near), outline)
    keypoints = Keypoints(points=points, scores=view.keypoints.scores)
    return FigureAnnotation(
        id=f"figure-{index + 1}",
        box=outline,
        score=figure.detection.score,
        mask=run_lengths_from_mask(mask),
        skeleton=build_skeleton(keypoints, mask),
    )


def _look_around(drawing: Drawing, box: Box, predictor: Predictor) -> tuple[Box, FigureView]:
    """What the pose model says of a box and a little space around it; the box it saw."""
    near = crop_figure(drawing, pad_box(box, _POSE_SPACE))
    return near.box, look_at(near, predictor)


def _tighten(crop: Box, mask: Mask) -> tuple[Box, Mask]:
    """Cut a crop (drawing space) and its mask down to what the mask covers."""
    rows, columns = np.flatnonzero(mask.data.any(axis=1)), np.flatnonzero(mask.data.any(axis=0))
    height, width = mask.data.shape
    y1, y2 = max(int(rows[0]) - _RIM, 0), min(int(rows[-1]) + 1 + _RIM, height)
    x1, x2 = max(int(columns[0]) - _RIM, 0), min(int(columns[-1]) + 1 + _RIM, width)
    box = Box(crop.x1 + x1, crop.y1 + y1, crop.x1 + x2, crop.y1 + y2)
    return box, Mask(np.ascontiguousarray(mask.data[y1:y2, x1:x2]))
