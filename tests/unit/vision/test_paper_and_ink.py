"""Ink is what departs from the paper; light and shadow do not."""

import numpy as np

from animator.vision.ink import find_ink, find_marks
from animator.vision.paper import measure_contrast
from tests.support_drawings import paper

SURE = np.ones((300, 200), np.float32)


def test_clean_paper_holds_no_ink() -> None:
    contrast = measure_contrast(paper())
    assert not find_ink(contrast, SURE).bits.any()
    assert find_marks(contrast).mean() < 0.01


def test_shadow_edge_is_no_stroke() -> None:
    page = paper()
    page[150:] = (page[150:] * 0.55).astype(np.uint8)
    assert find_ink(measure_contrast(page), SURE).bits.mean() < 0.02


def test_contrast_is_the_share_of_light_that_is_missing() -> None:
    page = np.full((300, 200, 3), 200, np.uint8)
    page[148:152, 50:150] = 100
    contrast = measure_contrast(page)
    assert abs(contrast.strokes[149, 100] - 127.5) < 12
    assert contrast.strokes[100, 100] == 0.0
    assert contrast.noise == 1.0


def test_grey_fill_is_left_to_its_outline_and_coloured_fill_is_not() -> None:
    page = np.full((300, 200, 3), 230, np.uint8)
    page[50:120, 60:140] = (170, 170, 170)
    page[180:250, 60:140] = (230, 120, 120)
    contrast = measure_contrast(page)
    assert contrast.fills[85, 100] == 0.0
    assert contrast.fills[215, 100] > 90


def test_weak_ink_counts_where_it_touches_strong_ink() -> None:
    page = np.full((300, 200, 3), 220, np.uint8)
    page[100:104, 20:100] = 60
    page[100:104, 100:180] = 170
    page[200:204, 20:100] = 170
    own = np.zeros((300, 200), np.float32)
    own[90:110, :100] = 0.9
    ink = find_ink(measure_contrast(page), own).bits
    assert ink[101, 150]
    assert not ink[201, 50]


def test_strength_is_measured_on_the_figure_alone() -> None:
    page = np.full((300, 200, 3), 220, np.uint8)
    page[100:104, 20:180] = 180
    page[200:230, 20:180] = 0
    own = np.zeros((300, 200), np.float32)
    own[60:150] = 0.9
    assert find_ink(measure_contrast(page), own).bits[101, 100]


def test_bright_rims_that_a_camera_draws_around_strokes_make_no_ink_between_them() -> None:
    page = np.full((300, 200, 3), 150, np.uint8)
    for column in (60, 100, 140):
        page[40:260, column - 6 : column + 6] = 185
        page[40:260, column - 3 : column + 3] = 40
    contrast = measure_contrast(page)
    assert contrast.strokes[150, 80] < 0.35 * 255 * 35 / 185
    assert find_ink(contrast, SURE).bits[150, 100]


def test_edge_of_a_stroke_lies_where_the_excess_is_one() -> None:
    page = np.full((300, 200, 3), 200, np.uint8)
    page[148:152, 50:150] = 40
    ink = find_ink(measure_contrast(page), SURE)
    assert (ink.bits == (ink.excess > 1.0)).all()
    assert ink.excess[150, 100] > 3.0
    assert ink.excess[140, 100] < 0.2
