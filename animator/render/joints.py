"""Where every joint is in every frame, as JSON, for other software to follow."""

import msgspec
import numpy as np
from numpy.typing import NDArray

from animator.core.moved_figure import MovedFigure
from animator.core.scene import Placement
from animator.core.spaces import WorldToFrame, figure_to_drawing
from animator.core.stage import Stage

__all__ = ("FigureJoints", "JointDocument", "joints_of")

Places = list[list[tuple[float, float]]]

DIGITS = 3
"""Decimals of a place, pixels."""


class FigureJoints(msgspec.Struct, frozen=True, kw_only=True):
    """The joints of one figure.

    Attributes:
        joints: their names, in skeleton order; the root is first.
        parents: the place of each joint's parent in that order; -1 for the root.
        drawing: [frame][joint] = (x, y), pixels of the upright drawing, y down.
        output: [frame][joint] = (x, y), pixels of the animation's frames, y down.
    """

    joints: tuple[str, ...]
    parents: tuple[int, ...]
    drawing: Places
    output: Places


class JointDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The joints of a clip.

    Attributes:
        fps: frames a second.
        width: of the animation's frames, pixels.
        height: of the animation's frames, pixels.
        figures: back to front.
    """

    fps: float
    width: int
    height: int
    figures: tuple[FigureJoints, ...]


def joints_of(stage: Stage) -> bytes:
    """The joints of all figures, a `JointDocument` as JSON."""
    scene = stage.scene
    document = JointDocument(
        fps=scene.fps,
        width=scene.size.width,
        height=scene.size.height,
        figures=tuple(
            _figure_joints(one, place, scene.camera)
            for one, place in zip(stage.played(), scene.placements, strict=True)
        ),
    )
    return msgspec.json.encode(document)


def _figure_joints(one: MovedFigure, place: Placement, camera: WorldToFrame) -> FigureJoints:
    world = one.joints.astype(np.float32)
    return FigureJoints(
        joints=tuple(joint.name for joint in one.rig.skeleton.joints),
        parents=one.rig.skeleton.parents,
        drawing=_places(figure_to_drawing(one.rig.to_world.invert(world), one.figure.box)),
        output=_places(camera.apply(place.apply(world))),
    )


def _places(points: NDArray[np.float32]) -> Places:
    found: Places = np.round(points.astype(np.float64), DIGITS).tolist()
    return found
