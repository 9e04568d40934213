"""A moved figure as a skinned mesh: weights of bones for vertices, and bones that turn in time.

A bone is a node at its near joint; it turns about that joint, and its far joint's bones hang on it.
So two bones that leave one joint turn each by itself, which a node a joint could not do.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from animator.core.moved_figure import MovedFigure
from animator.core.pose import joint_positions
from animator.core.rig import Rig

__all__ = ("Bones", "Weights", "bones_of", "weights_of")

INFLUENCES = 4
"""Bones that move a vertex, at most: what glTF demands of every viewer."""

GROUP_STEP, BONE_STEP = 0.01, 0.0005
"""Distance towards the viewer from limb group to limb group, and from bone to bone in it; world
units (the figure is one unit tall)."""

NO_LENGTH = 1e-6
"""A bone shorter than this has no direction, world units."""


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """Which bones move each vertex.

    Attributes:
        bones: (V, 4) uint16, indices of far joints; 0 where the weight is 0.
        shares: (V, 4) float32, >= 0, each row adds up to 1.
    """

    bones: NDArray[np.uint16]
    shares: NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Bones:
    """Bones by far joint, in skeleton order; the first is the root itself.

    Attributes:
        parents: of each bone, an index; -1 for the root.
        origins: (J, 2) float32, world space, where each bone begins in the rest pose.
        moves: (F, J, 3) float32, of each bone's origin, relative to its parent bone.
        turns: (F, J) float64, radians counter-clockwise, relative to its parent bone.
    """

    parents: tuple[int, ...]
    origins: NDArray[np.float32]
    moves: NDArray[np.float32]
    turns: NDArray[np.float64]


def weights_of(rig: Rig) -> Weights:
    """Weights from those of the triangles around each vertex."""
    full = _gathered(rig)
    kept = min(INFLUENCES, full.shape[1])
    bones = np.argsort(-full, axis=1, kind="stable")[:, :kept]
    shares = np.take_along_axis(full, bones, axis=1)
    shares /= shares.sum(axis=1, keepdims=True)
    wide = ((0, 0), (0, INFLUENCES - kept))
    return Weights(
        bones=np.pad(np.where(shares > 0, bones, 0), wide).astype(np.uint16),
        shares=np.pad(shares, wide).astype(np.float32),
    )


def _gathered(rig: Rig) -> NDArray[np.float64]:
    """Shares of bones for vertices (V, J), the mean of those of the triangles around."""
    full = np.zeros((len(rig.mesh.vertices), rig.weights.shape[1]))
    np.add.at(full, rig.mesh.triangles.ravel(), np.repeat(rig.weights, 3, axis=0))
    full[full.sum(axis=1) == 0, 0] = 1.0
    return np.asarray(full / full.sum(axis=1, keepdims=True))


def bones_of(moved: MovedFigure) -> Bones:
    """The bones' paths, from the paths of the joints; limbs in front come nearer to the viewer."""
    parents = moved.rig.skeleton.parents
    above = np.maximum(parents, 0)
    rest = moved.rig.to_world.apply(joint_positions(moved.rig.skeleton))
    turns = _turns(moved.joints, rest.astype(np.float64), parents)
    near = _nearness(moved)
    moves = np.zeros((len(turns), len(parents), 3), np.float32)
    moves[..., :2] = rest[above] - rest[above[above]]
    moves[:, 0, :2] = moved.joints[:, 0]
    moves[..., 2] = near - np.where(np.array(parents) < 0, 0.0, near[:, above])
    return Bones(
        parents=parents,
        origins=rest[above],
        moves=moves,
        turns=turns - np.where(np.array(parents) < 0, 0.0, turns[:, above]),
    )


def _turns(
    joints: NDArray[np.float64], rest: NDArray[np.float64], parents: tuple[int, ...]
) -> NDArray[np.float64]:
    """How far each bone has turned from its rest pose: (F, J), without jumps in time."""
    turns = np.zeros(joints.shape[:2])
    for joint, parent in enumerate(parents[1:], start=1):
        bone = rest[joint] - rest[parent]
        if np.hypot(*bone) > NO_LENGTH:
            now = joints[:, joint] - joints[:, parent]
            angles = np.arctan2(now[:, 1], now[:, 0]) - np.arctan2(bone[1], bone[0])
            turns[:, joint] = np.unwrap(angles)
        else:
            turns[:, joint] = turns[:, parent]
    return turns


def _nearness(moved: MovedFigure) -> NDArray[np.float64]:
    """How near each bone is to the viewer: (F, J), world units; the root's is 0."""
    group_of = np.zeros(len(moved.rig.skeleton.joints), np.int64)
    group_of[moved.rig.bone_of] = moved.track.group_of
    rank = np.argsort(moved.track.order, axis=1)
    near = rank[:, group_of] * GROUP_STEP + np.arange(len(group_of)) * BONE_STEP
    near[:, 0] = 0.0
    return near
