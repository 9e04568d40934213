"""Handles: what pulls the mesh along with the bones."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import shortest_path

from animator.core.rig import Rig
from animator.rigging.arap import Handles
from animator.rigging.kinematics import JointTrack

__all__ = ("follow_bones", "handle_places", "locate", "rig_handles")

JOINT_WEIGHT = 5.0
"""Pull of a joint on its place in the mesh: firm, yet where joints contradict one another no spike
is drawn out between them."""

FOLLOW_WEIGHT = 0.15
"""Pull of a bone on the vertices that are its alone: limbs keep their shape and follow."""

LEAST_WEIGHT = 0.01
"""Pull where bones meet: enough that no part of the mesh is ever free, too little to see."""

HOME = 2
"""Bones from a joint to those whose paint it may lie in."""


def locate(
    vertices: NDArray[np.float64], triangles: NDArray[np.int32], points: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """For each point the triangle it lies in, or the one it is least outside of.

    Returns indices (N,) int64 of triangles and barycentric coordinates (N, 3) float64, none
    below 0.
    """
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    whole = _cross(b - a, c - a)
    places = points[:, None, :]
    first = _cross(b - places, c - places) / whole
    second = _cross(c - places, a - places) / whole
    shares = np.stack((first, second, 1 - first - second), axis=-1)
    best = np.argmax(shares.min(axis=-1), axis=1)
    chosen = np.clip(shares[np.arange(len(points)), best], 0, None)
    return best, chosen / chosen.sum(axis=1, keepdims=True)


def follow_bones(
    triangles: NDArray[np.int32], bone_of: NDArray[np.int16], count: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """For each vertex the bone most of its triangles follow, and how surely it does.

    Returns bones (V,) int64 and sureness (V,) float64 in [0, 1]: 1 deep inside a bone's own
    triangles, 0 where bones meet.
    """
    votes = np.zeros((count, int(bone_of.max()) + 1))
    np.add.at(votes, (triangles.ravel(), np.repeat(bone_of, 3)), 1)
    total = votes.sum(axis=1)
    alone = (votes.max(axis=1) == total).astype(np.float64)
    near = np.zeros(count)
    np.add.at(near, triangles.ravel(), np.repeat(alone[triangles].mean(axis=1), 3))
    return votes.argmax(axis=1), alone * near / total


def rig_handles(rig: Rig, rest: NDArray[np.float64]) -> Handles:
    """Every joint, firmly, then every vertex, softly.

    A joint that lies in another limb's triangle, as misplaced ones do, hardly pulls.

    rest: (J, 2) float64, world space, the joints at rest.
    """
    vertices, triangles = rig.mesh.vertices.astype(np.float64), rig.mesh.triangles
    within, shares = locate(vertices, triangles, rest)
    at_home = _is_at_home(rig.skeleton.parents, rig.bone_of[within])
    _, sure = follow_bones(triangles, rig.bone_of, len(vertices))
    own = np.arange(len(vertices), dtype=np.int32)
    return Handles(
        corners=np.concatenate((triangles[within], np.stack((own, own, own), axis=1))),
        shares=np.concatenate((shares, np.tile([1.0, 0.0, 0.0], (len(own), 1)))),
        weights=np.concatenate(
            (
                np.where(at_home, JOINT_WEIGHT, LEAST_WEIGHT),
                LEAST_WEIGHT + FOLLOW_WEIGHT * sure,
            )
        ),
    )


def handle_places(rig: Rig, rest: NDArray[np.float64], track: JointTrack) -> NDArray[np.float64]:
    """Where the handles of `rig_handles` go in every frame: (F, J + V, 2) float64, world space."""
    vertices = rig.mesh.vertices.astype(np.float64)
    bones, _ = follow_bones(rig.mesh.triangles, rig.bone_of, len(vertices))
    near = np.array(rig.skeleton.parents)[bones]
    arms = vertices - rest[near]
    cosine, sine = np.cos(track.turns[:, bones]), np.sin(track.turns[:, bones])
    moved = track.places[:, near] + np.stack(
        (cosine * arms[:, 0] - sine * arms[:, 1], sine * arms[:, 0] + cosine * arms[:, 1]), axis=-1
    )
    return np.concatenate((track.places, moved), axis=1)


def _is_at_home(parents: tuple[int, ...], bones: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Whether the bone that the paint at each joint follows is near it in the skeleton: (J,)."""
    children = np.arange(1, len(parents))
    links = (np.ones(len(children)), (children, np.array(parents[1:])))
    steps = shortest_path(
        coo_array(links, shape=(len(parents),) * 2), directed=False, unweighted=True
    )
    joints, ends = np.arange(len(parents)), np.stack((bones, np.array(parents)[bones]))
    return np.asarray(steps[joints, ends].min(axis=0) <= HOME)


def _cross(u: NDArray[np.float64], v: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0])
