import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from animator.core.rig import Mesh
from animator.rigging.arap import Complex, Handles, precompute, pull_of, solve


def make_grid(width: int, height: int) -> Mesh:
    """Unit squares, each cut into two triangles."""
    x, y = np.meshgrid(np.arange(width + 1), np.arange(height + 1))
    vertices = np.stack((x.ravel(), y.ravel()), axis=1).astype(np.float32)
    low = (np.arange(height)[:, None] * (width + 1) + np.arange(width)).ravel()
    high = low + width + 1
    triangles = np.concatenate(
        (np.stack((low, low + 1, high + 1), axis=1), np.stack((low, high + 1, high), axis=1))
    )
    return Mesh(vertices, triangles.astype(np.int32))


def at_vertices(vertices: list[int], weight: float = 1000.0) -> Handles:
    corners = np.repeat(np.array(vertices, np.int32)[:, None], 3, axis=1)
    return Handles(
        corners=corners,
        shares=np.tile([1.0, 0.0, 0.0], (len(vertices), 1)),
        weights=np.full(len(vertices), weight),
    )


def solved(
    mesh: Mesh, handles: Handles, places: NDArray[np.float64], rounds: int = 20
) -> NDArray[np.float64]:
    """Vertices (F, V, 2) for places (F, H, 2) of handles, from triangles that are not turned."""
    arap = precompute(mesh, handles, np.ones(len(mesh.triangles)))
    turns = np.ones((len(mesh.triangles), len(places)), np.complex64)
    moved: Complex = solve(arap, pull_of(arap, places), turns, rounds).T
    return np.stack((moved.real, moved.imag), axis=-1)


def turned(points: NDArray[np.float64], angle: float) -> NDArray[np.float64]:
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.asarray(points @ np.array([[cosine, sine], [-sine, cosine]]))


@given(angle=st.floats(-3.1, 3.1), x=st.floats(-5, 5), y=st.floats(-5, 5))
def test_rigid_motion_of_handles_moves_the_mesh_rigidly(angle: float, x: float, y: float) -> None:
    mesh = make_grid(4, 3)
    pinned = [0, 4, 17]
    moved = turned(mesh.vertices.astype(np.float64), angle) + np.array([x, y])
    arap = precompute(mesh, at_vertices(pinned), np.ones(len(mesh.triangles)))
    turns = np.full((len(mesh.triangles), 1), np.exp(1j * angle), np.complex64)
    found = solve(arap, pull_of(arap, moved[None, pinned]), turns, 2)[:, 0]
    np.testing.assert_allclose(np.stack((found.real, found.imag), axis=1), moved, atol=1e-5)


def test_triangles_that_were_told_nothing_find_their_turn() -> None:
    mesh = make_grid(4, 3)
    moved = turned(mesh.vertices.astype(np.float64), 1.0)
    found = solved(mesh, at_vertices([0, 4, 17]), moved[None, [0, 4, 17]], 200)
    np.testing.assert_allclose(found[0], moved, atol=1e-3)


def test_stretched_handles_keep_free_edges_near_their_length() -> None:
    mesh = make_grid(6, 1)
    goal = mesh.vertices[[0, 7, 6, 13]].astype(np.float64)
    goal[2:, 0] = 3.0
    goal[2:, 1] += 4.0
    found = solved(mesh, at_vertices([0, 7, 6, 13]), goal[None])[0]
    np.testing.assert_allclose(found[[0, 7, 6, 13]], goal, atol=1e-3)
    across = np.linalg.norm(found[7:] - found[:7], axis=1)
    assert ((across > 0.8) & (across < 1.2)).all()


def test_handle_between_vertices_is_met_by_their_mix() -> None:
    mesh = make_grid(2, 2)
    corners = mesh.triangles[[0, 7]]
    shares = np.array([[0.2, 0.3, 0.5], [1 / 3, 1 / 3, 1 / 3]])
    handles = Handles(corners=corners, shares=shares, weights=np.full(2, 1000.0))
    goal = np.array([[3.0, 1.0], [4.0, 2.5]])
    found = solved(mesh, handles, goal[None])[0]
    met = (found[corners] * shares[..., None]).sum(axis=1)
    np.testing.assert_allclose(met, goal, atol=1e-3)


def test_weak_handle_gives_way_to_strong_ones() -> None:
    mesh = make_grid(3, 1)
    strong, weak = at_vertices([0, 3, 4]), at_vertices([7], 0.01)
    handles = Handles(
        corners=np.concatenate((strong.corners, weak.corners)),
        shares=np.concatenate((strong.shares, weak.shares)),
        weights=np.concatenate((strong.weights, weak.weights)),
    )
    goal = mesh.vertices[[0, 3, 4, 7]].astype(np.float64)
    goal[3] += [5.0, 5.0]
    found = solved(mesh, handles, goal[None])[0]
    np.testing.assert_allclose(found, mesh.vertices, atol=0.02)


def test_stiff_triangles_leave_the_stretching_to_the_others() -> None:
    mesh = make_grid(6, 1)
    ends = [0, 7, 6, 13]
    goal = mesh.vertices[ends].astype(np.float64)
    goal[2:, 0] += 3.0
    left = mesh.vertices[mesh.triangles].mean(axis=1)[:, 0] < 3
    arap = precompute(mesh, at_vertices(ends), np.where(left, 30.0, 1.0))
    turns = np.ones((len(left), 1), complex)
    moved = solve(arap, pull_of(arap, goal[None]), turns, 3)[:, 0]
    # three units of stretch for six squares: nearly all of it goes into the three that are soft
    assert 3.0 < moved[3].real < 3.3


def test_frames_solved_together_equal_frames_alone() -> None:
    mesh = make_grid(3, 2)
    pinned = [0, 3, 11]
    rest = mesh.vertices[pinned].astype(np.float64)
    clip = np.stack([turned(rest, angle) * [1.0, 1.3] for angle in np.linspace(0, 2, 5)])
    whole = solved(mesh, at_vertices(pinned), clip, 3)
    assert whole.shape == (5, 12, 2)
    alone = np.concatenate([solved(mesh, at_vertices(pinned), frame[None], 3) for frame in clip])
    np.testing.assert_allclose(whole, alone, atol=1e-9)
