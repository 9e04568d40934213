"""From a drawing to its annotation: who is in it, and how they stand."""

from collections.abc import Sequence
from contextlib import suppress

from animator.core.annotation import Annotation, FigureAnnotation
from animator.core.drawing import Drawing
from animator.core.errors import EmptyMask
from animator.core.rotation import Rotation, rotate_drawing
from animator.core.tracing import part
from animator.pipeline.progress import Progress, Show
from animator.vision import (
    FoundFigure,
    Outline,
    Predictor,
    annotate_figures,
    complete_figure,
    confirm,
    detect,
    find_rotation,
    look_closely,
    outline_figure,
    rotate_figures,
    sketch_figures,
)

__all__ = ("annotate", "complete")


def annotate(
    drawing: Drawing, predictor: Predictor, progress: Progress, show: Show | None = None
) -> Annotation:
    """Find the figures of a drawing, their outlines and skeletons; there may be none.

    drawing: as it was handed in; the annotation is of the drawing turned upright by its `rotation`.
    show: told after each figure; None: nobody looks.

    Raises:
        ModelUnavailable: when a model does not answer.
    """
    progress("detecting", 0.1)
    with part("detect"):
        drawing, found, rotation = _find_upright(drawing, predictor)
    size = (drawing.width, drawing.height)
    outlines: list[Outline] = []
    for index in range(len(found)):
        progress("outlining", 0.4 + 0.6 * index / len(found))
        if show is not None:
            so_far = (*annotate_figures(outlines), *sketch_figures(found[index:]))
            show(_annotation(size, so_far, rotation))
        # A box without ink in it was no figure.
        with suppress(EmptyMask), part("outline"):
            outlines.append(outline_figure(drawing, found, index, predictor))
    return _annotation(size, annotate_figures(outlines), rotation)


def _annotation(
    size: tuple[int, int], figures: tuple[FigureAnnotation, ...], rotation: Rotation
) -> Annotation:
    return Annotation(width=size[0], height=size[1], figures=figures, rotation=rotation)


def _find_upright(
    drawing: Drawing, predictor: Predictor
) -> tuple[Drawing, Sequence[FoundFigure], Rotation]:
    """The drawing turned upright, the figures in it, and how far it was turned."""
    found = look_closely(drawing, detect(drawing, predictor), predictor)
    likely = confirm(found)
    rotation = find_rotation(drawing, likely or found, predictor)
    if not rotation:
        return drawing, likely, rotation
    turned = rotate_drawing(drawing, rotation)
    moved = rotate_figures(found, rotation, (drawing.width, drawing.height))
    # a figure is told from a thing best as it stands
    standing = confirm(look_closely(turned, moved, predictor))
    return (turned, standing, rotation) if standing else (drawing, (), 0)


def complete(
    drawing: Drawing, annotation: Annotation, predictor: Predictor, progress: Progress
) -> dict[str, FigureAnnotation]:
    """What the figures of an annotation lack, found: the completed ones by id.

    drawing: as it was handed in; turned upright here as the annotation says.

    Raises:
        ModelUnavailable: when a model does not answer.
    """
    drawing = rotate_drawing(drawing, annotation.rotation)
    pending = [figure for figure in annotation.figures if figure.is_pending]
    found = {}
    for index, figure in enumerate(pending):
        progress("outlining", 0.2 + 0.8 * index / len(pending))
        others = [other for other in annotation.figures if other is not figure]
        with part("outline"):
            found[figure.id] = complete_figure(drawing, figure, others, predictor)
    return found
