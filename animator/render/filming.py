"""Figures as a scene's file places them, and the camera that shows them.

The scene's unit is the height of the frame as the file asks for it, and its origin the lower left
corner. AnimatedDrawings films flat figures in a space of three dimensions through a lens of 35
degrees; what its camera sees of them is their place in the frame here, with the same perspective.
"""

from collections.abc import Sequence
from dataclasses import replace

import msgspec
import numpy as np
from numpy.typing import NDArray

from animator.core.animation import FrameSize
from animator.core.errors import InvalidScene
from animator.core.moved_figure import MovedFigure
from animator.core.scene import Placement, Scene
from animator.core.script import FilmedPlace, FrameShare, SceneCamera
from animator.core.spaces import WorldToFrame
from animator.render.compose import MARGIN, extent_of

__all__ = ("film_figure", "show_frame", "stand")

Floats = NDArray[np.float64]

LENS = np.radians(35.0)
"""Angle of view of AnimatedDrawings' camera, from the lower to the upper edge of the frame."""

NEAREST = 0.1
"""What is nearer to its camera than this is not seen; in its unit, the texture's longer side."""


def stand(one: MovedFigure, share: FrameShare, size: FrameSize) -> Placement:
    """Where a figure stands that is to have this share of the frame."""
    rest = one.rig.mesh.vertices
    middle = float(rest[:, 0].min() + rest[:, 0].max()) / 2
    return Placement(
        x=share.x * size.width / size.height - middle * share.height,
        y=share.y - float(rest[:, 1].min()) * share.height,
        scale=share.height,
    )


def film_figure(
    one: MovedFigure, place: FilmedPlace, camera: SceneCamera, size: FrameSize
) -> tuple[MovedFigure, Placement]:
    """A figure as AnimatedDrawings' camera sees it: moved as the lens shows it.

    Raises:
        InvalidScene: when it is behind the camera, or too near.
    """
    # Its unit is the longer side of the texture, ours the height of the figure.
    unit = one.rig.to_world.height / max(one.figure.image.shape[:2])
    at = np.array([place.x, place.y, place.z])
    (root,), (depth,) = _see(np.zeros((1, 2)), at, camera, size)
    scale = unit / (2 * np.tan(LENS / 2) * max(depth, NEAREST))

    def seen(points: NDArray[np.floating]) -> Floats:
        """World space (..., 2) to what is seen, in the figure's own unit around its root."""
        found, depths = _see(points.astype(np.float64) * unit, at, camera, size)
        if depths.min() < NEAREST:
            msg = (
                "view.CAMERA_POS: a figure is behind this camera, or too near to it. A camera "
                "stands at a larger z than the figure, and CAMERA_FWD points away from the figure."
            )
            raise InvalidScene(msg)
        return np.asarray((found - root) / scale)

    track = replace(one.track, vertices=seen(one.track.vertices).astype(np.float32))
    placement = Placement(x=float(root[0]), y=float(root[1]), scale=float(scale))
    return replace(one, track=track, joints=seen(one.joints)), placement


def _see(points: Floats, at: Floats, camera: SceneCamera, size: FrameSize) -> tuple[Floats, Floats]:
    """Points (..., 2) of a plane that faces +z at a place (3,): (..., 2) scene, (...) depths.

    The camera looks against its backward vector, and its picture stands upright.
    """
    backward = np.array(camera.backward)
    right = np.cross([0.0, 1.0, 0.0], backward)
    if np.linalg.norm(right) < 1e-9 * np.linalg.norm(backward):  # it looks straight up or down
        right = np.array([1.0, 0.0, 0.0])
    axes = np.stack([right, np.cross(backward, right), backward])
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    offset = axes @ (at - np.array(camera.position))
    x, y = points[..., 0], points[..., 1]
    across, up, back = (
        x * axis[0] + y * axis[1] + shift for axis, shift in zip(axes, offset, strict=True)
    )
    zoom = 1 / (2 * np.tan(LENS / 2) * np.maximum(-back, NEAREST))
    middle = size.width / size.height / 2
    return np.stack((across * zoom + middle, up * zoom + 0.5), axis=-1), -back


def show_frame(scene: Scene, moved: Sequence[MovedFigure], *, moves: bool) -> Scene:
    """The scene with the camera that its file asks for.

    moves: whether it steps back, and aside, as far as it must to keep all figures inside.
    """
    size = scene.size
    scale, shift = float(size.height), np.array([0.0, 0.0])
    low, high = extent_of(moved, scene.placements)
    frame = np.array([size.width, size.height]) / size.height
    if moves and ((low < 0).any() or (high > frame).any()):
        rim = MARGIN * min(size.width, size.height)
        room = np.array([size.width, size.height]) - 2 * rim
        scale = float(min(scale, *(room / np.maximum(high - low, 1e-9))))
        centred = frame / 2 * (size.height - scale)
        shift = np.clip(centred, rim - low * scale, room + rim - high * scale)
    camera = WorldToFrame(
        scale=scale, origin_x=float(shift[0]), origin_y=float(size.height - shift[1])
    )
    return msgspec.structs.replace(scene, camera=camera)
