"""As-rigid-as-possible deformation of a triangle mesh that follows handles.

Every triangle turns as it is told, or as it turned in the round before, and one linear system finds
the places that fit all of them and the handles best: Liu, Zhang, Xu, Gotsman, Gortler, "A
Local/Global Approach to Mesh Parameterization", Computer Graphics Forum 27(5), 2008, applied to
what Igarashi and Igarashi ("Implementing As-Rigid-As-Possible Shape Manipulation and Surface
Flattening", Journal of Graphics, GPU, and Game Tools 14(1), 2009) do for edges.

Points of the plane are complex numbers here (x + iy). A triangle's map from rest is
z -> turn * z + shear * conj(z) + shift; it is a rotation where |turn| = 1 and shear = 0, and the
triangle is folded over where |shear| >= |turn|. The matrix is real and the same for all frames:
it is factorised once, and the frames of a whole clip are right-hand sides. Maps and places have
single precision; the system, whose handles weigh much more than an edge, has double.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array
from scipy.sparse.linalg import SuperLU

from animator.core.rig import Mesh
from animator.rigging.factors import factorise, solve_complex

__all__ = ("Arap", "Complex", "Handles", "fit", "precompute", "pull_of", "solve")

Complex = NDArray[np.complex64]


@dataclass(frozen=True, slots=True, eq=False)
class Handles:
    """Points of the mesh that are pulled to given places.

    Attributes:
        corners: (H, 3) int32, the vertices that a handle hangs on.
        shares: (H, 3) float64, its barycentric coordinates among them.
        weights: (H,) float64, > 0, how strongly it pulls, against about 1 for an edge.
    """

    corners: NDArray[np.int32]
    shares: NDArray[np.float64]
    weights: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Arap:
    """A mesh with handles, factorised: ready for any number of frames.

    Attributes:
        factors: of the system.
        pull: (V, H) float64, handle places to the right-hand side.
        turn: (T, V) complex64, vertices to the turn of each triangle.
        shear: (T, V) complex64, vertices to its shear.
        from_turn: (V, T) complex64, wanted turns to the right-hand side.
        from_shear: (V, T) complex64, wanted shears to the right-hand side.
    """

    factors: SuperLU
    pull: csr_array
    turn: csr_array
    shear: csr_array
    from_turn: csr_array
    from_shear: csr_array


def precompute(mesh: Mesh, handles: Handles, stiffness: NDArray[np.float64]) -> Arap:
    """Factorise the system of a mesh in its rest pose.

    Every connected part of the mesh needs a handle, or it is free to go anywhere.

    stiffness: (T,) float64, > 0, how much each triangle resists; 1 is usual.
    """
    count, triangles = len(mesh.vertices), mesh.triangles
    rest = mesh.vertices[:, 0].astype(np.complex128) + 1j * mesh.vertices[:, 1]
    corners = rest[triangles]
    opposite = np.roll(corners, -2, axis=1) - np.roll(corners, -1, axis=1)
    ahead, behind = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    area = (ahead.conj() * behind).imag / 2
    slopes = 0.5j * opposite / (2 * area[:, None])
    rows = np.repeat(np.arange(len(triangles)), 3)
    where = (rows, triangles.ravel())
    turn = csr_array((slopes.conj().ravel(), where), shape=(len(triangles), count))
    shear = csr_array((slopes.ravel(), where), shape=(len(triangles), count))
    weight = diags_array(2 * area * stiffness)
    from_turn, from_shear = csr_array(turn.conj().T @ weight), csr_array(shear.conj().T @ weight)
    pins = _pins(handles, count)
    return Arap(
        factors=factorise((from_turn @ turn + from_shear @ shear).real + pins.T @ pins),
        pull=csr_array(pins.T.multiply(handles.weights[None, :])),
        turn=turn.astype(np.complex64),
        shear=shear.astype(np.complex64),
        from_turn=from_turn.astype(np.complex64),
        from_shear=from_shear.astype(np.complex64),
    )


def _pins(handles: Handles, count: int) -> csr_array:
    """Vertices to the places of handles times their weights: (H, V)."""
    rows = np.repeat(np.arange(len(handles.corners)), 3)
    values = (handles.shares * handles.weights[:, None]).ravel()
    return csr_array((values, (rows, handles.corners.ravel())), shape=(len(handles.corners), count))


def pull_of(arap: Arap, places: NDArray[np.float64]) -> Complex:
    """The right-hand side (V, F) complex64 of handle places (F, H, 2), world space."""
    return np.asarray(arap.pull @ (places[..., 0] + 1j * places[..., 1]).T, np.complex64)


def fit(arap: Arap, turn: Complex, shear: Complex | None, pull: Complex) -> Complex:
    """The places (V, F) complex64 that fit all wishes best.

    turn: (T, F) complex64, the wanted turns.
    shear: (T, F) complex64, the wanted shears; None: none.
    pull: (V, F) complex64, what `pull_of` makes of the handles' places.
    """
    right = arap.from_turn @ turn + pull
    if shear is not None:
        right += arap.from_shear @ shear
    return solve_complex(arap.factors, right)


def solve(arap: Arap, pull: Complex, turns: Complex, rounds: int) -> Complex:
    """Places of the vertices in some frames: (V, F) complex64.

    pull: (V, F) complex64.
    turns: (T, F) complex64, of length 1, of the triangles in the first round.
    rounds: of turning and solving, >= 1.
    """
    moved = fit(arap, turns, None, pull)
    for _ in range(rounds - 1):
        turns = arap.turn @ moved
        turns /= np.maximum(np.abs(turns), np.float32(1e-12))
        moved = fit(arap, turns, None, pull)
    return moved
