"""Which ink belongs, and how what is detached is joined."""

import cv2
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from animator.vision.belief import Belief
from animator.vision.parts import choose_ink, join_parts

Bits = NDArray[np.bool_]


def bars(*boxes: tuple[int, int, int, int]) -> Bits:
    """Filled rectangles x1, y1, x2, y2 on 100 x 100."""
    canvas = np.zeros((100, 100), bool)
    for x1, y1, x2, y2 in boxes:
        canvas[y1:y2, x1:x2] = True
    return canvas


def belief(
    own: Bits, box: Bits | None = None, taken: Bits | None = None, denied: Bits | None = None
) -> Belief:
    return Belief(
        own=np.where(own, np.float32(0.9), np.float32(0.0)),
        box=own if box is None else box,
        taken=np.zeros_like(own) if taken is None else taken,
        denied=np.zeros_like(own) if denied is None else denied,
    )


MIDDLE = bars((30, 20, 70, 80))


def test_ink_under_belief_stays_and_detached_ink_beside_it_goes() -> None:
    figure, sun = bars((40, 30, 44, 70)), bars((85, 5, 95, 15))
    assert (choose_ink(figure | sun, belief(MIDDLE)) == figure).all()


def test_house_that_a_hand_touches_is_cut_off_where_it_is_denied() -> None:
    arm, house = bars((40, 40, 70, 44)), bars((70, 30, 95, 60))
    ours = belief(MIDDLE, box=bars((30, 20, 95, 80)), denied=bars((72, 0, 100, 100)))
    kept = choose_ink(arm | house, ours)
    assert kept[42, 69]
    assert not kept[:, 72:].any()


def test_finger_that_is_denied_stays() -> None:
    arm = bars((40, 40, 75, 44))
    ours = belief(MIDDLE, denied=bars((70, 0, 100, 100)))
    assert (choose_ink(arm, ours) == arm).all()


def test_ink_that_hangs_together_is_followed_to_its_end() -> None:
    arm = bars((40, 40, 90, 44))
    assert (choose_ink(arm, belief(MIDDLE, box=bars((30, 20, 75, 80)))) == arm).all()


def test_runaway_ink_is_cut_near_the_box() -> None:
    ground = bars((0, 70, 100, 73))
    kept = choose_ink(ground, belief(bars((40, 20, 60, 80))))
    assert kept[71, 50]
    assert kept[71, 70]
    assert not kept[71, :25].any()
    assert not kept[71, 75:].any()


def test_ink_of_another_figure_is_left_out() -> None:
    arm = bars((40, 40, 70, 44))
    kept = choose_ink(arm, belief(MIDDLE, taken=bars((60, 0, 100, 100))))
    assert (kept == bars((40, 40, 60, 44))).all()


def test_dirt_is_left_out() -> None:
    figure = bars((40, 30, 44, 70))
    assert (choose_ink(figure | bars((60, 50, 61, 51)), belief(MIDDLE)) == figure).all()


def test_short_detached_ink_needs_more_belief_than_a_long_stroke() -> None:
    figure, stroke = bars((40, 30, 44, 70)), bars((50, 30, 52, 70))
    fingers = bars((60, 50, 65, 53))
    weak = Belief(
        own=np.where(figure, 0.9, 0.2).astype(np.float32),
        box=np.ones((100, 100), bool),
        taken=np.zeros((100, 100), bool),
        denied=np.zeros((100, 100), bool),
    )
    assert (choose_ink(figure | stroke | fingers, weak) == figure | stroke).all()


def test_no_believed_ink_gives_none() -> None:
    assert not choose_ink(bars((0, 0, 9, 9)), belief(MIDDLE)).any()


def test_only_the_best_part_is_kept_when_all_are_doubtful() -> None:
    line, stub = bars((30, 30, 95, 32)), bars((68, 60, 95, 62))
    kept = choose_ink(line | stub, belief(bars((30, 20, 34, 80)), box=bars((0, 0, 100, 100))))
    assert kept[31, 90]
    assert not kept[61].any()


def test_parts_are_joined_by_the_shortest_bridge() -> None:
    joined = join_parts(bars((10, 10, 50, 50), (60, 20, 70, 30)))
    assert cv2.connectedComponents(joined.astype(np.uint8))[0] == 2
    assert joined[19:31, 50:60].any(axis=0).all()
    assert not joined[40:, 52:].any()


def test_one_part_is_left_as_it_is() -> None:
    assert (join_parts(MIDDLE) == MIDDLE).all()


def test_nothing_is_left_as_it_is() -> None:
    assert not join_parts(np.zeros((20, 20), bool)).any()


@given(st.integers(0, 2**16))
def test_any_parts_end_as_one(seed: int) -> None:
    bits = np.random.default_rng(seed).random((40, 40)) < 0.03
    bits[5, 5] = True
    joined = join_parts(bits)
    assert (joined | ~bits).all()
    assert cv2.connectedComponents(joined.astype(np.uint8), connectivity=8)[0] == 2
