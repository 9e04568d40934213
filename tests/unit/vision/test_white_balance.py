"""White paper is white again where a figure leaves it, and its paint goes along."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from animator.core.drawing import Drawing
from animator.core.geometry import Box
from animator.core.mask import Mask
from animator.vision.white_balance import balance_white

Picture = NDArray[np.uint8]
Colour = tuple[int, int, int]

BOX = Box(40.0, 40.0, 160.0, 160.0)


def ringed(paper: Colour, ink: Colour) -> tuple[Picture, Drawing, Mask]:
    """A ring of ink on paper of 200 x 200 pixels: its texture, as it was cut out; drawing; mask."""
    image = np.full((200, 200, 3), paper, np.uint8)
    cv2.circle(image, (100, 100), 50, ink, 9)
    mask = np.zeros((120, 120), np.uint8)
    cv2.circle(mask, (60, 60), 54, 1, -1)
    texture = np.dstack((image[40:160, 40:160], mask * np.uint8(255)))
    return texture, Drawing(id="d", image=image), Mask(mask > 0)


def balanced(paper: Colour, ink: Colour) -> tuple[Picture, Picture]:
    """The texture of a ring before and after."""
    texture, drawing, mask = ringed(paper, ink)
    return texture, balance_white(texture, drawing, BOX, mask)


def test_brown_light_on_white_paper_is_taken_away_and_ink_grows_as_much_lighter() -> None:
    before, after = balanced((168, 155, 140), (40, 60, 70))
    assert after[60, 60].tolist() == [252, 252, 252, 255]
    # 40 * 252 / 168 = 60, 60 * 252 / 155 = 97.5, 70 * 252 / 140 = 126
    assert after[60, 10].tolist() in ([60, 97, 126, 255], [60, 98, 126, 255])
    assert np.array_equal(after[..., 3], before[..., 3])


@pytest.mark.parametrize(
    "paper",
    [
        pytest.param((255, 255, 255), id="white"),
        pytest.param((253, 254, 252), id="white enough"),
        pytest.param((240, 220, 150), id="yellow"),
        pytest.param((80, 82, 84), id="dark"),
    ],
)
def test_other_grounds_are_left_as_they_are(paper: Colour) -> None:
    before, after = balanced(paper, (20, 20, 20))
    assert np.array_equal(after, before)


def test_chalk_on_a_board_is_left_as_it_is() -> None:
    before, after = balanced((60, 62, 60), (230, 230, 225))
    assert np.array_equal(after, before)


def test_paint_that_is_brighter_than_the_ground_nearly_keeps_its_colour() -> None:
    """On a ground that was painted grey: yellow times 252 / 160 would be 255, 255, 95."""
    before, after = balanced((160, 160, 160), (250, 200, 60))
    assert before[60, 10, :3].tolist() == [250, 200, 60]
    # at most to 1.05 * 255 in the brightest channel: times 1.071
    assert after[60, 10, :3].tolist() == [255, 214, 64]


def test_paper_is_found_past_neighbours_and_at_the_edge_of_the_page() -> None:
    texture, drawing, mask = ringed((170, 170, 170), (30, 30, 30))
    page = drawing.image[40:160, 40:160].copy()
    edge = Box(0.0, 0.0, 120.0, 120.0)
    cv2.line(page, (2, 2), (2, 30), (0, 0, 200), 4)
    found = balance_white(texture, Drawing(id="d", image=page), edge, mask)
    assert found[60, 60].tolist() == [252, 252, 252, 255]


def test_figure_that_fills_the_page_is_left_as_it_is() -> None:
    texture, drawing, _ = ringed((170, 170, 170), (30, 30, 30))
    page = Drawing(id="d", image=drawing.image[40:160, 40:160])
    everything = Mask(np.ones((120, 120), bool))
    assert balance_white(texture, page, Box(0.0, 0.0, 120.0, 120.0), everything) is texture


def test_texture_without_paint_is_left_as_it_is() -> None:
    texture, drawing, mask = ringed((170, 170, 170), (30, 30, 30))
    texture[..., 3] = 0
    assert balance_white(texture, drawing, BOX, mask) is texture
