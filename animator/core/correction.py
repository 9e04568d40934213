"""Corrections: what people change in an annotation, and what an annotation can be at all."""

import math
import re
from typing import Annotated, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from animator.core.annotation import Annotation, Depth, FigureAnnotation
from animator.core.errors import (
    InvalidAnnotation,
    InvalidBox,
    InvalidMask,
    InvalidSkeleton,
    NotFound,
)
from animator.core.geometry import Box
from animator.core.mask import RunLengths, count_pixels
from animator.core.skeleton import Skeleton

__all__ = (
    "FigureChange",
    "NewFigure",
    "add_figure",
    "change_figure",
    "remove_figure",
    "replace_figures",
)

MOST_FIGURES = 20
MOST_JOINTS = 64
LEAST_SIDE = 8
"""Of a box, pixels; nothing smaller can be seen as a figure."""

LONGEST_NAME = 100
"""Of a joint, characters."""

_REACH = 1.0
"""How far outside its box a joint may lie, in widths and heights of the box."""

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")

JointName: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_NAME)]
Limbs: TypeAlias = Annotated[dict[JointName, Depth], msgspec.Meta(max_length=MOST_JOINTS)]


class NewFigure(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A figure that was missed.

    Attributes:
        box: drawing space, whole pixels; its mask and skeleton are found inside.
    """

    box: Box


class FigureChange(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is to be changed of a figure; what is left out stays.

    Attributes:
        box: drawing space, whole pixels; another one drops what is not given along with it.
        mask: figure space of the box, after the change; None has it found again.
        skeleton: figure space of the box, after the change; None has it found again.
        limbs: draw order, all of it.
        hidden: whether the figure stays on the paper.
    """

    box: Box | UnsetType = UNSET
    mask: RunLengths | UnsetType | None = UNSET
    skeleton: Skeleton | UnsetType | None = UNSET
    limbs: Limbs | UnsetType = UNSET
    hidden: bool | UnsetType = UNSET


def add_figure(annotation: Annotation, box: Box, id: str) -> Annotation:
    """The next revision, with one more figure of which only the box is known.

    Raises:
        InvalidAnnotation: when there are too many, or the box cannot be one.
    """
    return replace_figures(annotation, (*annotation.figures, FigureAnnotation(id=id, box=box)))


def change_figure(annotation: Annotation, id: str, change: FigureChange) -> Annotation:
    """The next revision, with one figure changed.

    Raises:
        NotFound: when there is no such figure.
        InvalidAnnotation: when its box or mask cannot be one.
        InvalidSkeleton: when its joints cannot be moved.
    """
    before = _find(annotation, id)
    given = {
        name: value
        for name in FigureChange.__struct_fields__
        if (value := getattr(change, name)) is not UNSET
    }
    if given.get("box", before.box) != before.box:
        given = {"score": 1.0, "mask": None, "skeleton": None, **given}
    after = msgspec.structs.replace(before, **given)
    figures = (after if figure is before else figure for figure in annotation.figures)
    return replace_figures(annotation, tuple(figures))


def remove_figure(annotation: Annotation, id: str) -> Annotation:
    """The next revision, without one of its figures.

    Raises:
        NotFound: when there is no such figure.
    """
    gone = _find(annotation, id)
    return replace_figures(
        annotation, tuple(figure for figure in annotation.figures if figure is not gone)
    )


def replace_figures(annotation: Annotation, figures: tuple[FigureAnnotation, ...]) -> Annotation:
    """The next revision, with other figures; those that it had already are taken as they are.

    Raises:
        InvalidAnnotation: when the figures, or the box or mask of one, cannot be.
        InvalidSkeleton: when the joints of one cannot be moved.
    """
    ids = [figure.id for figure in figures]
    if len(ids) > MOST_FIGURES:
        msg = f"A drawing can have {MOST_FIGURES} figures at most, not {len(ids)}."
        raise InvalidAnnotation(msg)
    if len(set(ids)) < len(ids) or not all(_ID.fullmatch(id) for id in ids):
        msg = "Each figure needs an id of its own: letters, digits, - and _, 64 at most."
        raise InvalidAnnotation(msg)
    for figure in figures:
        if figure not in annotation.figures:
            _check_figure(figure, annotation)
    return msgspec.structs.replace(annotation, figures=figures, revision=annotation.revision + 1)


def _find(annotation: Annotation, id: str) -> FigureAnnotation:
    for figure in annotation.figures:
        if figure.id == id:
            return figure
    msg = "There is no such figure; somebody may have removed it."
    raise NotFound(msg)


def _check_figure(figure: FigureAnnotation, annotation: Annotation) -> None:
    _check_box(figure.box, annotation.width, annotation.height)
    if not 0.0 <= figure.score <= 1.0:
        msg = f"The score of a figure is from 0 to 1, not {figure.score}."
        raise InvalidAnnotation(msg)
    if len(figure.limbs) > MOST_JOINTS or any(map(_is_no_name, figure.limbs)):
        msg = f"The draw order names joints: {MOST_JOINTS} at most, by {LONGEST_NAME} characters."
        raise InvalidSkeleton(msg)
    if figure.mask is not None:
        _check_mask(figure.mask, figure.box)
    if figure.skeleton is not None:
        _check_skeleton(figure.skeleton, figure.box)


def _check_box(box: Box, width: int, height: int) -> None:
    corners = (box.x1, box.y1, box.x2, box.y2)
    if not all(math.isfinite(corner) and corner == int(corner) for corner in corners):
        msg = "The corners of a box are whole pixels of the drawing."
        raise InvalidBox(msg)
    if min(box.x1, box.y1) < 0 or box.x2 > width or box.y2 > height:
        msg = f"The box lies outside the drawing, which has {width} x {height} pixels."
        raise InvalidBox(msg)
    if min(box.width, box.height) < LEAST_SIDE:
        msg = f"Draw the box around the whole figure; it needs {LEAST_SIDE} pixels a side."
        raise InvalidBox(msg)


def _check_mask(mask: RunLengths, box: Box) -> None:
    if mask.size != (box.height, box.width):
        msg = f"The mask has {mask.size[0]} x {mask.size[1]} pixels, its box {box.height:g} x "
        raise InvalidMask(f"{msg}{box.width:g} (height x width).")
    if count_pixels(mask) == 0:
        msg = "The mask has no pixel. Paint over the figure, or remove it."
        raise InvalidMask(msg)


def _check_skeleton(skeleton: Skeleton, box: Box) -> None:
    if len(skeleton.joints) > MOST_JOINTS:
        msg = f"A skeleton can have {MOST_JOINTS} joints at most, not {len(skeleton.joints)}."
        raise InvalidSkeleton(msg)
    for joint in skeleton.joints:
        if _is_no_name(joint.name):
            msg = f"The name of a joint has 1 to {LONGEST_NAME} characters."
            raise InvalidSkeleton(msg)
        if max(abs(joint.x / box.width - 0.5), abs(joint.y / box.height - 0.5)) > 0.5 + _REACH:
            msg = f"The joint {joint.name!r} lies too far from its figure."
            raise InvalidSkeleton(msg)
        if not 0.0 <= joint.score <= 1.0:
            msg = f"The score of a joint is from 0 to 1, not {joint.score}."
            raise InvalidSkeleton(msg)


def _is_no_name(name: str) -> bool:
    return not 1 <= len(name) <= LONGEST_NAME or not name.isprintable()
