from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from animator.core.motion import Motion
from animator.motion.kinematics import joint_paths
from animator.motion.library import load_motion
from animator.motion.loops import is_closed
from animator.motion.rotations import turn_about
from animator.motion.timing import change_speed, thin


def _clip(xs: list[float], degrees: list[float]) -> Motion:
    """A root that moves along x and turns about z, with a bone of a metre upwards."""
    turns = np.zeros((len(xs), 2, 4))
    turns[:, 0] = turn_about("Z", np.radians(degrees))
    turns[:, 1, 0] = 1
    return Motion(
        name="clip",
        fps=10.0,
        joints=("Hips", "Head"),
        parents=np.array([-1, 0], dtype=np.int16),
        offsets=np.array([[0, 0, 0], [0, 1, 0]], dtype=np.float32),
        root=np.array([[x, 0, 0] for x in xs], dtype=np.float32),
        rotations=turns.astype(np.float32),
    )


def _turned(motion: Motion) -> NDArray[np.float64]:
    x, y = (joint_paths(motion)[:, 1] - joint_paths(motion)[:, 0])[:, :2].T
    return np.asarray(np.degrees(np.arctan2(-x, y)))


def test_half_as_fast_has_a_frame_between_any_two_and_keeps_both_ends() -> None:
    slow = change_speed(_clip([0, 1, 4, 8], [0, 20, 60, 60]), 0.5)
    assert slow.fps == 10.0
    np.testing.assert_allclose(slow.root[:, 0], [0, 0.5, 1, 2.5, 4, 6, 8], atol=1e-6)
    np.testing.assert_allclose(_turned(slow), [0, 10, 20, 40, 60, 60, 60], atol=0.3)


def test_twice_as_fast_leaves_out_every_second_frame() -> None:
    fast = change_speed(_clip([0, 1, 2, 3, 4], [0, 10, 20, 30, 40]), 2.0)
    np.testing.assert_allclose(fast.root[:, 0], [0, 2, 4], atol=1e-6)
    np.testing.assert_allclose(_turned(fast), [0, 20, 40], atol=1e-3)


def test_turns_go_the_short_way_whatever_the_signs_of_the_quaternions() -> None:
    motion = _clip([0, 0], [170, 190])
    flipped = replace(
        motion, rotations=motion.rotations * np.array([[[1]], [[-1]]], dtype=np.float32)
    )
    for clip in (motion, flipped):
        middle = _turned(change_speed(clip, 0.5))[1]
        assert abs(middle) == pytest.approx(180, abs=0.01)


@pytest.mark.parametrize("factor", [0.5, 0.75, 1.3, 2.0, 4.0])
def test_a_loop_stays_one_and_lasts_as_much_longer(factor: float) -> None:
    motion, _ = load_motion("walk")
    changed = change_speed(motion, factor)
    assert is_closed(joint_paths(changed))
    assert len(changed.root) == round(len(motion.root) / factor)
    np.testing.assert_array_equal(changed.root[0], motion.root[0])


def test_frames_beyond_what_is_seen_are_left_out() -> None:
    fast = replace(_clip([0, 1, 2, 3, 4], [0] * 5), fps=119.88)
    thinned = thin(fast, 60.0)
    assert thinned.fps == pytest.approx(59.94)
    assert thinned.root[:, 0].tolist() == [0, 2, 4]
    assert thin(thinned, 60.0) is thinned
    assert thin(fast, 119.88) is fast
