import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from animator.rigging.turns import unwind

PARENTS = (-1, 0, 1)


def test_arm_lifted_past_straight_up_does_not_flip() -> None:
    lifted = np.radians([100.0, 150.0, 179.0, 190.0, 200.0])
    wrapped = np.angle(np.exp(1j * lifted))
    turns = np.stack((np.zeros(5), wrapped, wrapped), axis=1)
    counted = unwind(turns, PARENTS)
    assert np.abs(np.diff(counted[:, 1])).max() < 1.0
    np.testing.assert_allclose(counted[:, 2], counted[:, 1], atol=1e-12)


def test_what_goes_round_and_round_jumps_where_it_bends_most() -> None:
    around = np.linspace(0, 4 * np.pi, 73)
    turns = np.stack((np.zeros(73), around, around), axis=1)
    counted = unwind(turns, PARENTS)[:, 1]
    assert np.abs(counted).max() <= np.pi + 1e-9


@given(
    angles=st.lists(st.floats(-6.2, 6.2), min_size=1, max_size=12),
    turned=st.floats(-3.0, 3.0),
)
def test_only_whole_turns_are_added(angles: list[float], turned: float) -> None:
    turns = np.stack((np.full(len(angles), turned), angles, np.zeros(len(angles))), axis=1)
    whole = (unwind(turns, PARENTS) - turns) / (2 * np.pi)
    np.testing.assert_allclose(whole, np.round(whole), atol=1e-9)
