"""The walk from a scene's script to its stage: every figure with a motion of its own."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from animator.core.drawing import Drawing, Figure
from animator.core.errors import AnimatorError, InvalidScene
from animator.core.mask import Mask
from animator.core.moved_figure import MovedFigure
from animator.core.scene import Placement
from animator.core.script import FilmedPlace, Role, Script
from animator.core.skeleton import Skeleton
from animator.core.stage import Stage
from animator.motion import Performance, perform, retarget
from animator.render import film_figure, frame_scene, show_frame, stand
from animator.rigging import build_rig, deform, pose_joints, rest_joints
from animator.vision import whiten_paper

__all__ = ("Performer", "stage_script")


@dataclass(frozen=True, slots=True, eq=False)
class Performer:
    """One figure of a scene, with all that it needs to move.

    Attributes:
        role: what the script asks of it.
        figure: cut out of its drawing.
        mask: figure space, the size of the figure's image.
        skeleton: figure space.
        performance: what it does, and how it follows it.
        drawing: upright, whose paper is to be white; None: the paint stays as it is.
    """

    role: Role
    figure: Figure
    mask: Mask
    skeleton: Skeleton
    performance: Performance
    drawing: Drawing | None = None


def stage_script(
    script: Script, cast: Sequence[Performer], picture: NDArray[np.uint8] | None
) -> Stage:
    """Move every figure, place it, and plan the scene.

    cast: one a role, in their order.
    picture: (h, w, 3) uint8 RGB, what a background of the kind "picture" shows.

    Raises:
        EmptyMask: when a figure's outline is too small to move.
        InvalidSkeleton: when a figure's joints cannot be moved.
        InvalidMotion: when a motion does not fit its figure.
        InvalidScene: when the camera does not see a figure.
    """
    placed = [_place(script, performer) for performer in cast]
    moved = tuple(one for one, _ in placed)
    places = [placement for _, placement in placed]
    scene = frame_scene(moved, places, script.background, script.size)
    scene = msgspec.structs.replace(scene, overlays=script.overlays)
    return Stage(show_frame(scene, moved, moves=script.moves_camera), moved, picture)


def _place(script: Script, performer: Performer) -> tuple[MovedFigure, Placement]:
    role = performer.role
    try:
        moved = _move(performer)
    except AnimatorError as error:
        raise type(error)(f"{role.where}: {error.message}") from error
    if not isinstance(role.place, FilmedPlace):
        placement = stand(moved, role.place, script.size)
    elif script.camera is None:
        msg = f"{role.where}: a place in space needs a camera."
        raise InvalidScene(msg)
    else:
        try:
            moved, placement = film_figure(moved, role.place, script.camera, script.size)
        except InvalidScene as error:
            msg = f"{script.where}: {error.message}"
            raise InvalidScene(msg) from error
    return moved, msgspec.structs.replace(placement, start=role.start, repeats=role.repeats)


def _move(performer: Performer) -> MovedFigure:
    rig = build_rig(performer.figure, performer.mask, performer.skeleton, performer.role.rigging)
    if performer.role.rules is None:
        poses = perform(performer.performance, rig.skeleton, rig.to_world)
    else:  # rules of AnimatedDrawings mean its own movements, feet that slide and all
        (clip,) = performer.performance.clips
        poses = retarget(*clip, rig.skeleton, rig.to_world)
    joints = pose_joints(rest_joints(rig), rig.skeleton.parents, poses).places
    moved = MovedFigure(performer.figure, performer.mask, rig, joints, deform(rig, poses))
    return moved if performer.drawing is None else whiten_paper(moved, performer.drawing)
