import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from animator.render.areas import area_of, changed_area

BLANK = np.zeros((7, 9, 4), np.uint8)


def test_frames_that_are_equal_have_no_changed_area() -> None:
    assert changed_area(BLANK, BLANK.copy()) is None


def test_area_is_widened_to_even_numbers_and_ends_at_the_edge() -> None:
    after = BLANK.copy()
    after[3, 5, 2] = after[4, 8, 0] = 1
    assert changed_area(BLANK, after) == (slice(2, 6), slice(4, 9))


@given(
    st.integers(1, 12),
    st.integers(1, 12),
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=6),
)
def test_nothing_is_chosen_outside_the_area(
    height: int, width: int, points: list[tuple[int, int]]
) -> None:
    chosen = np.zeros((height, width), bool)
    for y, x in points:
        chosen[y % height, x % width] = True
    area = area_of(chosen)
    assert (area is None) == (not chosen.any())
    if area is not None:
        inside = chosen[area]
        assert inside.sum() == chosen.sum()
        assert inside[:2].any() and inside[-2:].any()
        assert inside[:, :2].any() and inside[:, -2:].any()
        assert all(part.start % 2 == 0 for part in area)
