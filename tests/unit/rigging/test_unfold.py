import numpy as np

from animator.core.rig import Mesh
from animator.rigging.arap import Arap, precompute, pull_of, solve
from animator.rigging.unfold import is_folded, unfold
from tests.unit.rigging.test_arap import at_vertices, make_grid


def areas(mesh: Mesh, places: np.ndarray) -> np.ndarray:
    """Twice the signed areas (T, F) of triangles for places (V, F) complex."""
    a, b, c = (places[mesh.triangles[:, k]] for k in range(3))
    return np.asarray(((b - a).conj() * (c - a)).imag)


def folded_strip() -> tuple[Mesh, Arap, np.ndarray]:
    """A strip whose end was pushed back beyond its middle: triangles there lie upside down."""
    mesh = make_grid(8, 2)
    arap = precompute(mesh, at_vertices([0, 18, 8, 26], 0.5), np.ones(len(mesh.triangles)))
    goal = mesh.vertices[[0, 18, 8, 26]].astype(np.float64)
    goal[2:, 0] = 2.0
    return mesh, arap, pull_of(arap, goal[None])


def test_folded_triangles_are_turned_right_side_up() -> None:
    mesh, arap, pull = folded_strip()
    places = mesh.vertices[:, :1] + 1j * mesh.vertices[:, 1:]
    places = np.where(places.real > 5, 10 - places.real + 1j * places.imag, places)
    assert (areas(mesh, places) < 0).any()
    assert is_folded(arap, places).tolist() == [True]
    found = unfold(arap, places, pull, np.ones((len(mesh.triangles), 1), complex))
    assert (areas(mesh, found) > 0).all()
    assert is_folded(arap, found).tolist() == [False]


def test_frame_without_a_fold_is_left_as_it_is() -> None:
    mesh, arap, pull = folded_strip()
    turns = np.ones((len(mesh.triangles), 1), complex)
    rest = mesh.vertices[:, :1] + 1j * mesh.vertices[:, 1:]
    assert unfold(arap, rest, pull, turns) is rest
    bad = np.where(rest.real > 5, 10 - rest.real + 1j * rest.imag, rest)
    both = unfold(arap, np.hstack((rest, bad)), np.hstack((pull, pull)), np.hstack((turns, turns)))
    np.testing.assert_array_equal(both[:, 0], rest[:, 0])
    assert (areas(mesh, both) > 0).all()


def test_handles_that_demand_a_fold_are_met_as_far_as_can_be() -> None:
    mesh = make_grid(4, 1)
    # both ends change places: without a fold no mesh can do that
    ends = [0, 5, 4, 9]
    arap = precompute(mesh, at_vertices(ends, 1000.0), np.ones(len(mesh.triangles)))
    goal = mesh.vertices[ends].astype(np.float64)
    goal[:, 0] = 4 - goal[:, 0]
    pull = pull_of(arap, goal[None])
    turns = np.ones((len(mesh.triangles), 1), complex)
    found = unfold(arap, solve(arap, pull, turns, 2), pull, turns)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found[ends, 0].real, goal[:, 0], atol=0.01)
