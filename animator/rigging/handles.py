"""Handles: what pulls the mesh along with the bones."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import shortest_path

from animator.core.pose import JointTrack
from animator.core.rig import Rig
from animator.rigging.arap import Handles

__all__ = ("Grip", "grip_rig", "handle_places", "locate")

JOINT_WEIGHT = 25.0
"""Pull of a joint on its place in the mesh: bones keep their lengths within a hundredth."""

STRETCHY_WEIGHT = 1.0
"""Pull of a joint whose bone may stretch."""

FOLLOW_WEIGHT = 0.1
"""Pull of a bone on the vertices that are its alone: limbs keep their shape and follow."""

LEAST_WEIGHT = 0.01
"""Pull where bones meet: enough that no part of the mesh is ever free, too little to see."""

ALONE = (0.75, 0.95)
"""Share of a bone in a vertex from which it begins to be its alone, and from which it is."""

HOME = 2
"""Bones from a joint to those whose paint it may lie in."""


@dataclass(frozen=True, slots=True, eq=False)
class Grip:
    """How the bones hold the mesh of a rig.

    Attributes:
        handles: every joint, firmly, then every vertex, softly.
        bones: (V,) int64, the bone, by far joint, that takes each vertex along.
    """

    handles: Handles
    bones: NDArray[np.int64]


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


def grip_rig(rig: Rig, rest: NDArray[np.float64], weights: NDArray[np.float32]) -> Grip:
    """Take hold of a rig by its joints and, softly, by every vertex.

    A joint that lies in another limb's paint, as misplaced ones do, hardly pulls.

    rest: (J, 2) float64, world space, the joints at rest.
    weights: (T, J) float32, of the bones in the turns of the triangles.
    """
    vertices, triangles = rig.mesh.vertices.astype(np.float64), rig.mesh.triangles
    within, shares = locate(vertices, triangles, rest)
    firm = np.full(len(rest), JOINT_WEIGHT)
    firm[list(rig.stretchy)] = STRETCHY_WEIGHT
    at_home = _is_at_home(rig.skeleton.parents, rig.bone_of[within])
    held = _of_vertices(triangles, weights, len(vertices))
    sure = np.clip((held.max(axis=1) - ALONE[0]) / (ALONE[1] - ALONE[0]), 0, 1)
    own = np.arange(len(vertices), dtype=np.int32)
    handles = Handles(
        corners=np.concatenate((triangles[within], np.stack((own, own, own), axis=1))),
        shares=np.concatenate((shares, np.tile([1.0, 0.0, 0.0], (len(own), 1)))),
        weights=np.concatenate(
            (
                np.where(at_home, firm, LEAST_WEIGHT),
                LEAST_WEIGHT + FOLLOW_WEIGHT * sure,
            )
        ),
    )
    return Grip(handles, held.argmax(axis=1))


def handle_places(
    rig: Rig, rest: NDArray[np.float64], bones: NDArray[np.int64], track: JointTrack
) -> NDArray[np.float64]:
    """Where the handles go in every frame: (F, J + V, 2) float64, world space."""
    vertices = rig.mesh.vertices.astype(np.float64)
    near = np.maximum(np.array(rig.skeleton.parents)[bones], 0)
    arms = vertices - rest[near]
    cosine, sine = np.cos(track.turns)[:, bones], np.sin(track.turns)[:, bones]
    moved = track.places[:, near] + np.stack(
        (cosine * arms[:, 0] - sine * arms[:, 1], sine * arms[:, 0] + cosine * arms[:, 1]), axis=-1
    )
    return np.concatenate((track.places, moved), axis=1)


def _of_vertices(
    triangles: NDArray[np.int32], weights: NDArray[np.float32], count: int
) -> NDArray[np.float64]:
    """The mean weights (V, J) of the triangles around each vertex."""
    corners = triangles.ravel()
    ones = np.ones(len(corners))
    around = coo_array((ones, (corners, np.repeat(np.arange(len(triangles)), 3)))).tocsr()
    return np.asarray((around @ weights) / np.bincount(corners, minlength=count)[:, None])


def _is_at_home(parents: tuple[int, ...], bones: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Whether the bone that the paint at each joint follows is near it in the skeleton: (J,)."""
    children = np.arange(1, len(parents))
    links = (np.ones(len(children)), (children, np.array(parents[1:])))
    tree = coo_array(links, shape=(len(parents),) * 2).tocsr()
    steps = shortest_path(tree, directed=False, unweighted=True)
    joints, ends = np.arange(len(parents)), np.stack((bones, np.array(parents)[bones]))
    return np.asarray(steps[joints, ends].min(axis=0) <= HOME)


def _cross(u: NDArray[np.float64], v: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0])
