"""From an annotation to moved figures."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from animator.core.annotation import Annotation, Depth
from animator.core.drawing import Drawing, Figure, crop_figure
from animator.core.errors import EmptyMask, InvalidSkeleton, NoFigureFound
from animator.core.geometry import Box
from animator.core.mask import Mask, mask_from_run_lengths
from animator.core.moved_figure import MovedFigure, Rehearsal
from animator.core.pose import PoseSequence, VertexTrack
from animator.core.rig import Rig
from animator.core.rigging import USUAL, RigOptions
from animator.core.skeleton import Skeleton
from animator.core.tracing import part
from animator.directing import Directions
from animator.motion import Performance, order_limbs, perform
from animator.pipeline.progress import Progress
from animator.rigging import build_rig, deform, fit_template, pose_joints, rest_joints

__all__ = ("move_figures",)

MOST_REHEARSED = 6
"""Figures of which there are previews, at most: those nearest to the viewer."""


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
        EmptyMask: when a figure's outline is too small to move; it is about that figure.
        InvalidSkeleton: when a figure's joints cannot be moved; it is about that figure.
    """
    moved: list[MovedFigure] = []
    ready = _ready_figures(annotation)
    for one in ready:
        progress("rigging", 0.0)
        figure = crop_figure(drawing, one.box)
        with part("rig"):
            rig = _rig(one, figure, rigging)
        progress("moving", 0.1)
        rehearsed = directions.repertoire if len(moved) >= len(ready) - MOST_REHEARSED else {}
        moved.append(_move(one, figure, rig, replace(directions, repertoire=rehearsed)))
    return tuple(moved)


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


def _rig(one: _Ready, figure: Figure, rigging: RigOptions) -> Rig:
    """All that is needed to move a figure; what keeps it from moving is said to be of that one."""
    try:
        template = rigging.skeleton
        used = one.skeleton if template is None else fit_template(template, one.mask)
        return build_rig(figure, one.mask, used, rigging)
    except (EmptyMask, InvalidSkeleton) as error:
        named = type(error)(f"Figure {one.id!r}: {error.message}")
        named.about = (one.id,)
        raise named from error


def _move(one: _Ready, figure: Figure, rig: Rig, directions: Directions) -> MovedFigure:
    """A figure that does what it is directed to."""

    def act(performance: Performance) -> PoseSequence:
        poses = perform(performance, rig.skeleton, rig.to_world)
        return order_limbs(poses, rig.skeleton, one.limbs)

    entry = directions.entry_of(one.id)
    with part("retarget"):
        poses = act(entry.performance) if directions.is_filmed else _rest(rig.skeleton)
    with part("deform"):
        track = deform(rig, poses) if directions.is_filmed else _unmoved(rig)
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


def _rest(skeleton: Skeleton) -> PoseSequence:
    """One frame of the figure as it was drawn."""
    count = len(skeleton.joints)
    return PoseSequence(
        fps=1.0,
        root=np.zeros((1, 2), np.float32),
        angles=np.full((1, count), np.nan, np.float32),
        depths=np.zeros((1, 1), np.float32),
        groups=(tuple(joint.name for joint in skeleton.joints),),
    )


def _unmoved(rig: Rig) -> VertexTrack:
    """One frame of the figure as it was drawn: what makes it movable takes longer than that."""
    return VertexTrack(
        fps=1.0,
        vertices=rig.mesh.vertices[None],
        group_of=np.zeros(len(rig.mesh.triangles), np.int16),
        order=np.zeros((1, 1), np.int16),
    )
