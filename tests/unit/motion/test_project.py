import dataclasses

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from animator.motion import load_motion
from animator.motion.project import (
    View,
    depths_on,
    facing,
    points_on,
    principal_view,
    see_body,
    to_body_frame,
)


def _pair(
    right: list[float], left: list[float]
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.array([[right, left]], dtype=np.float64)


@pytest.mark.parametrize(
    ("right", "left", "forward"),
    [
        pytest.param([-1, 0, 0], [1, 0, 0], [0, 1], id="left at +x faces +z"),
        pytest.param([0, 0, 1], [0, 0, -1], [1, 0], id="left at -z faces +x"),
        pytest.param([1, 5, 0], [-1, 0, 0], [0, -1], id="tilted, turned about"),
        pytest.param([0, 0, 0], [0, 1, 0], [0, 1], id="upright line says nothing"),
        pytest.param([0, 0, 0], [0, 0, 0], [0, 1], id="no line says nothing"),
    ],
)
def test_figure_faces_square_to_its_shoulders(
    right: list[float], left: list[float], forward: list[float]
) -> None:
    np.testing.assert_allclose(facing(_pair(right, left), [(0, 1)]), [forward], atol=1e-12)


@settings(deadline=None)
@given(st.floats(-3, 3), st.floats(-5, 5))
def test_body_frame_is_the_same_wherever_the_figure_stands_and_faces(
    angle: float, away: float
) -> None:
    body = np.array([[[0.0, 0, 0], [-1, 2, 0.5], [1, 2, 0.5], [0.3, 1, 2]]])
    cos, sin = np.cos(angle), np.sin(angle)
    about_y = np.array([[cos, 0, sin], [0, 1, 0], [-sin, 0, cos]])
    moved = body @ about_y.T + [away, 1, -away]
    found = to_body_frame(moved, moved[:, 0], facing(moved, [(1, 2)]))
    np.testing.assert_allclose(found, body, atol=1e-9)


@pytest.mark.parametrize(
    ("spread", "view"), [([3, 2, 1], "frontal"), ([1, 2, 3], "sagittal"), ([3, 0, 1], "sagittal")]
)
def test_principal_view_looks_along_the_smallest_movement(spread: list[float], view: View) -> None:
    axes = np.vstack((np.diag(spread), -np.diag(spread))).astype(np.float64)
    # In the last case the smallest is upright: neither view has it, and the side is the fallback.
    assert principal_view(axes[:, None]) == view


def test_views_show_the_figures_left_or_its_front_on_the_right() -> None:
    left_up_front = np.array([1.0, 2.0, 3.0])
    assert points_on("frontal", left_up_front).tolist() == [1, 2]
    assert points_on("sagittal", left_up_front).tolist() == [3, 2]


def test_what_is_nearer_to_the_viewer_is_larger() -> None:
    right_hand_in_front = np.array([-1.0, 0.0, 2.0])
    assert depths_on("frontal", right_hand_in_front) == 2  # seen from the front
    assert depths_on("sagittal", right_hand_in_front) == 1  # seen from the figure's right


def test_what_was_seen_of_a_motion_is_kept_and_nobody_can_change_it() -> None:
    motion, own = load_motion("hop")
    body = see_body(motion, own)
    assert see_body(motion, own) is body
    for kept in (body.root, body.forward, *body.places.values()):
        with pytest.raises(ValueError, match="read-only"):
            kept[0] = 0.0
    other = see_body(motion, msgspec.structs.replace(own, root=motion.joints[1]))
    assert other is not body
    np.testing.assert_array_equal(other.place(motion.joints[1]), np.zeros((len(body.root), 3)))


def test_motion_of_the_same_name_is_another() -> None:
    motion, own = load_motion("hop")
    moved = dataclasses.replace(motion, root=motion.root + np.float32(1.0))
    np.testing.assert_allclose(
        see_body(moved, own).root, see_body(motion, own).root + 1.0, rtol=1e-6
    )
