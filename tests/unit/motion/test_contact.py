import numpy as np
import pytest
from numpy.typing import NDArray

from animator.motion.contact import find_contact, runs_of

FPS = 10.0


def _feet(*feet: list[tuple[float, float]]) -> NDArray[np.float64]:
    """Places (F, N, 2) from the path of each foot."""
    return np.stack([np.array(foot, dtype=np.float64) for foot in feet], axis=1)


def test_foot_on_the_ground_stands_until_it_is_lifted() -> None:
    step = [(0, 0)] * 5 + [(0.1, 0.3), (0.5, 0.4), (0.9, 0.3)] + [(1, 0)] * 5
    contact = find_contact(_feet(step, [(0.5, 0.0)] * 13), 1.0, FPS)
    assert contact.ground_speed == 0
    assert not contact.closed
    # The frame before it is lifted and the one after it lands move already.
    assert contact.stands[:, 0].tolist() == [True] * 4 + [False] * 5 + [True] * 4
    assert contact.stands[:, 1].all()


def test_ground_runs_back_under_who_walks_on_the_spot() -> None:
    # Each foot goes back by 0.1 a frame on the ground, and quickly ahead in the air.
    cycle = [(0.4 - 0.1 * i, 0.0) for i in range(8)] + [(-0.2, 0.3), (0.3, 0.3)]
    contact = find_contact(_feet(cycle, cycle[5:] + cycle[:5]), 1.0, FPS)
    assert contact.closed
    assert contact.ground_speed == pytest.approx(-1.0)
    assert contact.stands[1:7, 0].all()
    assert not contact.stands[8:, 0].any()


def test_low_foot_that_slides_does_not_stand() -> None:
    slide = [(0.0, 0.0)] * 12 + [(0.1 * i, 0.0) for i in range(8)]
    stands = find_contact(_feet(slide), 1.0, FPS).stands[:, 0]
    assert stands[:11].all()
    assert not stands[13:].any()


def test_foot_that_is_held_up_does_not_stand() -> None:
    contact = find_contact(_feet([(0, 0)] * 6, [(0, 0.4)] * 6), 1.0, FPS)
    assert contact.stands.tolist() == [[True, False]] * 6


def test_ground_may_drift() -> None:
    drifting = [(0.0, 0.004 * i) for i in range(100)]
    assert find_contact(_feet(drifting), 1.0, FPS).stands.all()


def test_touches_and_gaps_of_a_moment_do_not_count() -> None:
    path = [(0.0, 0.5 if i == 4 or 20 <= i < 40 else 0.0) for i in range(60)]
    path[29] = (0.0, 0.0)
    stands = find_contact(_feet(path), 1.0, 50.0).stands[:, 0]
    assert stands[:19].all()
    assert not stands[20:40].any()
    assert stands[41:].all()


def test_who_flies_all_the_time_has_no_contact() -> None:
    flying = [(0.3 * i, 0.0) for i in range(6)]
    other = [(0.9 * i, 0.0) for i in range(6)]
    assert not find_contact(_feet(flying, other), 1.0, FPS).stands[:, 1].all()


def test_one_frame_stands_still() -> None:
    contact = find_contact(_feet([(0, 0)], [(1, 0)]), 1.0, FPS)
    assert contact.stands.tolist() == [[True, True]]
    assert contact.closed


@pytest.mark.parametrize(
    ("flags", "closed", "runs"),
    [
        ("0110", False, [[1, 2]]),
        ("1011", False, [[0], [2, 3]]),
        ("1011", True, [[2, 3, 0]]),
        ("1111", True, [[0, 1, 2, 3]]),
        ("0000", True, []),
        ("101001", True, [[2], [5, 0]]),
    ],
)
def test_runs_go_over_the_end_of_a_closed_clip(
    flags: str, closed: bool, runs: list[list[int]]
) -> None:
    found = runs_of(np.array([flag == "1" for flag in flags]), closed)
    assert [run.tolist() for run in found] == runs
