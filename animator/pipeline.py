"""The walk from a drawing to its animations: which verb follows which."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from animator.core.animation import PLAIN, Animation, AnimationFormat, Finish
from animator.core.annotation import Annotation, Depth, FigureAnnotation
from animator.core.documents import AnimationRequest
from animator.core.drawing import Drawing, Figure, crop_figure
from animator.core.errors import EmptyMask, InvalidImage, NoFigureFound
from animator.core.geometry import Box
from animator.core.job import Step
from animator.core.mask import Mask, mask_from_run_lengths
from animator.core.moved_figure import MovedFigure, Rehearsal
from animator.core.pose import PoseSequence
from animator.core.rig import Rig
from animator.core.rigging import USUAL, RigOptions
from animator.core.rotation import Rotation, rotate_drawing
from animator.core.skeleton import Skeleton
from animator.core.stage import Stage
from animator.core.tracing import part, piecewise
from animator.directing import NO_PROPS, Directions, Props, direct
from animator.motion import Performance, order_limbs, perform
from animator.render import (
    EXPORTERS,
    draw_for,
    encode,
    export,
    plan_scene,
    rasterize,
    write_gif_within,
)
from animator.rigging import build_rig, deform, fit_template, pose_joints, rest_joints
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
    remove_figures,
    rotate_figures,
    sketch_figures,
)

__all__ = (
    "Progress",
    "Show",
    "animate",
    "annotate",
    "complete",
    "film",
    "move_figures",
    "say_nothing",
    "set_stage",
    "stage_figures",
)

Progress = Callable[[Step, float], None]
"""Told of each step as it begins, with the share of the whole job that is done, in [0, 1]."""

Show = Callable[[Annotation], None]
"""Told of what is known of a drawing so far; figures lack what is yet to be found."""

MOST_REHEARSED = 6
"""Figures of which there are previews, at most: those nearest to the viewer."""

_DRAWING = 0.25
"""Share of the work of an animation that comes before its first frame."""


def say_nothing(_step: Step, _share: float) -> None:
    """The progress of what nobody watches."""


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


def move_figures(
    drawing: Drawing,
    annotation: Annotation,
    directions: Directions,
    progress: Progress,
    rigging: RigOptions = USUAL,
) -> tuple[MovedFigure, ...]:
    """Let the figures of a drawing do what they are directed to.

    drawing: turned upright already.
    rigging: how the figures are made movable.

    Raises:
        NoFigureFound: when the annotation holds no figure with outline and skeleton.
        InvalidMotion: when a motion does not fit.
        EmptyMask: when a figure's outline is too small to move.
        InvalidSkeleton: when a figure's joints cannot be moved.
    """
    moved: list[MovedFigure] = []
    ready = _ready_figures(annotation)
    for one in ready:
        progress("rigging", 0.0)
        figure, mask = crop_figure(drawing, one.box), one.mask
        template = rigging.skeleton
        used = one.skeleton if template is None else fit_template(template, mask)
        with part("rig"):
            rig = build_rig(figure, mask, used, rigging)
        progress("moving", 0.1)
        rehearsed = directions.repertoire if len(moved) >= len(ready) - MOST_REHEARSED else {}
        moved.append(_move(one, figure, rig, replace(directions, repertoire=rehearsed)))
    return tuple(moved)


def set_stage(
    drawing: Drawing,
    moved: Sequence[MovedFigure],
    request: AnimationRequest,
    picture: Drawing | None = None,
) -> Stage:
    """Plan the scene for the moved figures of a drawing that has been turned upright.

    picture: what a background of the kind "picture" shows.

    Raises:
        InvalidImage: when the background asks for a picture and there is none.
    """
    page = (drawing.width, drawing.height)
    scene = plan_scene(moved, request.side, request.background, page)
    scene = msgspec.structs.replace(scene, overlays=request.overlays)
    return Stage(scene, tuple(moved), _behind(drawing, moved, request, picture))


def film(
    stage: Stage,
    targets: Mapping[AnimationFormat, Path],
    progress: Progress,
    finish: Finish = PLAIN,
) -> tuple[Animation, ...]:
    """Draw a stage and write one file a target, in their order; no frame is drawn twice.

    Raises:
        EncodingFailed: when a file cannot be written, or there is no such frame.
    """
    progress("drawing", _DRAWING)
    films = dict(targets)
    stills = {form: films.pop(form) for form in (AnimationFormat.PNG,) if form in films}
    exports = {form: films.pop(form) for form in EXPORTERS if form in films}
    made: list[Animation] = []
    if exports:
        with part("export"):
            made += export(stage, exports)
    if finish.max_bytes is not None and AnimationFormat.GIF in films:
        gif = films.pop(AnimationFormat.GIF)
        with part("encode"):
            made.append(write_gif_within(stage, gif, finish.max_bytes, finish.plays))
    if stills:
        with part("encode"):
            still = piecewise("render", rasterize(stage, [finish.still]))
            made += encode(still, stage.scene.fps, stills)
    if films:
        with part("encode"):
            drawn = piecewise("render", draw_for(stage, films))
            frames = _tell(drawn, stage.scene.frame_count, progress)
            made += encode(frames, stage.scene.fps, films, finish.plays)
    order = list(targets)
    return tuple(sorted(made, key=lambda animation: order.index(animation.format)))


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


@dataclass(frozen=True, slots=True, eq=False)
class _Ready:
    """A figure that can be moved; see `FigureAnnotation`."""

    id: str
    box: Box
    mask: Mask
    skeleton: Skeleton
    limbs: Mapping[str, Depth]


def _ready_figures(annotation: Annotation) -> list[_Ready]:
    """The figures that can be moved, the one that stands lowest last: it is nearest."""
    ready = [
        _Ready(one.id, one.box, mask_from_run_lengths(one.mask), one.skeleton, one.limbs)
        for one in annotation.figures
        if one.mask is not None and one.skeleton is not None and not one.hidden
    ]
    if not ready:
        msg = (
            "No figure was found in the drawing. Take the photo straight from above in bright "
            "light, with the whole figure in the picture."
        )
        raise NoFigureFound(msg)
    return sorted(ready, key=lambda figure: figure.box.y2)


def _move(one: _Ready, figure: Figure, rig: Rig, directions: Directions) -> MovedFigure:
    """A figure that does what it is directed to."""

    def act(performance: Performance) -> PoseSequence:
        poses = perform(performance, rig.skeleton, rig.to_world)
        return order_limbs(poses, rig.skeleton, one.limbs)

    entry = directions.entry_of(one.id)
    with part("retarget"):
        poses = act(entry.performance)
    with part("deform"):
        track = deform(rig, poses)
    with part("rehearse"):
        repertoire = tuple(
            Rehearsal(name, loops, act(performance))
            for name, (performance, loops) in directions.repertoire.items()
        )
    return MovedFigure(
        figure=figure,
        mask=one.mask,
        rig=rig,
        joints=pose_joints(rest_joints(rig), rig.skeleton.parents, poses).places,
        track=track,
        id=one.id,
        start=entry.start,
        repertoire=repertoire,
    )


def _tell(
    frames: Iterable[NDArray[np.uint8]], count: int, progress: Progress
) -> Iterator[NDArray[np.uint8]]:
    """Hand on frames (H, W, 4), and tell how many of them are drawn."""
    for index, frame in enumerate(frames):
        progress("drawing", _DRAWING + (1.0 - _DRAWING) * index / count)
        yield frame
