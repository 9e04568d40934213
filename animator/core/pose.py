"""The clip as angles of bones, as places of joints, and as moved vertices."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from animator.core.skeleton import Skeleton

__all__ = (
    "NO_LENGTH",
    "JointTrack",
    "PoseSequence",
    "VertexTrack",
    "group_of_joints",
    "joint_positions",
    "pose_joints",
    "turn_joints",
)

NO_LENGTH = 1e-6
"""A bone shorter than this has no direction, world units."""


@dataclass(frozen=True, slots=True, eq=False)
class PoseSequence:
    """Where each bone of a drawn skeleton points, frame by frame.

    Attributes:
        fps: frames a second, > 0.
        root: (F, 2) float32, world space, the root's path; the rest pose has it at (0, 0).
        angles: (F, J) float32, radians, the global direction of the bone that ends in joint j
            (skeleton order), counter-clockwise from +y; NaN where the bone keeps its rest angle
            relative to its parent bone. Column 0 (the root) turns the whole figure: 0 or NaN is
            upright, as drawn.
        depths: (F, G) float32, one column a limb group, larger is nearer to the viewer.
        groups: G tuples of joint names: the bones (by far joint) of each limb group.

    Raises:
        ValueError: when an array has another shape.
    """

    fps: float
    root: NDArray[np.float32]
    angles: NDArray[np.float32]
    depths: NDArray[np.float32]
    groups: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        frames = len(self.root)
        if (
            self.root.shape != (frames, 2)
            or self.angles.shape[:1] != (frames,)
            or self.depths.shape != (frames, len(self.groups))
        ):
            msg = (
                f"expected root (F, 2), angles (F, J), depths (F, {len(self.groups)}), "
                f"got {self.root.shape}, {self.angles.shape}, {self.depths.shape}"
            )
            raise ValueError(msg)


@dataclass(frozen=True, slots=True, eq=False)
class JointTrack:
    """Where the bones of a figure go.

    Attributes:
        places: (F, J, 2) float64, world space, of each joint.
        turns: (F, J) float64, radians counter-clockwise, of the bone that ends in each joint,
            away from its rest pose.
    """

    places: NDArray[np.float64]
    turns: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class VertexTrack:
    """The whole clip as moved vertices; the renderer and the page's player both play it.

    Attributes:
        fps: frames a second, > 0.
        vertices: (F, V, 2) float32, world space.
        group_of: (T,) int16, the limb group of each triangle.
        order: (F, G) int16, group indices from back to front.
    """

    fps: float
    vertices: NDArray[np.float32]
    group_of: NDArray[np.int16]
    order: NDArray[np.int16]

    def __post_init__(self) -> None:
        frames = len(self.vertices)
        if self.vertices.ndim != 3 or self.vertices.shape[2] != 2 or len(self.order) != frames:
            msg = (
                f"expected vertices (F, V, 2) and order (F, G), "
                f"got {self.vertices.shape} and {self.order.shape}"
            )
            raise ValueError(msg)


def pose_joints(
    rest: NDArray[np.float64], parents: tuple[int, ...], poses: PoseSequence
) -> JointTrack:
    """Walk the skeleton from the root outwards, all frames at once.

    rest: (J, 2) float64, world space.
    parents: J indices, parents before children, -1 for the root.
    """
    bones = _bones(rest, parents)
    turns = poses.angles.astype(np.float64) - np.arctan2(-bones[:, 0], bones[:, 1])
    turns[:, np.hypot(*bones.T) <= NO_LENGTH] = np.nan
    turns[:, 0] = np.nan_to_num(poses.angles[:, 0])
    rests = np.isnan(turns)
    for joint in np.flatnonzero(rests.any(axis=0)):
        turns[:, joint] = np.where(rests[:, joint], turns[:, parents[joint]], turns[:, joint])
    return turn_joints(rest, parents, rest[0] + poses.root, turns)


def turn_joints(
    rest: NDArray[np.float64],
    parents: tuple[int, ...],
    root: NDArray[np.float64],
    turns: NDArray[np.float64],
) -> JointTrack:
    """Where the joints go when each bone is turned so far.

    rest: (J, 2) float64, world space.
    parents: J indices, parents before children, -1 for the root.
    root: (F, 2) float64, world space, of the root joint.
    turns: (F, J) float64, radians, of the bone that ends in each joint.
    """
    bones = _bones(rest, parents)
    cosine, sine = np.cos(turns), np.sin(turns)
    x = cosine * bones[:, 0] - sine * bones[:, 1]
    y = sine * bones[:, 0] + cosine * bones[:, 1]
    places = np.stack((x, y), axis=2)
    places[:, 0] = root
    for joint, parent in enumerate(parents[1:], start=1):
        places[:, joint] += places[:, parent]
    return JointTrack(places=places, turns=turns)


def _bones(rest: NDArray[np.float64], parents: tuple[int, ...]) -> NDArray[np.float64]:
    """From the near joint of each bone to its far one: (J, 2), world units; the root's is none."""
    return np.asarray(rest - rest[np.maximum(parents, 0)])


def group_of_joints(poses: PoseSequence, skeleton: Skeleton) -> NDArray[np.int16]:
    """The limb group of each joint's bone (J,); one that is in no group goes with its parent."""
    named = {bone: place for place, bones in enumerate(poses.groups) for bone in bones}
    found = np.zeros(len(skeleton.joints), np.int16)
    for i, (joint, parent) in enumerate(zip(skeleton.joints, skeleton.parents, strict=True)):
        found[i] = named.get(joint.name, found[max(parent, 0)])
    return found


def joint_positions(skeleton: Skeleton) -> NDArray[np.float32]:
    """Positions of the joints at rest: (J, 2) float32, figure space, skeleton order."""
    return np.array([(joint.x, joint.y) for joint in skeleton.joints], dtype=np.float32)
