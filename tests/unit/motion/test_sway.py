import numpy as np
import pytest
from numpy.typing import NDArray

from animator.core.pose import PoseSequence
from animator.motion.sway import sway

Floats = NDArray[np.float64]

REST = np.array([[0.0, 0.0], [0.3, 0.0], [-0.3, 0.0], [-0.3, 0.0], [0.5, 0.0]])
PARENTS = (-1, 0, 0, 0, 1)
FPS = 30.0


def _poses(root: Floats, turn: Floats | None = None) -> PoseSequence:
    angles = np.full((len(root), 5), np.nan)
    angles[:, 0] = 0 if turn is None else turn
    return PoseSequence(
        fps=FPS,
        root=root.astype(np.float32),
        angles=angles.astype(np.float32),
        depths=np.zeros((len(root), 1), dtype=np.float32),
        groups=(("all",),),
    )


def _bouncing(count: int = 60) -> Floats:
    """Two bounces a second."""
    return np.stack((np.zeros(count), 0.03 * np.sin(4 * np.pi * np.arange(count) / FPS)), axis=1)


def _raised(poses: PoseSequence, joint: int) -> Floats:
    """Radians above the rest pose; to the left up is clockwise."""
    drawn = -np.pi / 2 if joint in (1, 4) else np.pi / 2
    angles = poses.angles[:, joint].astype(np.float64)
    return (angles - drawn) * (1 if joint in (1, 4) else -1)


def test_what_hangs_on_a_still_figure_hangs_still() -> None:
    poses = sway(_poses(np.zeros((10, 2))), REST, PARENTS, [1, 2])
    np.testing.assert_allclose(poses.angles[:, [1, 2]], [[-np.pi / 2, np.pi / 2]] * 10, atol=1e-6)


def test_wings_flap_alike_when_the_figure_bounces_and_come_after_it() -> None:
    root = _bouncing()
    poses = sway(_poses(root), REST, PARENTS, [1, 2])
    left, right = _raised(poses, 1), _raised(poses, 2)
    np.testing.assert_allclose(left, right, atol=1e-5)
    assert 0.1 < np.ptp(left) < 0.8
    # A body that comes to a halt at the top: its wings are on the way up or still rising then.
    top = int(np.argmax(root[:15, 1]))
    assert top < int(np.argmax(left[top : top + 15])) + top


def test_swing_of_a_closed_clip_is_closed_and_does_not_depend_on_where_it_begins() -> None:
    root = _bouncing()
    swing = sway(_poses(root), REST, PARENTS, [1]).angles[:, 1]
    rolled = sway(_poses(np.roll(root, 7, axis=0)), REST, PARENTS, [1]).angles[:, 1]
    np.testing.assert_allclose(np.roll(swing, 7), rolled, atol=1e-3)


def test_what_hangs_turns_with_the_figure_and_swings_on_when_it_stops() -> None:
    turn = np.concatenate((np.zeros(5), np.linspace(0, 1, 10), np.ones(60)))
    swing = _raised(sway(_poses(np.zeros((75, 2)), turn), REST, PARENTS, [1]), 1)
    assert (swing[6:9] < turn[6:9]).all()  # it stays behind
    assert swing[15:25].max() > 1.05  # and goes too far
    assert swing[-1] == pytest.approx(1.0, abs=0.03)


def test_a_tail_of_two_bones_swings_more_at_its_end() -> None:
    poses = sway(_poses(_bouncing()), REST, PARENTS, [1, 4])
    assert np.ptp(_raised(poses, 4)) > np.ptp(_raised(poses, 1))


def test_a_wild_shake_swings_no_farther_than_the_bound() -> None:
    swing = _raised(sway(_poses(_bouncing() * 100), REST, PARENTS, [1]), 1)
    assert 0.39 < np.abs(swing).max() < 0.401


def test_driven_bones_and_bones_without_length_are_left_alone() -> None:
    poses = _poses(_bouncing())
    poses.angles[:, 1] = 0.3
    swayed = sway(poses, REST, (-1, 0, 0, 2, 1), [1, 3])
    np.testing.assert_array_equal(swayed.angles, poses.angles)


def test_clip_that_goes_away_and_one_of_a_frame_have_a_swing_too() -> None:
    away = np.stack((np.arange(30) * 0.05, np.zeros(30)), axis=1)
    assert np.abs(_raised(sway(_poses(away), REST, PARENTS, [1]), 1)).max() < 1e-4
    assert _raised(sway(_poses(away[:1]), REST, PARENTS, [1]), 1) == pytest.approx([0], abs=1e-6)


def test_slow_rates_of_frames_do_not_shake_it_apart() -> None:
    root = _bouncing()[::6]
    poses = PoseSequence(
        fps=5.0,
        root=root.astype(np.float32),
        angles=np.full((len(root), 5), np.nan, dtype=np.float32),
        depths=np.zeros((len(root), 1), dtype=np.float32),
        groups=(("all",),),
    )
    assert np.isfinite(sway(poses, REST, PARENTS, [1]).angles[:, 1]).all()
