"""Figures are taken off their paper, and the paper goes on under them."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from animator.core.drawing import Drawing
from animator.core.geometry import Box
from animator.core.mask import Mask
from animator.vision.inpaint import remove_figures

Picture = NDArray[np.uint8]

BOX = Box(120.0, 60.0, 240.0, 300.0)


def grainy(seed: int = 1) -> Picture:
    """Paper that is darker to the right, with grain, 360 x 400."""
    rng = np.random.default_rng(seed)
    light = np.linspace(235, 190, 400)[None, :, None] * np.array([1.0, 0.98, 0.92])
    grain = cv2.GaussianBlur(rng.normal(0, 8, (360, 400)), (0, 0), 1.0)
    return np.asarray(np.clip(light + grain[..., None], 0, 255), np.uint8)


def draw_figure(paper: Picture) -> tuple[Drawing, list[tuple[Box, Mask]]]:
    """A thick blue outline, whose mask leaves the line's outer half uncovered."""
    image = paper.copy()
    cv2.ellipse(image, (180, 180), (45, 105), 0, 0, 360, (20, 30, 120), 5, cv2.LINE_AA)
    inside = np.zeros(image.shape[:2], np.uint8)
    cv2.ellipse(inside, (180, 180), (45, 105), 0, 0, 360, 1, -1)
    return Drawing(id="d", image=image), [(BOX, Mask(inside[60:300, 120:240] > 0))]


def test_nothing_of_the_figure_remains_and_light_goes_on() -> None:
    paper = grainy()
    found = remove_figures(*draw_figure(paper))
    assert found.shape == paper.shape and found.dtype == np.uint8
    smooth, wanted = (cv2.GaussianBlur(p, (0, 0), 6).astype(int) for p in (found, paper))
    assert np.abs(smooth - wanted).max() <= 6
    dark = found.min(axis=2) < 140
    assert not dark.any()


def test_gap_is_as_grainy_as_the_paper() -> None:
    paper = grainy()
    found = remove_figures(*draw_figure(paper))
    both = [p.astype(np.float32) for p in (found, paper)]
    fine, wanted = (p - cv2.GaussianBlur(p, (0, 0), 4) for p in both)
    inside = np.s_[100:260, 160:200]
    assert 0.7 < fine[inside].std() / wanted[inside].std() < 1.3


def test_the_rest_of_the_drawing_is_left_alone() -> None:
    paper = grainy()
    cv2.circle(paper, (330, 80), 30, (240, 180, 0), -1)
    cv2.line(paper, (0, 340), (399, 340), (40, 120, 40), 4)
    drawing, figures = draw_figure(paper)
    found = remove_figures(drawing, figures)
    changed = (found != drawing.image).any(axis=2)
    rows, columns = np.nonzero(changed)
    assert rows.min() > 65 and rows.max() < 300
    assert columns.min() > 115 and columns.max() < 245


@pytest.mark.parametrize("along", ["rows", "columns"])
def test_ruled_lines_go_on_through_the_gap(along: str) -> None:
    paper = grainy()
    for at in range(20, 400, 36):
        line = np.s_[at : at + 2] if along == "rows" else np.s_[:, at : at + 2]
        paper[line] = paper[line] // 3 * 2
    found = remove_figures(*draw_figure(paper)).astype(int).sum(axis=2)
    wanted = paper.astype(int).sum(axis=2)
    middle = np.s_[90:270, 150:210]
    axis = 1 if along == "rows" else 0
    across, true = found[middle].mean(axis=axis), wanted[middle].mean(axis=axis)
    assert np.corrcoef(across - cv2.blur(across, (1, 15))[:, 0], true)[0, 1] > 0.7


def test_figure_on_coloured_ground_leaves_that_colour() -> None:
    """Meadow all around: it is ink, but there is no paper to go on with."""
    paper = grainy()
    paper[:] = (90, 170, 80)
    found = remove_figures(*draw_figure(paper))
    np.testing.assert_allclose(found[180, 180], (90, 170, 80), atol=8)


def test_large_picture_is_filled_as_well() -> None:
    large = cv2.resize(grainy(), (1200, 1080), interpolation=cv2.INTER_CUBIC)
    image = large.copy()
    cv2.circle(image, (600, 525), 150, (200, 30, 30), -1)
    mask = np.zeros((400, 400), np.uint8)
    cv2.circle(mask, (200, 200), 148, 1, -1)
    box = Box(400.0, 325.0, 800.0, 725.0)
    found = remove_figures(Drawing(id="d", image=np.asarray(image)), [(box, Mask(mask > 0))])
    assert np.abs(found.astype(int) - large).max() < 60
    np.testing.assert_array_equal(found[:300], large[:300])


def test_page_that_is_all_figure_gets_some_even_colour() -> None:
    image = np.full((64, 64, 3), 120, np.uint8)
    everywhere = [(Box(0.0, 0.0, 64.0, 64.0), Mask(np.ones((64, 64), bool)))]
    found = remove_figures(Drawing(id="d", image=image), everywhere)
    assert found.shape == image.shape
    assert found.std() < 1


def test_no_figure_leaves_the_drawing_as_it_is() -> None:
    drawing = Drawing(id="d", image=grainy())
    assert remove_figures(drawing, []) is drawing.image
    empty = [(BOX, Mask(np.zeros((240, 120), bool)))]
    assert remove_figures(drawing, empty) is drawing.image
