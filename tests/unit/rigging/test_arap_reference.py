"""Our deformation beside numbers that AnimatedDrawings computed for the same mesh and pins.

The peer assembles its matrices in single precision although the pins weigh a million times more
than an edge, so its own solution is off by up to 0.06 of the figure's size, and it turns edges only
once. Ours turns triangles until nothing moves any more: the vertices lie about where the peer has
them, and edges keep their length twice as well.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from animator.core.rig import Mesh
from animator.rigging.arap import Handles, precompute, pull_of, solve
from animator.rigging.handles import locate

ROUNDS = 100


@pytest.fixture(scope="module")
def case(shared_data: Path) -> dict[str, Any]:
    path = shared_data / "animated-drawings" / "reference" / "arap_char2_dab.json"
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def solve_case(
    case: dict[str, Any],
) -> tuple[Mesh, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Mesh without the unused vertex, ours, theirs, and how far our pins are off."""
    vertices = np.array(case["vertices"], np.float32)
    used, triangles = np.unique(np.array(case["triangles"]), return_inverse=True)
    mesh = Mesh(vertices[used], triangles.reshape(-1, 3).astype(np.int32))
    within, shares = locate(
        mesh.vertices.astype(np.float64), mesh.triangles, np.array(case["pins_rest"])
    )
    corners = mesh.triangles[within]
    handles = Handles(
        corners=corners, shares=shares, weights=np.full(len(corners), float(case["weight"]))
    )
    pins = np.array([frame["pins"] for frame in case["solves"]])
    arap = precompute(mesh, handles, np.ones(len(mesh.triangles)))
    turns = np.ones((len(mesh.triangles), len(pins)), complex)
    moved = solve(arap, pull_of(arap, pins), turns, ROUNDS).T
    ours = np.stack((moved.real, moved.imag), axis=-1)
    theirs = np.array([frame["vertices"] for frame in case["solves"]])[:, used]
    met = (ours[:, corners] * shares[..., None]).sum(axis=2)
    return mesh, ours, theirs, np.abs(met - pins)


def test_pins_are_met_within_a_thousandth(case: dict[str, Any]) -> None:
    *_, off = solve_case(case)
    assert off.max() < 1e-3


def test_vertices_lie_where_the_peer_puts_them_but_for_its_rounding(case: dict[str, Any]) -> None:
    _, ours, theirs, _ = solve_case(case)
    distance = np.linalg.norm(ours - theirs, axis=2)
    assert np.median(distance) < 0.01
    assert distance.max() < 0.08


def test_edges_keep_their_length_better_than_the_peers(case: dict[str, Any]) -> None:
    mesh, ours, theirs, _ = solve_case(case)
    sides = np.sort(mesh.triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    edges = np.unique(sides, axis=0)

    def stretch(points: NDArray[np.float64]) -> NDArray[np.float64]:
        arms = points[..., edges[:, 0], :] - points[..., edges[:, 1], :]
        return np.asarray(np.linalg.norm(arms, axis=-1))

    rest = stretch(mesh.vertices.astype(np.float64))
    off_ours = np.abs(stretch(ours) / rest - 1)
    off_theirs = np.abs(stretch(theirs) / rest - 1)
    assert off_ours.mean() < 0.6 * off_theirs.mean()
    assert np.percentile(off_ours, 99) < 0.7 * np.percentile(off_theirs, 99)
