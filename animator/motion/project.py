"""From three dimensions to two: which plane, and what is seen of a motion on it.

A person draws each part of the body in the view that shows it best: "twisted perspective". So each
limb group has a plane of its own (Smith, Zheng, Li, Jain, Hodgins: A Method for Animating
Children's Drawings of the Human Figure, ACM Transactions on Graphics 42(3), 2023).

The body frame: the root at the origin, y up, the figure faces +z, its left is +x.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from animator.core.errors import InvalidMotion
from animator.core.motion import Motion, RetargetMap
from animator.motion.kinematics import joint_index, joint_paths
from animator.motion.loops import is_closed

__all__ = (
    "MOST_SEEN",
    "Body",
    "View",
    "choose_views",
    "depths_on",
    "facing",
    "points_on",
    "principal_view",
    "see_body",
    "to_body_frame",
)

Floats = NDArray[np.float64]
MOST_SEEN = 48
"""Motions whose bodies are kept: those of the library, and some of people's own; 0.1 MB each."""

View = Literal["frontal", "sagittal", "from_left"]
"""From the figure's front, or from its right; or from its left, where it is to face to the left."""


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """A motion as its own body sees it.

    Attributes:
        name: of the motion.
        places: joint -> (F, 3) float64, metres, body frame.
        root: (F, 3) float64, metres, the path of the root over the ground.
        forward: (F, 2) float64, unit vectors (x, z): where the figure faces.
        fps: frames a second, > 0.
        closed: whether the last frame leads into the first.
    """

    name: str
    places: dict[str, Floats]
    root: Floats
    forward: Floats
    fps: float
    closed: bool

    def place(self, joint: str) -> Floats:
        """Places of a joint: (F, 3) float64, metres, body frame.

        Raises:
            InvalidMotion: when the motion has no joint of that name.
        """
        if joint not in self.places:
            msg = f"the motion {self.name!r} has no joint {joint[:100]!r}"
            raise InvalidMotion(msg)
        return self.places[joint]


def see_body(motion: Motion, retarget_map: RetargetMap) -> Body:
    """Bring every frame of a motion into the frame of its body.

    No figure has a say in it, so what was seen of a motion is kept. Its arrays are read-only.

    Raises:
        InvalidMotion: when the motion lacks the map's root or the joints across its body.
    """
    return _see_body(motion, retarget_map.root, retarget_map.forward)


@lru_cache(maxsize=MOST_SEEN)
def _see_body(motion: Motion, root: str, across: tuple[tuple[str, str], ...]) -> Body:
    """See `see_body`; motions are told apart by identity."""
    paths = joint_paths(motion)
    pairs = [(joint_index(motion, a), joint_index(motion, b)) for a, b in across]
    path = paths[:, joint_index(motion, root)]
    forward = facing(paths, pairs)
    placed = to_body_frame(paths, path, forward)
    for kept in (paths, forward, placed):
        kept.flags.writeable = False
    path.flags.writeable = False
    places = {name: placed[:, i] for i, name in enumerate(motion.joints)}
    return Body(motion.name, places, path, forward, motion.fps, is_closed(placed))


def choose_views(body: Body, retarget_map: RetargetMap) -> tuple[View, ...]:
    """The view of each limb group: as its plane says, or found from the movement.

    Raises:
        InvalidMotion: when the motion lacks a joint that the map names.
    """
    views: list[View] = []
    for group in retarget_map.groups:
        sources = [retarget_map.bones[b] for b in group.bones if b in retarget_map.bones]
        joints = group.plane_joints or tuple(j for s in sources for j in (s.near, s.far))
        view: View = "frontal"
        if group.plane == "principal":
            view = principal_view(np.array([body.place(joint) for joint in joints]))
        if "sagittal" in (group.plane, view):
            view = "from_left" if retarget_map.faces_left else "sagittal"
        views.append(view)
    return tuple(views)


def facing(paths: Floats, pairs: Sequence[tuple[int, int]]) -> Floats:
    """Where the figure faces, from lines across its body.

    paths: (F, J, 3) float64, metres, y up.
    pairs: indices (right, left) of joints; the mean of the lines is what it faces square to.
    Returns (F, 2) float64: unit vectors (x, z) on the ground; (0, 1) where no line is to be seen.
    """
    across = np.zeros((len(paths), 3))
    for right, left in pairs:
        line = paths[:, left] - paths[:, right]
        across += line / np.maximum(np.linalg.norm(line, axis=1, keepdims=True), 1e-12)
    forward = np.stack((-across[:, 2], across[:, 0]), axis=1)
    lengths = np.linalg.norm(forward, axis=1, keepdims=True)
    ahead = np.array([0.0, 1.0])
    return np.where(lengths > 1e-9, forward / np.maximum(lengths, 1e-9), ahead)


def to_body_frame(paths: Floats, root: Floats, forward: Floats) -> Floats:
    """Move each frame's root to the origin, and turn it about y to face +z.

    paths: (F, J, 3) float64, metres.
    root: (F, 3) float64, metres.
    forward: (F, 2) float64, unit vectors (x, z).
    Returns (F, J, 3) float64, metres, body frame.
    """
    placed = paths - root[:, None]
    x, z = forward[:, :1], forward[:, 1:]
    turned = placed.copy()
    turned[..., 0] = placed[..., 0] * z - placed[..., 2] * x
    turned[..., 2] = placed[..., 0] * x + placed[..., 2] * z
    return turned


def principal_view(points: Floats) -> View:
    """The view along which the movement is smallest, of the front and the side.

    points: (..., 3) float64, body frame. The third principal component of them all is the normal
    of the plane; the view nearer to it is chosen (Smith et al. 2023).
    """
    cloud = points.reshape(-1, 3)
    centred = cloud - cloud.mean(axis=0)
    _, components = np.linalg.eigh(centred.T @ centred)
    normal = np.abs(components[:, 0])  # eigenvalues come in ascending order
    return "frontal" if normal[2] > normal[0] else "sagittal"


def points_on(view: View, points: Floats) -> Floats:
    """What is seen: (..., 3) body frame to (..., 2), x to the right, y up.

    From the front the figure's left is on the right; from its right it faces to the right, from its
    left to the left.
    """
    if view == "frontal":
        return points[..., [0, 1]]
    seen = points[..., [2, 1]]
    return seen if view == "sagittal" else seen * np.array([-1.0, 1.0])


def depths_on(view: View, points: Floats) -> Floats:
    """Nearness to the viewer: (..., 3) body frame to (...), larger is nearer."""
    if view == "frontal":
        return points[..., 2]
    return -points[..., 0] if view == "sagittal" else points[..., 0]
