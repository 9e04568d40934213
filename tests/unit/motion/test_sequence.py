import numpy as np
import pytest

from animator.core.pose import PoseSequence
from animator.motion.sequence import close, follow_on, resample, settle, stay

NAN = float("nan")
REST = np.array([[0.0, 0.0], [0.0, 0.5], [0.0, 0.5], [0.5, 0.5]])
PARENTS = (-1, 0, 1, 2)
ROUND = (("torso",), ("arm", "hand"))


def _poses(
    angles: list[float], xs: list[float] | None = None, fps: float = 10.0, depth: float = 0.0
) -> PoseSequence:
    """A root and an arm: of so many radians, at x."""
    count = len(angles)
    xs = xs or [0.0] * count
    return PoseSequence(
        fps=fps,
        root=np.array([[x, 0] for x in xs], dtype=np.float32),
        angles=np.array([[0, angle] for angle in angles], dtype=np.float32),
        depths=np.full((count, 1), depth, dtype=np.float32),
        groups=(("arm",),),
    )


def test_settled_poses_have_a_direction_for_every_bone_with_a_length() -> None:
    poses = PoseSequence(
        fps=10.0,
        root=np.zeros((2, 2), dtype=np.float32),
        angles=np.array([[NAN, 0.25, NAN, NAN], [0.5, NAN, NAN, 1.0]], dtype=np.float32),
        depths=np.zeros((2, 2), dtype=np.float32),
        groups=ROUND,
    )
    settled = settle(poses, REST, PARENTS).angles
    # The arm is drawn to the right, a quarter turn clockwise; it follows the torso's turn.
    np.testing.assert_allclose(settled[:, [0, 1]], [[0, 0.25], [0.5, 0.5]], atol=1e-6)
    np.testing.assert_allclose(settled[:, 3], [0.25 - np.pi / 2, 1.0], atol=1e-6)
    assert np.isnan(settled[:, 2]).all()  # a bone without length


def test_second_clip_follows_the_first_with_a_fade_between() -> None:
    both = follow_on(_poses([0.0] * 6, depth=1.0), _poses([0.9] * 6), 0.2)
    # Two frames of 0.1 s are shared, a third and two thirds of the way.
    expected = [0, 0, 0, 0, 0.3, 0.6, 0.9, 0.9, 0.9, 0.9]
    np.testing.assert_allclose(both.angles[:, 1], expected, atol=1e-6)
    np.testing.assert_allclose(both.depths[3:7, 0], [1, 2 / 3, 1 / 3, 0], atol=1e-6)


def test_second_clip_goes_on_from_where_the_first_has_gone_to() -> None:
    walk = _poses([0.0] * 6, [0, 1, 2, 3, 4, 5])
    both = follow_on(walk, _poses([0.0] * 6, [9, 9, 9, 10, 11, 12]), 0.2)
    # The first is at 4 when the second, which begins at 9, sets in; the fade is between the two.
    np.testing.assert_allclose(both.root[:, 0], [0, 1, 2, 3, 4, 4 + 1 / 3, 4, 5, 6, 7], atol=1e-5)


def test_fade_is_a_third_of_a_clip_at_most_and_may_be_nothing() -> None:
    assert len(follow_on(_poses([0.0] * 3), _poses([1.0] * 9), 5.0).root) == 11
    cut = follow_on(_poses([0.0, 0.1]), _poses([1.0, 2.0]), 0.0)
    np.testing.assert_allclose(cut.angles[:, 1], [0, 0.1, 1, 2])


def test_angles_fade_the_short_way_round() -> None:
    both = follow_on(_poses([3.0] * 3), _poses([-3.0] * 3), 0.1)
    assert abs(both.angles[2, 1]) == pytest.approx(np.pi, abs=1e-5)


def test_second_clip_takes_the_rate_and_the_limb_groups_of_the_first() -> None:
    first = _poses([0.0] * 3)
    other = PoseSequence(
        fps=20.0,
        root=np.zeros((6, 2), dtype=np.float32),
        angles=np.zeros((6, 2), dtype=np.float32),
        depths=np.tile(np.array([7, 3], dtype=np.float32), (6, 1)),
        groups=(("leg",), ("arm", "hand")),
    )
    both = follow_on(first, other, 0.0)
    assert (both.fps, both.groups) == (10.0, (("arm",),))
    assert both.depths[:, 0].tolist() == [0, 0, 0, 3, 3, 3]


def test_clip_made_to_go_round_fades_its_end_into_its_beginning() -> None:
    poses = _poses([a / 10 for a in range(9)])
    looped = close(poses, 0.2)
    # Seven frames are left; the first is what followed the last, the second half of each.
    np.testing.assert_allclose(
        looped.angles[:, 1], [0.7, (0.8 + 0.1) / 2, 0.2, 0.3, 0.4, 0.5, 0.6], atol=1e-6
    )
    assert len(close(poses, 99.0).root) == 6


def test_clip_made_to_go_round_stays_on_the_spot() -> None:
    looped = close(_poses([a / 10 for a in range(9)], [float(x) for x in range(9)]), 0.2)
    np.testing.assert_allclose(looped.root[:, 0], 0, atol=1e-5)


def test_clip_that_goes_round_already_and_one_too_short_to_fade_are_left_alone() -> None:
    closed = _poses([0.0, 0.5, 1.0, 0.5])
    assert close(closed, 0.2) is closed
    assert close(_poses([0.0, 0.5]), 0.2).angles[:, 1].tolist() == [0.0, 0.5]


def test_resampled_clip_lasts_as_long_and_passes_through_the_same_poses() -> None:
    poses = _poses([0.0, 0.2, 0.4], [0, 2, 4])
    more = resample(poses, 20.0)
    assert more.fps == 20.0
    np.testing.assert_allclose(more.angles[:, 1], [0, 0.1, 0.2, 0.3, 0.4, 0.4], atol=1e-6)
    np.testing.assert_allclose(more.root[:, 0], [0, 1, 2, 3, 4, 4], atol=1e-6)
    assert resample(poses, 10.0) is poses
    assert resample(poses, 1.0).root.tolist() == [[0, 0]]


def test_who_stays_sways_as_before_but_goes_nowhere() -> None:
    time = np.arange(60) / 10
    sway = 0.1 * np.sin(2 * np.pi * time)
    walk = _poses([0.0] * 60, (3 + 0.5 * time + sway).tolist())
    stayed = stay(walk).root[:, 0]
    # Seconds are 10 frames: the mean over two swings, and one frame of it, is nearly none.
    np.testing.assert_allclose(stayed[:50], 3 + sway[:50], atol=0.012)
    assert np.abs(stayed - 3).max() < 0.15  # where it ends, too


@pytest.mark.parametrize("frames", [1, 2, 5])
def test_who_stays_for_a_moment_only_stays(frames: int) -> None:
    xs = [float(x) for x in range(frames)]
    np.testing.assert_allclose(stay(_poses([0.0] * frames, xs)).root[:, 0], 0, atol=1e-6)
