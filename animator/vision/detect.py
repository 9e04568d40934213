"""Drawing to the figures in it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from animator.core.detection import LEAST_SCORE, Detection
from animator.core.drawing import Drawing
from animator.core.geometry import Box, clip_box, intersection_over_union
from animator.vision.keypoints import FigureView, look_around
from animator.vision.predictor import Predictor
from animator.vision.scaling import shrink

__all__ = ("DETECTOR", "FoundFigure", "detect", "is_apart", "is_neighbour", "look_closely")

DETECTOR = "drawn_humanoid_detector"

_SAME_OVERLAP = 0.45
"""Boxes that overlap (intersection over union) more than this are one figure."""

_PART_SHARE = 0.65
"""A weaker box of which a larger share lies in a stronger one is a part of it."""

_APART = 0.3
"""Boxes that share less than this of the smaller one are two figures, which keep their ink."""

_REACHED = 0.5
"""A neighbour takes less than this of the box that a person drew."""

_INSIDE = 0.8
"""And less than this of itself lies in it."""

_INPUT_SIDE = 1024
"""The detector sees at most this longer side, pixels; it works on less."""


@dataclass(frozen=True, slots=True, eq=False)
class FoundFigure:
    """A detection with its coarse mask, and what a closer look saw.

    Attributes:
        detection: box in drawing space, and score.
        mask: (m, n) float32 in [0, 1], probability over the box; None from a detector of boxes.
        view: of the box with a little space around it; None until somebody has looked.
    """

    detection: Detection
    mask: NDArray[np.float32] | None
    view: FigureView | None = None


def detect(drawing: Drawing, predictor: Predictor) -> tuple[FoundFigure, ...]:
    """Find the figures, best first; none is no error here.

    Raises:
        ModelUnavailable: when the detector does not answer.
    """
    image = shrink(drawing.image, _INPUT_SIDE)
    outputs = predictor.infer(DETECTOR, {"image": image})
    scale = np.array(
        [drawing.width / image.shape[1], drawing.height / image.shape[0]] * 2, np.float32
    )
    boxes, scores, masks = outputs["boxes"] * scale, outputs["scores"], outputs.get("masks")
    found: list[FoundFigure] = []
    for i in np.argsort(-scores, kind="stable"):
        box = _to_box(boxes[i], drawing)
        if scores[i] < LEAST_SCORE or box is None:
            continue
        if not any(_is_same(box, other.detection.box) for other in found):
            detection = Detection(box=box, score=float(scores[i]))
            mask = None if masks is None else masks[i].astype(np.float32)
            found.append(FoundFigure(detection=detection, mask=mask))
    return tuple(found)


def look_closely(
    drawing: Drawing, found: Sequence[FoundFigure], predictor: Predictor
) -> tuple[FoundFigure, ...]:
    """The same figures, each with what the pose model sees of it.

    Raises:
        ModelUnavailable: when the pose model does not answer.
    """
    return tuple(
        replace(one, view=look_around(drawing, one.detection.box, predictor)) for one in found
    )


def is_apart(a: FoundFigure, b: FoundFigure) -> bool:
    """Whether two boxes are surely two figures, for they share little room."""
    return _shared_area(a.detection.box, b.detection.box) < _APART * min(
        a.detection.box.area, b.detection.box.area
    )


def is_neighbour(other: FoundFigure, drawn: FoundFigure) -> bool:
    """Whether a figure only reaches into a box that a person drew, however wide it was drawn.

    One that lies in the box is a part of what is meant; one in which the box lies is more than one
    figure, or was found wrongly.
    """
    shared = _shared_area(other.detection.box, drawn.detection.box)
    return (
        shared < _REACHED * drawn.detection.box.area and shared < _INSIDE * other.detection.box.area
    )


def _to_box(xyxy: NDArray[np.float32], drawing: Drawing) -> Box | None:
    """None for a box without area or outside the drawing."""
    x1, y1, x2, y2 = (float(value) for value in xyxy)
    if not (x1 < x2 and y1 < y2):
        return None
    return clip_box(Box(x1, y1, x2, y2), drawing.width, drawing.height)


def _is_same(weaker: Box, stronger: Box) -> bool:
    if intersection_over_union(weaker, stronger) > _SAME_OVERLAP:
        return True
    return _shared_area(weaker, stronger) > _PART_SHARE * weaker.area


def _shared_area(a: Box, b: Box) -> float:
    width, height = min(a.x2, b.x2) - max(a.x1, b.x1), min(a.y2, b.y2) - max(a.y1, b.y1)
    return width * height if min(width, height) > 0 else 0.0
