from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from animator.core.pose import PoseSequence, pose_joints
from animator.motion.contact import Contact
from animator.motion.ground import Leg, hold_feet

Floats = NDArray[np.float64]

# Two legs of two bones of 0.3 and 0.2, straight down from hips at the root.
REST = np.array([[0, 0], [0.1, 0], [0.1, -0.3], [0.1, -0.5], [-0.1, 0], [-0.1, -0.3], [-0.1, -0.5]])
PARENTS = (-1, 0, 1, 2, 0, 4, 5)
LEFT, RIGHT = Leg(1, 2, 3), Leg(4, 5, 6)
FPS = 30.0


def _poses(left: Floats, right: Floats, root: Floats | None = None) -> PoseSequence:
    """Directions (F, 2) of thigh and shank, degrees from straight down, to the right."""
    angles = np.full((len(left), 7), np.nan)
    angles[:, [2, 3]], angles[:, [5, 6]] = np.radians(left) - np.pi, np.radians(right) - np.pi
    return PoseSequence(
        fps=FPS,
        root=np.zeros((len(left), 2), dtype=np.float32) if root is None else root.astype("f4"),
        angles=angles.astype(np.float32),
        depths=np.zeros((len(left), 1), dtype=np.float32),
        groups=(("hips",),),
    )


def _feet(poses: PoseSequence) -> Floats:
    return pose_joints(REST, PARENTS, poses).places[:, [3, 6]]


def _hold(poses: PoseSequence, stands: Floats, speed: float = 0.0) -> PoseSequence:
    contact = Contact(stands.astype(bool), speed, closed=False)
    return hold_feet(poses, REST, PARENTS, [LEFT, RIGHT], contact)


def _bent(count: int, wobble: float) -> Floats:
    """A leg with a bent knee whose foot goes to and fro a little."""
    swing = wobble * np.sin(np.arange(count) / 4)
    return np.stack((30 + swing, -20 + swing), axis=1)


def test_feet_that_stand_neither_slide_nor_sink() -> None:
    poses = _poses(_bent(40, 3.0), -_bent(40, 2.0))
    before, after = _feet(poses), _feet(_hold(poses, np.ones((40, 2))))
    assert np.ptp(before, axis=0).max() > 0.02
    # What the knee takes up is smoothed; a thousandth of the figure is left.
    assert np.ptp(after, axis=0).max() < 0.002
    np.testing.assert_allclose(after.mean(axis=0), before.mean(axis=0), atol=0.003)


def test_bones_keep_their_lengths_and_bones_that_are_no_legs_their_directions() -> None:
    poses = _poses(_bent(20, 3.0), -_bent(20, 2.0))
    held = _hold(poses, np.ones((20, 2)))
    places = pose_joints(REST, PARENTS, held).places
    np.testing.assert_allclose(np.linalg.norm(places[:, 3] - places[:, 2], axis=1), 0.2)
    assert np.isnan(held.angles[:, [0, 1, 4]]).all()


def test_standing_foot_goes_with_the_ground() -> None:
    swing = np.linspace(12, -12, 20)
    leg = np.stack((swing + 25, swing - 25), axis=1)
    poses = _poses(leg, -leg)
    stands = np.column_stack((np.ones(20), np.zeros(20)))
    x = _feet(_hold(poses, stands, speed=-0.3))[:, 0, 0]
    np.testing.assert_allclose(np.diff(x), -0.3 / FPS, atol=5e-4)


def test_the_whole_figure_comes_down_with_a_foot_that_floats() -> None:
    root = np.zeros((30, 2))
    root[10:20, 1] = 0.02  # the figure rises, though its straight legs stand
    poses = _poses(np.zeros((30, 2)), np.zeros((30, 2)), root)
    held = _hold(poses, np.ones((30, 2)))
    assert np.abs(_feet(held)[..., 1] + 0.5).max() < 0.011  # eased over the steps
    assert abs(held.root[15, 1]) < 0.001


def test_foot_in_the_air_goes_no_deeper_than_it_stands() -> None:
    left = np.tile([40.0, -30.0], (40, 1))
    left[15:25] = [10.0, -8.0]  # it stretches and would go under the ground
    poses = _poses(left, np.tile([-40.0, 30.0], (40, 1)))
    stands = np.ones((40, 2))
    stands[12:28, 0] = 0
    depth = _feet(poses)[:, 0, 1]
    held = _feet(_hold(poses, stands))[:, 0, 1]
    assert depth[20] < depth[0] - 0.05
    assert held[20] == pytest.approx(depth[0], abs=0.005)


def test_knee_goes_on_bending_to_the_side_to_which_it_is_bent() -> None:
    poses = _poses(_bent(40, 3.0), -_bent(40, 3.0))
    held = _hold(poses, np.ones((40, 2)))
    bend = held.angles[:, [3, 6]] - held.angles[:, [2, 5]]
    assert (
        np.sign(np.sin(bend)) == np.sign(np.sin(poses.angles[:, [3, 6]] - poses.angles[:, [2, 5]]))
    ).all()


def test_a_foot_is_let_go_little_by_little() -> None:
    poses = _poses(_bent(60, 4.0), -_bent(60, 4.0))
    stands = np.ones((60, 2))
    stands[30:] = 0
    held = _hold(poses, stands)
    turned = np.abs(np.diff(held.angles[:, 2:4], axis=0))
    assert np.degrees(turned.max()) < 6
    away = np.abs(_feet(held) - _feet(poses) - (held.root - poses.root)[:, None])
    assert away[45:, :, 0].max() < 1e-3


def test_straight_legs_that_stand_stay_straight_whatever_the_others_do() -> None:
    left = np.zeros((60, 2))
    left[30:] = [40.0, -30.0]  # later the left leg stands bent
    poses = _poses(left, np.zeros((60, 2)))
    stands = np.ones((60, 2))
    stands[25:35, 0] = 0
    held = _hold(poses, stands)
    bend = np.degrees(np.sin(held.angles[:20, [3, 6]] - held.angles[:20, [2, 5]]))
    assert np.abs(bend).max() < 6


def test_who_never_stands_is_left_alone() -> None:
    poses = _poses(_bent(10, 3.0), _bent(10, 3.0))
    assert _hold(poses, np.zeros((10, 2))) is poses


def test_closed_clip_stays_closed() -> None:
    turn = 4 * np.sin(2 * np.pi * np.arange(30) / 30)
    leg = np.stack((30 + turn, -20 + turn), axis=1)
    poses = _poses(leg, -leg)
    stands = np.ones((30, 2))
    stands[10:20, 0] = 0
    held = hold_feet(poses, REST, PARENTS, [LEFT, RIGHT], Contact(stands > 0, 0.0, closed=True))
    rolled = replace(poses, angles=np.roll(poses.angles, 7, axis=0))
    other = hold_feet(
        rolled, REST, PARENTS, [LEFT, RIGHT], Contact(np.roll(stands, 7, axis=0) > 0, 0.0, True)
    )
    np.testing.assert_allclose(np.roll(held.angles, 7, axis=0), other.angles, atol=1e-5)
    np.testing.assert_allclose(np.roll(held.root, 7, axis=0), other.root, atol=1e-6)
