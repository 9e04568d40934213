import numpy as np
import pytest

from animator.motion.loops import delayed, is_closed, windows_of


@pytest.mark.parametrize(
    ("track", "closed"),
    [
        pytest.param([0, 1, 2, 1], True, id="there and back"),
        pytest.param([0, 1, 2, 3], False, id="away"),
        pytest.param([5], True, id="one frame"),
        pytest.param([0, 0, 0], True, id="still"),
        pytest.param([0, 3, 3], True, id="back in one step as long as the one away"),
        pytest.param([0, 1, 2, 1.4], True, id="back in a step half as long again"),
        pytest.param([0, 1, 2, 1.6], False, id="back in a longer step"),
    ],
)
def test_clip_is_closed_when_its_end_is_a_step_from_its_beginning(
    track: list[float], closed: bool
) -> None:
    assert is_closed(np.array(track, dtype=np.float64)[:, None]) == closed


def test_every_track_must_come_round() -> None:
    assert not is_closed(np.array([[0.0, 0], [1, 1], [2, 2], [1, 3]]))


def test_what_was_before_comes_round_in_a_closed_clip_and_else_is_the_first() -> None:
    track = np.array([[0.0], [1.0], [2.0], [3.0]])
    assert delayed(track, 1, closed=True).ravel().tolist() == [3, 0, 1, 2]
    assert delayed(track, 2, closed=False).ravel().tolist() == [0, 0, 0, 1]
    assert delayed(track, 0, closed=False).ravel().tolist() == [0, 1, 2, 3]


def test_around_each_frame_a_closed_clip_comes_round_and_another_stays_at_its_ends() -> None:
    track = np.array([[0.0], [1.0], [2.0]])
    assert windows_of(track, 1, closed=True)[:, 0].tolist() == [[2, 0, 1], [0, 1, 2], [1, 2, 0]]
    assert windows_of(track, 2, closed=False)[0, 0].tolist() == [0, 0, 0, 1, 2]
    assert windows_of(track[:1], 2, closed=True)[:, 0].tolist() == [[0, 0, 0, 0, 0]]
