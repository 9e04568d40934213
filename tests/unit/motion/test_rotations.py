import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from animator.motion.rotations import (
    Axis,
    compose_turns,
    conjugate,
    multiply,
    normalise,
    rotate,
    to_zxy,
    turn_about,
)

Floats = NDArray[np.float64]

angles = arrays(np.float64, (5, 3), elements=st.floats(-10, 10))
vectors = arrays(np.float64, (5, 3), elements=st.floats(-10, 10))
orders = st.permutations(("X", "Y", "Z")).map(lambda axes: (axes[0], axes[1], axes[2]))


def _peer(quaternions: Floats) -> Rotation:
    return Rotation.from_quat(quaternions, scalar_first=True)


def test_quarter_turn_about_z_takes_x_to_y() -> None:
    turn = turn_about("Z", np.array(np.pi / 2))
    np.testing.assert_allclose(rotate(turn, np.array([1.0, 0.0, 0.0])), [0, 1, 0], atol=1e-15)


def test_product_turns_by_its_right_factor_first() -> None:
    both = multiply(turn_about("Z", np.array(np.pi / 2)), turn_about("X", np.array(np.pi / 2)))
    # About x: y goes to z; then about z: z stays.
    np.testing.assert_allclose(rotate(both, np.array([0.0, 1.0, 0.0])), [0, 0, 1], atol=1e-15)


@settings(deadline=None)
@given(orders, angles)
def test_turns_in_any_order_agree_with_scipy(axes: tuple[Axis, ...], turns: Floats) -> None:
    ours = compose_turns(axes, turns)
    theirs = Rotation.from_euler("".join(axes), turns)  # capitals: each about the turned axes
    np.testing.assert_allclose(_peer(ours).as_matrix(), theirs.as_matrix(), atol=1e-12)


@settings(deadline=None)
@given(angles, vectors)
def test_rotation_agrees_with_scipy_and_its_inverse_undoes_it(
    turns: Floats, points: Floats
) -> None:
    q = compose_turns(("X", "Y", "Z"), turns)
    turned = rotate(q, points)
    np.testing.assert_allclose(turned, _peer(q).apply(points), atol=1e-12)
    np.testing.assert_allclose(rotate(conjugate(q), turned), points, atol=1e-12)


@settings(deadline=None)
@given(angles)
def test_angles_about_zxy_give_the_rotation_back(turns: Floats) -> None:
    q = compose_turns(("Z", "X", "Y"), turns)
    again = compose_turns(("Z", "X", "Y"), to_zxy(q))
    assert (np.abs(np.sum(q * again, axis=-1)) > 1 - 1e-10).all()


@pytest.mark.parametrize("sign", [1.0, -1.0], ids=["up", "down"])
def test_angles_are_found_where_the_outer_axes_coincide(sign: float) -> None:
    q = compose_turns(("Z", "X", "Y"), np.array([0.3, sign * np.pi / 2, 0.5]))
    found = to_zxy(q)
    np.testing.assert_allclose(found, [0.3 + sign * 0.5, sign * np.pi / 2, 0.0], atol=1e-7)


def test_no_axes_are_no_turn() -> None:
    np.testing.assert_array_equal(compose_turns((), np.empty((2, 0))), [[1, 0, 0, 0]] * 2)


def test_normalised_quaternions_have_length_one() -> None:
    np.testing.assert_allclose(normalise(np.array([0.0, 3.0, 0.0, 4.0])), [0, 0.6, 0, 0.8])
