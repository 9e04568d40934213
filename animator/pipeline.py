"""The walk from a drawing to its animations: which verb follows which."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from animator.core.animation import Animation, AnimationFormat
from animator.core.annotation import Annotation
from animator.core.documents import AnimationRequest
from animator.core.drawing import Drawing, crop_figure
from animator.core.errors import EmptyMask, NoFigureFound
from animator.core.geometry import Box
from animator.core.job import Step
from animator.core.mask import Mask, mask_from_run_lengths
from animator.core.moved_figure import MovedFigure
from animator.core.rotation import rotate_drawing
from animator.core.skeleton import Skeleton
from animator.motion import load_motion, retarget
from animator.render import EXPORTERS, encode, export, frame_of, plan_scene, rasterize
from animator.rigging import build_rig, deform, pose_joints, rest_joints
from animator.vision import (
    Outline,
    Predictor,
    annotate_figures,
    detect,
    find_rotation,
    look_closely,
    outline_figure,
    rotate_figures,
)

__all__ = ("Progress", "animate", "annotate")

Progress = Callable[[Step, float], None]
"""Told of each step as it begins, with the share of the whole job that is done, in [0, 1]."""

_DRAWING = 0.25
"""Share of the work of an animation that comes before its first frame."""


def annotate(drawing: Drawing, predictor: Predictor, progress: Progress) -> Annotation:
    """Find the figures of a drawing, their outlines and skeletons; there may be none.

    drawing: as it was handed in; the annotation is of the drawing turned upright by its `rotation`.

    Raises:
        ModelUnavailable: when a model does not answer.
    """
    progress("detecting", 0.1)
    found = look_closely(drawing, detect(drawing, predictor), predictor)
    rotation = find_rotation(drawing, found, predictor)
    if rotation:
        found = rotate_figures(found, rotation, (drawing.width, drawing.height))
        drawing = rotate_drawing(drawing, rotation)
    outlines: list[Outline] = []
    for index in range(len(found)):
        progress("outlining", 0.4 + 0.6 * index / len(found))
        # A box without ink in it was no figure.
        with suppress(EmptyMask):
            outlines.append(outline_figure(drawing, found, index, predictor))
    figures = annotate_figures(outlines)
    return Annotation(
        width=drawing.width, height=drawing.height, figures=figures, rotation=rotation
    )


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
        UnknownMotion: when no motion has the name asked for.
        EmptyMask: when a figure's outline is too small to move.
        InvalidSkeleton: when a figure's joints cannot be moved.
        EncodingFailed: when a file cannot be written.
    """
    motion, retarget_map = load_motion(request.motion)
    drawing = rotate_drawing(drawing, annotation.rotation)
    moved = []
    for box, mask, skeleton in _ready_figures(annotation):
        progress("rigging", 0.0)
        figure = crop_figure(drawing, box)
        rig = build_rig(figure, mask, skeleton)
        progress("moving", 0.1)
        poses = retarget(motion, retarget_map, rig.skeleton, rig.to_world)
        joints = pose_joints(rest_joints(rig), rig.skeleton.parents, poses).places
        moved.append(MovedFigure(figure, mask, rig, joints, deform(rig, poses)))
    progress("drawing", _DRAWING)
    return _write(moved, request, folder, progress)


def _write(
    moved: Sequence[MovedFigure], request: AnimationRequest, folder: Path, progress: Progress
) -> tuple[Animation, ...]:
    """Draw moved figures, and write them in each of the formats."""
    rigs, tracks = [one.rig for one in moved], [one.track for one in moved]
    boxes = [one.figure.box for one in moved]
    scene = plan_scene(rigs, tracks, boxes, request.side, request.background)
    targets = {form: folder / f"animation.{form.suffix}" for form in request.formats}
    still = {form: targets.pop(form) for form in (AnimationFormat.PNG,) if form in targets}
    exports = {form: targets.pop(form) for form in EXPORTERS if form in targets}
    made = [*export(moved, scene, exports)]
    if still:
        only = [frame_of(track, request.still) for track in tracks]
        made += encode(rasterize(rigs, only, scene), tracks[0].fps, still)
    if targets:
        frames = _tell(rasterize(rigs, tracks, scene), len(tracks[0].vertices), progress)
        made += encode(frames, tracks[0].fps, targets)
    return tuple(sorted(made, key=lambda animation: request.formats.index(animation.format)))


def _ready_figures(annotation: Annotation) -> list[tuple[Box, Mask, Skeleton]]:
    """The figures that can be moved, the one that stands lowest last: it is nearest."""
    ready = [
        (figure.box, mask_from_run_lengths(figure.mask), figure.skeleton)
        for figure in annotation.figures
        if figure.mask is not None and figure.skeleton is not None
    ]
    if not ready:
        msg = (
            "No figure was found in the drawing. Take the photo straight from above in bright "
            "light, with the whole figure in the picture."
        )
        raise NoFigureFound(msg)
    return sorted(ready, key=lambda figure: figure[0].y2)


def _tell(
    frames: Iterable[NDArray[np.uint8]], count: int, progress: Progress
) -> Iterator[NDArray[np.uint8]]:
    """Hand on frames (H, W, 4), and tell how many of them are drawn."""
    for index, frame in enumerate(frames):
        progress("drawing", _DRAWING + (1.0 - _DRAWING) * index / count)
        yield frame
