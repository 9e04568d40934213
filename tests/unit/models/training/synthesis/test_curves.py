import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.training.synthesis.curves import (
    bend_through,
    direction,
    ellipse,
    merge_outlines,
    point,
    polyline,
    resample,
    ribbon,
    rotate,
    wobble,
)
from models.training.synthesis.dice import Dice


def test_direction_turns_from_down_towards_the_right() -> None:
    np.testing.assert_allclose(direction(0.0), (0, 1), atol=1e-12)
    np.testing.assert_allclose(direction(np.pi / 2), (1, 0), atol=1e-12)
    np.testing.assert_allclose(direction(np.pi), (0, -1), atol=1e-12)


def test_rotation_is_clockwise_on_the_picture() -> None:
    right = point(1, 0)
    np.testing.assert_allclose(rotate(right, np.pi / 2, point(0, 0)), (0, 1), atol=1e-12)


def test_bow_passes_its_middle_half_way() -> None:
    bow = bend_through(point(0, 0), point(1, 2), point(4, 0))
    np.testing.assert_allclose(bow[0], (0, 0))
    np.testing.assert_allclose(bow[4], (1, 2))
    np.testing.assert_allclose(bow[-1], (4, 0))


def test_resampled_line_has_even_steps() -> None:
    points = resample(polyline(((0, 0), (1, 0), (1, 1))), 0.25)
    np.testing.assert_allclose(np.hypot(*np.diff(points, axis=0).T), 0.25)
    np.testing.assert_allclose(points[4], (1, 0))


def test_ribbon_runs_at_half_width_on_both_sides() -> None:
    left, right = ribbon(polyline(((0, 0), (1, 0), (2, 0))), 0.5, 0.1)
    np.testing.assert_allclose(left[:, 1], (0.5, 0.3, 0.1))
    np.testing.assert_allclose(right[:, 1], (-0.5, -0.3, -0.1))


def test_outline_of_two_overlapping_boxes_spans_both() -> None:
    first = polyline(((0, 0), (0, 1), (1, 1), (1, 0)))
    outline = merge_outlines([first, first + point(0.5, 0)], 0.01)
    np.testing.assert_allclose(outline.min(0), (0, 0), atol=0.03)
    np.testing.assert_allclose(outline.max(0), (1.5, 1), atol=0.03)


@given(radius=st.floats(0.05, 2.0), squash=st.floats(0.2, 3.0), tilt=st.floats(-3.0, 3.0))
def test_ellipse_stays_between_its_radii(radius: float, squash: float, tilt: float) -> None:
    points = ellipse(point(1, 2), radius * squash, radius, tilt)
    reach = np.hypot(*(points - point(1, 2)).T)
    low, high = sorted((radius, radius * squash))
    assert reach.min() >= low * 0.999
    assert reach.max() <= high * 1.001


def test_steady_hand_leaves_the_line_alone() -> None:
    line = polyline(((0, 0), (0.5, 0), (1, 0)))
    np.testing.assert_allclose(wobble(Dice(0), line, 0.0), line)


def test_dice_never_pick_what_has_no_weight() -> None:
    dice = Dice(3)
    assert {dice.weighted({"a": 0.0, "b": 1.0, "c": 0.0}) for _ in range(50)} == {"b"}


@pytest.mark.parametrize(("share", "expected"), [(0.0, False), (1.0, True)])
def test_switch_at_its_end_is_certain(share: float, expected: bool) -> None:
    dice = Dice(1)
    assert {dice.chance(share) for _ in range(100)} == {expected}
