import numpy as np

from animator.core.rig import Mesh
from animator.rigging.arap import Arap, Complex, precompute, pull_of
from animator.rigging.bounds import is_sound
from animator.rigging.settle import STEP, settle
from tests.unit.rigging.test_arap import at_vertices, make_grid


def areas(mesh: Mesh, places: Complex) -> np.ndarray:
    """Twice the signed areas (T, F) of triangles for places (V, F) complex."""
    a, b, c = (places[mesh.triangles[:, k]] for k in range(3))
    return np.asarray(((b - a).conj() * (c - a)).imag)


def unturned(mesh: Mesh, frames: int = 1) -> Complex:
    return np.ones((len(mesh.triangles), frames), np.complex64)


def pushed_strip(by: list[float]) -> tuple[Mesh, Arap, Complex]:
    """A strip of 8 by 2 squares whose right end is pushed to the left, so far in each frame."""
    mesh = make_grid(8, 2)
    ends = [0, 18, 8, 26]
    arap = precompute(mesh, at_vertices(ends), np.ones(len(mesh.triangles)))
    goal = np.repeat(mesh.vertices[ends].astype(np.float64)[None], len(by), axis=0)
    goal[:, 2:, 0] -= np.array(by)[:, None]
    return mesh, arap, pull_of(arap, goal)


def test_frame_at_rest_stays_at_rest() -> None:
    mesh, arap, pull = pushed_strip([0.0])
    places, sound = settle(arap, pull, unturned(mesh))
    assert sound.tolist() == [True]
    np.testing.assert_allclose(places[:, 0].real, mesh.vertices[:, 0], atol=1e-4)
    np.testing.assert_allclose(places[:, 0].imag, mesh.vertices[:, 1], atol=1e-4)


def test_squeezed_strip_keeps_the_area_of_its_triangles() -> None:
    # its ends are half as far apart as they were: without bulging, area would be halved and more
    mesh, arap, pull = pushed_strip([4.5])
    places, sound = settle(arap, pull, unturned(mesh))
    assert sound.tolist() == [True]
    area = areas(mesh, places)[:, 0]
    assert area.min() > 0
    assert (area < 0.5).sum() <= 0.01 * len(area)
    np.testing.assert_allclose(places[[8, 26], 0].real, 3.5, atol=0.02)


def test_triangles_that_were_told_to_lie_upside_down_do_not() -> None:
    mesh, arap, pull = pushed_strip([6.0])
    places, sound = settle(arap, pull, unturned(mesh))
    assert sound.tolist() == [True]
    assert (areas(mesh, places) > 0).all()


def test_frames_between_two_go_smoothly_from_one_to_the_other() -> None:
    frames = 2 * STEP + 1
    mesh, arap, pull = pushed_strip(np.linspace(0.0, 4.0, frames).tolist())
    places, sound = settle(arap, pull, unturned(mesh, frames))
    assert sound.all()
    steps = np.abs(np.diff(places, axis=1))
    # half a unit a frame is asked of the ends; nothing may jump much more
    assert steps.max() < 1.0


def test_clip_settles_alike_whatever_comes_after() -> None:
    mesh, arap, pull = pushed_strip([0.0, 1.0, 2.0, 3.0, 4.0, 5.0])
    turns = unturned(mesh, 6)
    short, _ = settle(arap, pull[:, : STEP + 1], turns[:, : STEP + 1])
    long, _ = settle(arap, pull, turns)
    np.testing.assert_allclose(long[:, : STEP + 1], short, atol=1e-4)


def test_handles_that_demand_a_fold_are_met_and_the_frame_is_called_unsound() -> None:
    mesh = make_grid(4, 1)
    # both ends change places: without a fold no mesh can do that
    ends = [0, 5, 4, 9]
    arap = precompute(mesh, at_vertices(ends), np.ones(len(mesh.triangles)))
    goal = mesh.vertices[ends].astype(np.float64)
    goal[:, 0] = 4 - goal[:, 0]
    places, sound = settle(arap, pull_of(arap, goal[None]), unturned(mesh))
    assert sound.tolist() == [False]
    assert np.isfinite(places).all()
    np.testing.assert_allclose(places[ends, 0].real, goal[:, 0], atol=0.01)
    assert not is_sound(arap.turn @ places, arap.shear @ places).any()
