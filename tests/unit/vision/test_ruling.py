"""Ruled lines go, strokes stay."""

import cv2
import numpy as np
from numpy.typing import NDArray

from animator.vision.ruling import erase_ruling

Bits = NDArray[np.bool_]


def lines(*ends: tuple[tuple[int, int], tuple[int, int]], width: int = 1) -> Bits:
    canvas = np.zeros((200, 200), np.uint8)
    for start, end in ends:
        cv2.line(canvas, start, end, 1, width)
    return canvas > 0


def figure_room() -> Bits:
    """Where the figure is believed to be: the middle."""
    sure = np.zeros((200, 200), bool)
    sure[60:140, 70:130] = True
    return sure


BAR = lines(((100, 65), (100, 135)), width=5)
THROUGH = ((0, 100), (199, 104))
STUB = ((128, 100), (199, 100))


def test_line_through_the_figure_is_erased_and_the_stroke_it_crosses_stays() -> None:
    ink = BAR | lines(THROUGH)
    left = erase_ruling(ink, ink, figure_room())
    assert (left & ~BAR).sum() <= 4
    assert (left & BAR).sum() == BAR.sum()


def test_limb_that_leaves_the_picture_on_one_side_stays() -> None:
    ink = BAR | lines(STUB, width=3)
    assert (erase_ruling(ink, ink, figure_room()) == ink).all()


def test_line_on_one_side_goes_when_it_is_one_of_many() -> None:
    ink = BAR | lines(STUB, ((0, 40), (199, 40)), ((0, 160), (199, 160)))
    left = erase_ruling(ink, ink, figure_room())
    assert (left & ~BAR).sum() <= 8


def test_line_is_sought_among_marks_too_faint_to_be_ink() -> None:
    marks = BAR | lines(THROUGH)
    ink = BAR | (lines(THROUGH) & figure_room())
    left = erase_ruling(ink, marks, figure_room())
    assert (left & ~BAR).sum() <= 4


def test_page_without_lines_is_left_as_it_is() -> None:
    assert (erase_ruling(BAR, BAR, figure_room()) == BAR).all()


def test_line_that_ends_before_the_border_stays() -> None:
    ink = BAR | lines(((20, 30), (180, 30)))
    assert (erase_ruling(ink, ink, figure_room()) == ink).all()


def test_squared_paper_is_erased_though_its_lines_are_many() -> None:
    grid = [((0, k), (199, k + 4)) for k in range(5, 200, 8)]
    grid += [((k, 0), (k + 4, 199)) for k in range(5, 200, 8)]
    ink = BAR | lines(*grid, width=2)
    left = erase_ruling(ink, ink, figure_room())
    assert (left & ~BAR).sum() < 0.2 * (ink & ~BAR).sum()
