import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from models.letterbox import letterbox_for

SIDES = st.integers(1, 3000)


def test_wide_picture_is_centred_between_margins() -> None:
    box = letterbox_for(200, 100, 50)
    assert (box.width, box.height, box.left, box.top) == (50, 25, 0, 12)
    assert box.scale == (0.25, 0.25)


def test_margin_has_the_colour_of_the_pictures_edge() -> None:
    image = np.full((100, 200, 3), (10, 20, 30), np.uint8)
    image[40:60, 90:110] = 255
    square = letterbox_for(200, 100, 50).apply(image)
    assert square.shape == (50, 50, 3)
    assert square[0, 0].tolist() == [10, 20, 30]
    assert square[24, 25].tolist() == [255, 255, 255]


def test_thin_picture_keeps_at_least_one_pixel() -> None:
    square = letterbox_for(1, 2000, 32).apply(np.zeros((2000, 1, 3), np.uint8))
    assert square.shape == (32, 32, 3)


@given(SIDES, SIDES, st.integers(16, 400))
def test_corners_of_the_picture_come_back(width: int, height: int, side: int) -> None:
    box = letterbox_for(width, height, side)
    corners = np.array(
        [[box.left, box.top], [box.left + box.width, box.top + box.height]], np.float32
    )
    assert 0 <= box.left <= box.left + box.width <= side
    assert 0 <= box.top <= box.top + box.height <= side
    assert np.allclose(box.invert(corners), [[0, 0], [width, height]], rtol=1e-4, atol=1e-3)
