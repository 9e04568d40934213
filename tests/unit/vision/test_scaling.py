"""Pictures are made small without losing what is in them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from animator.vision.scaling import halve, shrink


def test_small_picture_is_given_back_as_it_is() -> None:
    image = np.zeros((30, 40, 3), np.uint8)
    assert shrink(image, 40) is image


def test_whole_blocks_are_averaged() -> None:
    image = np.array([[0, 100, 10, 10], [100, 200, 10, 10]], np.float32)
    assert shrink(image, 2).tolist() == [[100.0, 10.0]]


@pytest.mark.parametrize("side", [700, 512, 333])
def test_thin_line_keeps_its_weight(side: int) -> None:
    image = np.zeros((1000, 1000), np.float32)
    image[:, 500] = 240.0
    small = shrink(image, side)
    assert small[side // 2].sum() == pytest.approx(240.0 * side / 1000, rel=0.5)


@given(st.integers(1, 90), st.integers(1, 90), st.integers(1, 60))
def test_longer_side_is_at_most_what_was_asked(width: int, height: int, side: int) -> None:
    image = np.full((height, width, 3), 77, np.uint8)
    small = shrink(image, side)
    assert max(small.shape[:2]) == min(max(width, height), side)
    assert min(small.shape[:2]) >= 1
    assert (small == 77).all()


def test_cell_of_half_the_grid_is_true_where_any_of_its_pixels_is() -> None:
    bits = np.zeros((3, 5), bool)
    bits[0, 1] = bits[2, 4] = True
    assert halve(bits).tolist() == [[True, False, False], [False, False, True]]
