"""A rig so plain that frames can be worked out by hand: a flat square of paint."""

import numpy as np
from numpy.typing import NDArray

from animator.core.animation import FrameSize
from animator.core.drawing import Figure
from animator.core.geometry import Box
from animator.core.mask import Mask
from animator.core.moved_figure import MovedFigure
from animator.core.pose import VertexTrack
from animator.core.rig import Mesh, Rig
from animator.core.scene import Background, Placement, Scene
from animator.core.skeleton import Joint, Skeleton
from animator.core.spaces import FigureToWorld, WorldToFrame
from animator.core.stage import Stage

SIDE = 16

CORNERS = np.array([[0, -1], [1, -1], [1, 0], [0, 0]], np.float32)
"""The square's corners in world space: its root is the top left corner."""


def make_texture(colour: tuple[int, int, int], alpha: int = 255) -> NDArray[np.uint8]:
    return np.tile(np.array([*colour, alpha], np.uint8), (SIDE, SIDE, 1))


def make_rig(texture: NDArray[np.uint8]) -> Rig:
    """A square of one world unit, 16 texture pixels wide: two triangles, two bones."""
    skeleton = Skeleton(
        joints=(
            Joint(name="root", parent=None, x=0.0, y=0.0),
            Joint(name="one", parent="root", x=0.0, y=16.0),
            Joint(name="two", parent="root", x=16.0, y=0.0),
        )
    )
    return Rig(
        skeleton=skeleton,
        mesh=Mesh(CORNERS, np.array([[0, 1, 3], [1, 2, 3]], np.int32)),
        texture=texture,
        bone_of=np.array([1, 2], np.int16),
        to_world=FigureToWorld(root_x=0.0, root_y=0.0, height=float(SIDE)),
        weights=np.eye(3, dtype=np.float32)[[1, 2]],
    )


def make_track(vertices: NDArray[np.float32], fps: float = 10.0) -> VertexTrack:
    """One limb group; vertices (F, 4, 2)."""
    return VertexTrack(
        fps=fps,
        vertices=np.asarray(vertices, np.float32),
        group_of=np.zeros(2, np.int16),
        order=np.zeros((len(vertices), 1), np.int16),
    )


BOX = Box(10.0, 20.0, 26.0, 36.0)
"""Where the square lies in its drawing."""


def make_moved(rig: Rig, track: VertexTrack, box: Box = BOX) -> MovedFigure:
    """A figure whose joints go where the square's first corner goes."""
    rest = np.array([[0, 0], [0, -1], [1, 0]], np.float64)
    shift = (track.vertices[:, 3] - CORNERS[3]).astype(np.float64)
    return MovedFigure(
        figure=Figure(box=box, image=np.ascontiguousarray(rig.texture[..., :3])),
        mask=Mask(np.ones((SIDE, SIDE), bool)),
        rig=rig,
        joints=rest + shift[:, None],
        track=track,
    )


def make_stage(
    scene: Scene, *moved: MovedFigure, picture: NDArray[np.uint8] | None = None
) -> Stage:
    return Stage(scene, moved, picture)


def make_scene(
    background: Background,
    *placements: Placement,
    side: int = 32,
    scale: float = 16.0,
    frames: int = 1,
) -> Scene:
    """World x = 0, y = 0 lies at pixel (8, 8)."""
    return Scene(
        size=FrameSize(width=side, height=side),
        fps=10.0,
        frame_count=frames,
        camera=WorldToFrame(scale=scale, origin_x=8.0, origin_y=8.0),
        background=background,
        placements=placements or (Placement(),),
    )
