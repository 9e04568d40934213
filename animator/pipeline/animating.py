"""From a drawing and its annotation to animations: figures move on a stage, which is filmed."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from animator.core.animation import Animation
from animator.core.annotation import Annotation
from animator.core.documents import AnimationRequest
from animator.core.drawing import Drawing
from animator.core.errors import InvalidImage
from animator.core.moved_figure import MovedFigure
from animator.core.rotation import rotate_drawing
from animator.core.stage import Stage
from animator.directing import NO_PROPS, Props, direct
from animator.pipeline.filming import film
from animator.pipeline.moving import move_figures
from animator.pipeline.progress import Progress
from animator.render import plan_scene
from animator.vision import remove_figures, whiten_paper

__all__ = ("animate", "set_stage", "stage_figures")


def animate(
    drawing: Drawing,
    annotation: Annotation,
    request: AnimationRequest,
    folder: Path,
    progress: Progress,
) -> tuple[Animation, ...]:
    """Move the figures of a drawing; one file a format, `animation.gif` and so on, in the folder.

    drawing: as it was handed in; turned upright here as the annotation says.

    Raises:
        NoFigureFound: when the annotation holds no figure with outline and skeleton.
        UnknownMotion: when no motion has a name asked for.
        InvalidMotion: when it cannot be played as asked.
        EmptyMask: when a figure's outline is too small to move.
        InvalidSkeleton: when a figure's joints cannot be moved.
        EncodingFailed: when a file cannot be written.
    """
    stage = stage_figures(drawing, annotation, request, progress)
    targets = {form: folder / f"animation.{form.suffix}" for form in request.formats}
    return film(stage, targets, progress, request.finish)


def stage_figures(
    drawing: Drawing,
    annotation: Annotation,
    request: AnimationRequest,
    progress: Progress,
    props: Props = NO_PROPS,
) -> Stage:
    """Move the figures of a drawing and plan the scene: all that is needed to draw and write it.

    drawing: as it was handed in; turned upright here as the annotation says.

    Raises:
        InvalidImage: when the background asks for a picture and there is none.
        NoFigureFound: when the annotation holds no figure with outline and skeleton.
        UnknownMotion: when no motion has a name asked for.
        InvalidMotion: when it cannot be played as asked.
        EmptyMask: when a figure's outline is too small to move.
        InvalidSkeleton: when a figure's joints cannot be moved.
    """
    directions = direct(request, props.motions)
    drawing = rotate_drawing(drawing, annotation.rotation)
    moved = move_figures(drawing, annotation, directions, progress, request.rigging)
    return set_stage(drawing, moved, request, props.picture)


def set_stage(
    drawing: Drawing,
    moved: Sequence[MovedFigure],
    request: AnimationRequest,
    picture: Drawing | None = None,
) -> Stage:
    """Plan the scene for the moved figures of a drawing that has been turned upright.

    Away from their own paper the paper inside them is made white.

    picture: what a background of the kind "picture" shows.

    Raises:
        InvalidImage: when the background asks for a picture and there is none.
    """
    page = (drawing.width, drawing.height)
    scene = plan_scene(moved, request.side, request.background, page)
    scene = msgspec.structs.replace(scene, overlays=request.overlays)
    shown = (
        moved if request.background.kind == "paper" else [whiten_paper(m, drawing) for m in moved]
    )
    return Stage(scene, tuple(shown), _behind(drawing, moved, request, picture))


def _behind(
    drawing: Drawing,
    moved: Sequence[MovedFigure],
    request: AnimationRequest,
    picture: Drawing | None,
) -> NDArray[np.uint8] | None:
    """The picture (h, w, 3) that the background asks for."""
    if request.background.kind == "paper":
        return remove_figures(drawing, [(one.figure.box, one.mask) for one in moved])
    if request.background.kind == "picture" and picture is None:
        msg = "The background is to be a picture, but none was handed in."
        raise InvalidImage(msg)
    return None if picture is None else picture.image
