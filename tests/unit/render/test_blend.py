import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from animator.render.blend import blend, lay_on_white, straighten

Colours = NDArray[np.uint8]


def packed(colours: list[tuple[int, int, int, int]]) -> NDArray[np.uint32]:
    return np.array(colours, np.uint8).reshape(-1, 4).view(np.uint32)[:, 0]


def lay_one_by_one(canvas: Colours, pixels: list[int], colours: Colours) -> Colours:
    """What is asked for, in so many words."""
    flat = canvas.reshape(-1, 4).astype(int)
    for pixel, colour in zip(pixels, colours.astype(int), strict=True):
        flat[pixel] = colour + (flat[pixel] * (255 - colour[3]) + 127) // 255
    return flat.astype(np.uint8).reshape(canvas.shape)


def test_what_comes_later_lies_in_front() -> None:
    canvas = np.zeros((1, 2, 4), np.uint8)
    half_blue, red = (0, 0, 128, 128), (255, 0, 0, 255)
    blend(canvas, np.array([0, 0, 1, 1]), packed([half_blue, red, red, half_blue]))
    # 255 * (255 - 128) / 255 of the red is left
    assert canvas.tolist() == [[[255, 0, 0, 255], [127, 0, 128, 255]]]


def test_clear_colours_and_none_at_all_change_nothing() -> None:
    canvas = np.full((2, 2, 4), 77, np.uint8)
    blend(canvas, np.array([1, 2]), packed([(0, 0, 0, 0)] * 2))
    blend(canvas, np.array([], np.int64), packed([]))
    assert (canvas == 77).all()


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from([0, 90, 200, 255])), max_size=20))
def test_any_pile_is_as_if_laid_one_by_one(pile: list[tuple[int, int]]) -> None:
    rng = np.random.default_rng(4)
    canvas = np.full((2, 3, 4), 255, np.uint8)
    alphas = np.array([alpha for _, alpha in pile], np.uint8)
    # premultiplied: no level is above alpha
    levels = (rng.random((len(pile), 3)) * alphas[:, None]).astype(np.uint8)
    colours = np.column_stack((levels, alphas)).reshape(-1, 4)
    pixels = [pixel for pixel, _ in pile]
    expected = lay_one_by_one(canvas, pixels, colours)
    blend(canvas, np.array(pixels, np.int64), colours.view(np.uint32)[:, 0])
    np.testing.assert_array_equal(canvas, expected)


def test_straight_colours_are_divided_by_alpha() -> None:
    picture = np.array([[(100, 50, 0, 128), (9, 8, 7, 255), (0, 0, 0, 0)]], np.uint8)
    # 255 * 100 / 128 and 255 * 50 / 128
    expected = [[[199, 100, 0, 128], [9, 8, 7, 255], [0, 0, 0, 0]]]
    assert straighten(picture).tolist() == expected
    assert picture.tolist() == expected


def test_straight_colours_on_white_are_opaque() -> None:
    picture = np.array([[(100, 0, 0, 128), (9, 8, 7, 255), (5, 5, 5, 0)]], np.uint8)
    before = picture.copy()
    # 100 * 128 / 255 and 127 of white
    expected = [[[177, 127, 127, 255], [9, 8, 7, 255], [255, 255, 255, 255]]]
    assert lay_on_white(picture).tolist() == expected
    np.testing.assert_array_equal(picture, before)


def test_opaque_pictures_stay_as_they_are() -> None:
    picture = np.full((2, 3, 4), 255, np.uint8)
    assert lay_on_white(picture) is picture
