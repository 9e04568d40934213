import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from animator.rigging.arap import Complex
from animator.rigging.bounds import is_sound, nearest_within, turn_frames

PARTS = st.floats(-4.0, 4.0, width=32)


def one(value: complex) -> Complex:
    return np.array([[value]], np.complex64)


def singular(turn: Complex, shear: Complex) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Most and least length of maps against rest."""
    return np.asarray(np.abs(turn) + np.abs(shear)), np.asarray(np.abs(turn) - np.abs(shear))


def test_map_within_the_bounds_is_only_drawn_towards_its_rotation() -> None:
    turn, shear = nearest_within(one(1.02j), one(0.1), one(1j))
    # (1.02 + 0.02) / 1.02, and 0.1 / 1.02
    np.testing.assert_allclose([turn[0, 0], shear[0, 0]], [1.0196j, 0.098], atol=1e-4)


@given(a=PARTS, b=PARTS, c=PARTS, d=PARTS, angle=st.floats(-3.1, 3.1))
def test_nearest_map_is_right_side_up_and_of_a_fitting_area(
    a: float, b: float, c: float, d: float, angle: float
) -> None:
    frame = one(np.exp(1j * angle))
    turn, shear = nearest_within(one(a + 1j * b), one(c + 1j * d), frame)
    most, least = singular(turn, shear)
    assert least[0, 0] > 0.05
    assert 0.61 < (most * least)[0, 0] < 1.76


def test_folded_map_is_turned_up_about_its_frame() -> None:
    # a mirror image: no turn, a shear of 1
    turn, shear = nearest_within(one(0.0), one(1.0), one(1j))
    assert turn[0, 0].imag > abs(shear[0, 0])
    assert abs(turn[0, 0].real) < 1e-6


def test_frames_follow_upright_triangles_only() -> None:
    turn = np.array([[2j], [0.1]], np.complex64)
    shear = np.array([[0.5], [0.3]], np.complex64)
    found = turn_frames(turn, shear, np.ones((2, 1), np.complex64))
    assert np.abs(found - np.array([[1j], [1.0]])).max() < 1e-6


def test_frame_is_sound_with_a_few_squeezed_triangles_and_without_a_folded_one() -> None:
    turn, shear = np.ones((200, 4), np.complex64), np.zeros((200, 4), np.complex64)
    turn[:2, 0] = 0.5  # two in two hundred have a quarter of their area
    turn[:3, 1] = 0.5
    turn[:3, 2] = 1.5
    shear[0, 3] = 1.1
    assert is_sound(turn, shear).tolist() == [True, False, False, False]
