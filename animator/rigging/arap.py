"""As-rigid-as-possible deformation of a triangle mesh that follows handles.

Method: Igarashi and Igarashi, "Implementing As-Rigid-As-Possible Shape Manipulation and Surface
Flattening", Journal of Graphics, GPU, and Game Tools 14(1), 2009. Step one lets every edge turn
and scale with its neighbourhood; step two keeps only the turn and solves for the places.

Points of the plane are complex numbers here (x + iy): a similarity is then one complex factor, and
step one is a Hermitian system of one unknown a vertex. Both systems are factorised once; the frames
of a whole clip are right-hand sides.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array
from scipy.sparse.linalg import SuperLU, splu

from animator.core.rig import Mesh
from animator.rigging.edges import edges_with_neighbours

__all__ = ("Arap", "Handles", "precompute", "solve")

Complex = NDArray[np.complex128]

FRAMES_AT_ONCE = 32
"""Frames solved together; few enough for the processor's cache."""


@dataclass(frozen=True, slots=True, eq=False)
class Handles:
    """Points of the mesh that are pulled to given places.

    Attributes:
        corners: (H, 3) int32, the vertices that a handle hangs on.
        shares: (H, 3) float64, its barycentric coordinates among them.
        weights: (H,) float64, > 0, how strongly it pulls, against 1 for an edge.
    """

    corners: NDArray[np.int32]
    shares: NDArray[np.float64]
    weights: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Arap:
    """A mesh with handles, factorised: ready for any number of frames.

    Attributes:
        similarity: factors of step one.
        rigid: factors of step two.
        pull_similarity: (V, H) complex, handle places to the right-hand side of step one.
        pull_rigid: (V, H) float64, the same for step two.
        turn: (E, V) complex, vertices to the similarity of each edge.
        gather: (V, E) complex, turns of edges to the right-hand side of step two.
    """

    similarity: SuperLU
    rigid: SuperLU
    pull_similarity: csr_array
    pull_rigid: csr_array
    turn: csr_array
    gather: csr_array


def precompute(mesh: Mesh, handles: Handles) -> Arap:
    """Factorise both systems of a mesh in its rest pose.

    Every connected part of the mesh needs two handles, or it is free to turn.
    """
    count = len(mesh.vertices)
    rest = mesh.vertices[:, 0].astype(np.complex128) + 1j * mesh.vertices[:, 1]
    edges, neighbours = edges_with_neighbours(mesh.triangles)
    turn = _edge_similarities(rest, neighbours)
    arrows = rest[edges[:, 1]] - rest[edges[:, 0]]
    difference = _sparse(
        np.repeat(np.arange(len(edges)), 2), edges.ravel(), np.tile([-1.0, 1.0], len(edges)), count
    )
    residual = difference - turn.multiply(arrows[:, None]).tocsr()
    pins = _sparse(
        np.repeat(np.arange(len(handles.corners)), 3),
        handles.corners.ravel(),
        (handles.shares * handles.weights[:, None]).ravel(),
        count,
    )
    pull = csr_array(pins.T.multiply(handles.weights[None, :]))
    return Arap(
        similarity=_factorise(residual.conj().T @ residual + (pins.T @ pins).astype(complex)),
        rigid=_factorise(difference.T @ difference + pins.T @ pins),
        pull_similarity=pull.astype(complex),
        pull_rigid=pull,
        turn=turn,
        gather=csr_array(difference.T @ _diagonal(arrows)),
    )


def solve(arap: Arap, places: NDArray[np.float64], rounds: int = 1) -> NDArray[np.float32]:
    """Vertices of every frame.

    places: (F, H, 2) float64, world space, where each handle has to go.
    rounds: of turning edges and solving again, >= 1; the paper does one.
    Returns (F, V, 2) float32, world space.
    """
    points = np.asarray(places[..., 0] + 1j * places[..., 1]).T
    parts = [
        _solve_frames(arap, points[:, start : start + FRAMES_AT_ONCE], rounds)
        for start in range(0, points.shape[1], FRAMES_AT_ONCE)
    ]
    moved = np.concatenate(parts, axis=1).T
    return np.stack((moved.real, moved.imag), axis=-1).astype(np.float32)


def _edge_similarities(rest: Complex, neighbours: NDArray[np.int32]) -> csr_array:
    """Rows of least-squares similarities: each edge's neighbourhood, rest to moved, less means."""
    present = neighbours >= 0
    around = np.where(present, rest[neighbours], 0)
    mean = around.sum(axis=1, keepdims=True) / present.sum(axis=1, keepdims=True)
    spokes = np.where(present, around - mean, 0)
    factors = spokes.conj() / (np.abs(spokes) ** 2).sum(axis=1, keepdims=True)
    rows = np.broadcast_to(np.arange(len(neighbours))[:, None], neighbours.shape)
    return _sparse(rows[present], neighbours[present], factors[present], len(rest))


def _solve_frames(arap: Arap, points: Complex, rounds: int) -> Complex:
    pull = arap.pull_rigid @ points
    moved: Complex = arap.similarity.solve(arap.pull_similarity @ points)
    for _ in range(rounds):
        turns = arap.turn @ moved
        size = np.abs(turns)
        turns /= np.where(size > 1e-12, size, 1.0)
        right = arap.gather @ turns + pull
        both = arap.rigid.solve(np.concatenate((right.real, right.imag), axis=1))
        half = right.shape[1]
        moved = both[:, :half] + 1j * both[:, half:]
    return moved


def _sparse(
    rows: NDArray[np.intp], columns: NDArray[np.int32], values: NDArray[np.generic], width: int
) -> csr_array:
    return csr_array((values, (rows, columns)), shape=(int(rows.max()) + 1, width))


def _diagonal(values: Complex) -> csr_array:
    place = np.arange(len(values))
    return csr_array((values, (place, place)))


def _factorise(matrix: csr_array) -> SuperLU:
    """Factors of a symmetric positive definite matrix."""
    return splu(
        csc_array(matrix),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )
