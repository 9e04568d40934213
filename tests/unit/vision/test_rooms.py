"""Rooms are filled as the outline and the models say."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from animator.vision.belief import Belief
from animator.vision.rooms import fill_rooms

Bits = NDArray[np.bool_]


def believing(value: float, box: bool = True) -> Belief:
    return Belief(
        own=np.full((200, 200), value, np.float32),
        box=np.full((200, 200), box),
        taken=np.zeros((200, 200), bool),
        denied=np.zeros((200, 200), bool),
    )


def ring(gap: int = 0) -> Bits:
    """A circle of radius 60, with a gap of so many pixels on its right."""
    canvas = np.zeros((200, 200), np.uint8)
    cv2.circle(canvas, (100, 100), 60, 1, 3)
    if gap:
        canvas[100 - gap // 2 : 100 + gap - gap // 2, 150:] = 0
    return canvas > 0


def slot(width: int) -> Bits:
    """Two parallel strokes from the top bar down, open below: a drawn leg."""
    canvas = np.zeros((200, 200), np.uint8)
    left, right = 100 - width // 2, 100 + width - width // 2
    cv2.line(canvas, (left, 20), (left, 150), 1, 3)
    cv2.line(canvas, (right, 20), (right, 150), 1, 3)
    cv2.line(canvas, (left, 20), (right, 20), 1, 3)
    return canvas > 0


def test_enclosed_room_is_filled() -> None:
    assert fill_rooms(ring(), believing(0.7))[100, 100]


def test_enclosed_room_that_the_models_deny_stays_open() -> None:
    assert not fill_rooms(ring(), believing(0.05))[100, 100]


def test_room_that_the_models_did_not_see_is_filled() -> None:
    assert fill_rooms(ring(), believing(0.0, box=False))[100, 100]


def test_what_limbs_enclose_stays_open_where_it_is_half_believed() -> None:
    canvas = np.zeros((200, 200), np.uint8)
    cv2.circle(canvas, (100, 100), 30, 1, 3)
    assert not fill_rooms(canvas > 0, believing(0.55))[100, 100]
    assert fill_rooms(canvas > 0, believing(0.75))[100, 100]


def test_small_room_is_filled_whatever_the_models_say() -> None:
    canvas = np.zeros((200, 200), np.uint8)
    cv2.circle(canvas, (100, 100), 8, 1, 2)
    assert fill_rooms(canvas > 0, believing(0.0))[100, 100]


@pytest.mark.parametrize("gap", [4, 16])
def test_room_with_a_gap_is_filled_where_it_is_believed(gap: int) -> None:
    assert fill_rooms(ring(gap), believing(0.7))[100, 100]
    assert not fill_rooms(ring(gap), believing(0.3))[100, 100]


def test_certain_head_is_filled_though_it_has_no_outline() -> None:
    canvas = np.zeros((200, 200), np.uint8)
    cv2.circle(canvas, (100, 60), 40, 1, -1)
    head = canvas > 0
    belief = Belief(
        own=np.where(head, np.float32(0.95), np.float32(0.1)),
        box=np.ones((200, 200), bool),
        taken=np.zeros((200, 200), bool),
        denied=np.zeros((200, 200), bool),
    )
    eyes = np.zeros((200, 200), bool)
    eyes[50:54, 85:89] = eyes[50:54, 111:115] = True
    filled = fill_rooms(eyes, belief)
    assert (filled & head).sum() > 0.95 * head.sum()
    near = cv2.dilate(canvas, np.ones((5, 5), np.uint8)) > 0
    assert not (filled & ~near).any()


def test_coarse_belief_does_not_bulge_over_a_crisp_outline() -> None:
    canvas = np.zeros((200, 200), np.uint8)
    cv2.circle(canvas, (100, 100), 66, 1, -1)
    belief = Belief(
        own=np.where(canvas > 0, np.float32(0.95), np.float32(0.1)),
        box=np.ones((200, 200), bool),
        taken=np.zeros((200, 200), bool),
        denied=np.zeros((200, 200), bool),
    )
    filled = fill_rooms(ring(), belief)
    assert filled[100, 100]
    assert not filled[100, 164:].any()


def test_open_leg_is_filled_where_it_is_believed() -> None:
    assert fill_rooms(slot(12), believing(0.75))[80, 100]
    assert not fill_rooms(slot(12), believing(0.4))[80, 100]


def test_corner_between_two_strokes_stays_open() -> None:
    canvas = np.zeros((200, 200), np.uint8)
    cv2.line(canvas, (100, 50), (60, 180), 1, 3)
    cv2.line(canvas, (100, 50), (140, 180), 1, 3)
    filled = fill_rooms(canvas > 0, believing(0.75))
    assert not filled[90, 100]
    assert filled.sum() < 1.1 * canvas.sum()


def test_room_against_the_border_needs_no_wall_there() -> None:
    canvas = np.zeros((200, 200), np.uint8)
    cv2.line(canvas, (95, 120), (95, 199), 1, 3)
    cv2.line(canvas, (105, 120), (105, 199), 1, 3)
    cv2.line(canvas, (95, 120), (105, 120), 1, 3)
    assert fill_rooms(canvas > 0, believing(0.75))[160, 100]


def test_hand_that_is_open_wide_needs_more_belief() -> None:
    canvas = np.zeros((200, 200), np.uint8)
    cv2.circle(canvas, (100, 100), 14, 1, 3)
    canvas[93:107, 100:] = 0
    assert not fill_rooms(canvas > 0, believing(0.7))[100, 95]
    assert fill_rooms(canvas > 0, believing(0.95))[100, 95]
