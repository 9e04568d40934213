"""Found figures to their annotations: outline, tight box and skeleton."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from animator.core.annotation import FigureAnnotation
from animator.core.drawing import Drawing, crop_figure
from animator.core.errors import EmptyMask
from animator.core.geometry import Box, intersection_over_union, join_boxes, pad_box
from animator.core.keypoints import Keypoints
from animator.core.mask import Mask, run_lengths_from_mask
from animator.core.tracing import part
from animator.vision.belief import Opinion, believe
from animator.vision.detect import FoundFigure, is_apart, is_neighbour
from animator.vision.keypoints import look_around, move_keypoints
from animator.vision.predictor import Predictor
from animator.vision.segment import segment
from animator.vision.skeleton import build_skeleton

__all__ = (
    "Outline",
    "annotate_figures",
    "outline_figure",
    "outline_inside",
    "outline_plainly",
    "sketch_figures",
    "tighten",
)

_POSE_WEIGHT = 2.0
"""Its mask beside the detector's: it tells what limbs enclose from what is body much better."""

_UNTOLD = 0.65
"""Belief in what is in a box without a mask: the ink and what it encloses, gaps left open."""

_UNTOLD_WEIGHT = 0.01
"""It yields to whoever tells more."""

_INK_SPACE = 0.25
"""Space around it in which limbs that stick out are followed, share of the longer side."""

_SAME = 0.85
"""Both look again when the outline's box agrees less than this with the one they saw."""

_LOOKS = 3
"""How often at most."""

_SHARED = 0.5
"""Outlines that share more than this of the smaller one are one figure found twice."""

_RIM = 1
"""Pixels between the outline and its box."""


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """A figure with its true extent.

    Attributes:
        score: the detector's confidence in [0, 1].
        box: drawing space, whole pixels, close around the mask.
        mask: figure space of the box.
        keypoints: figure space of the box.
    """

    score: float
    box: Box
    mask: Mask
    keypoints: Keypoints


def sketch_figures(found: Sequence[FoundFigure]) -> tuple[FigureAnnotation, ...]:
    """Figures as they were detected: boxes alone."""
    return tuple(
        FigureAnnotation(id=f"found-{number}", box=one.detection.box, score=one.detection.score)
        for number, one in enumerate(found, start=1)
    )


def outline_figure(
    drawing: Drawing, found: Sequence[FoundFigure], index: int, predictor: Predictor
) -> Outline:
    """Find a figure's silhouette and keypoints, following its ink out of the detector's box.

    found: all figures of the drawing; the ink of the others is theirs.
    index: which of them.

    Raises:
        EmptyMask: when no ink belongs to the figure.
        ModelUnavailable: when the pose model does not answer.
    """
    figure = found[index]
    rivals = [one for one in found if is_apart(one, figure)]
    return _outline(drawing, figure, rivals, predictor)


def outline_inside(
    drawing: Drawing, figure: FoundFigure, others: Sequence[FoundFigure], predictor: Predictor
) -> Outline:
    """Find the silhouette and keypoints of a figure whose box a person drew: nothing is outside it.

    others: all other figures of the drawing; their ink is theirs.

    Raises:
        EmptyMask: when no ink inside belongs to the figure.
        ModelUnavailable: when the pose model does not answer.
    """
    rivals = [one for one in others if is_neighbour(one, figure)]
    return _outline(drawing, figure, rivals, predictor, limit=figure.detection.box)


def outline_plainly(drawing: Drawing, figure: FoundFigure, predictor: Predictor) -> Outline:
    """All the ink in a box where nothing looks like a figure; the whole box where there is none.

    Raises:
        ModelUnavailable: when the pose model does not answer.
    """
    crop = crop_figure(drawing, figure.detection.box)
    belief = believe(crop.box, crop.box, [_opinion_of(figure)], [])
    try:
        mask = segment(crop, belief)
    except EmptyMask:
        mask = Mask(np.ones(crop.image.shape[:2], np.bool_))
    box, mask = tighten(crop.box, mask)
    view = look_around(drawing, box, predictor)
    keypoints = move_keypoints(view.keypoints, view.box, box)
    return Outline(figure.detection.score, box, mask, keypoints)


def _outline(
    drawing: Drawing,
    figure: FoundFigure,
    rivals: Sequence[FoundFigure],
    predictor: Predictor,
    limit: Box | None = None,
) -> Outline:
    """Look, outline, and look again at the outline's box until both agree.

    limit: whole pixels, drawing space; what is outside does not count.
    """
    first = figure.detection.box
    theirs = [_opinion_of(one) for one in rivals]
    outline = first
    view = figure.view or look_around(drawing, first, predictor)
    for look in range(_LOOKS):
        seen = outline
        if look:
            view = look_around(drawing, seen, predictor)
        room = join_boxes(seen, first)
        wide = crop_figure(drawing, pad_box(room, _INK_SPACE))
        opinions = [_opinion_of(figure)]
        if view.mask is not None:
            opinions.append(Opinion(view.box, view.mask, _POSE_WEIGHT, is_sharp=True))
        with part("segment"):
            belief = believe(wide.box, room, opinions, theirs)
            found = wide.box, segment(wide, belief)
        outline, mask = tighten(*(found if limit is None else _cut(*found, limit)))
        if intersection_over_union(outline, seen) > _SAME:
            break
    keypoints = move_keypoints(view.keypoints, view.box, outline)
    return Outline(figure.detection.score, outline, mask, keypoints)


def annotate_figures(outlines: Sequence[Outline]) -> tuple[FigureAnnotation, ...]:
    """Place the joints of each figure; of outlines that share their ink only the first is kept.

    outlines: of one drawing, best first.
    """
    kept: list[Outline] = []
    for outline in outlines:
        if not any(_shared(outline, other) > _SHARED for other in kept):
            kept.append(outline)
    return tuple(
        FigureAnnotation(
            id=f"figure-{number}",
            box=one.box,
            score=one.score,
            mask=run_lengths_from_mask(one.mask),
            skeleton=build_skeleton(one.keypoints, one.mask),
        )
        for number, one in enumerate(kept, start=1)
    )


def _shared(a: Outline, b: Outline) -> float:
    """Common pixels, as a share of the smaller outline."""
    x, y = int(b.box.x1 - a.box.x1), int(b.box.y1 - a.box.y1)
    (height_a, width_a), (height_b, width_b) = a.mask.data.shape, b.mask.data.shape
    x1, y1, x2, y2 = max(x, 0), max(y, 0), min(x + width_b, width_a), min(y + height_b, height_a)
    if x1 >= x2 or y1 >= y2:
        return 0.0
    common = a.mask.data[y1:y2, x1:x2] & b.mask.data[y1 - y : y2 - y, x1 - x : x2 - x]
    return float(common.sum() / min(a.mask.data.sum(), b.mask.data.sum()))


def _opinion_of(figure: FoundFigure) -> Opinion:
    """What the detector says; a mere box says little of what is in it."""
    box = figure.detection.box
    if figure.mask is None:
        return Opinion(box, np.full((1, 1), _UNTOLD, np.float32), _UNTOLD_WEIGHT)
    return Opinion(box, figure.mask)


def _cut(crop: Box, mask: Mask, limit: Box) -> tuple[Box, Mask]:
    """The part of a crop and its mask that lies in a box; all drawing space, whole pixels."""
    x1, y1 = max(crop.x1, limit.x1), max(crop.y1, limit.y1)
    x2, y2 = min(crop.x2, limit.x2), min(crop.y2, limit.y2)
    rows = slice(int(y1 - crop.y1), int(y2 - crop.y1))
    inside = mask.data[rows, int(x1 - crop.x1) : int(x2 - crop.x1)]
    if not inside.any():
        msg = "No outline of the figure was found in the box."
        raise EmptyMask(msg)
    return Box(x1, y1, x2, y2), Mask(inside)


def tighten(crop: Box, mask: Mask) -> tuple[Box, Mask]:
    """Cut a crop (drawing space) and its mask, which is not empty, down to what the mask covers."""
    rows, columns = np.flatnonzero(mask.data.any(axis=1)), np.flatnonzero(mask.data.any(axis=0))
    height, width = mask.data.shape
    y1, y2 = max(int(rows[0]) - _RIM, 0), min(int(rows[-1]) + 1 + _RIM, height)
    x1, x2 = max(int(columns[0]) - _RIM, 0), min(int(columns[-1]) + 1 + _RIM, width)
    box = Box(crop.x1 + x1, crop.y1 + y1, crop.x1 + x2, crop.y1 + y2)
    return box, Mask(np.ascontiguousarray(mask.data[y1:y2, x1:x2]))
