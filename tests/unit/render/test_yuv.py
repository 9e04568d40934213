import numpy as np
import pytest

from animator.render.yuv import YuvFrames


@pytest.mark.parametrize(
    ("colour", "expected"),
    [
        # levels of BT.709, limited range, worked out from its weights of red and blue
        pytest.param((255, 255, 255), (235, 128, 128), id="white"),
        pytest.param((0, 0, 0), (16, 128, 128), id="black"),
        pytest.param((255, 0, 0), (63, 102, 240), id="red"),
        pytest.param((0, 0, 255), (32, 240, 118), id="blue"),
    ],
)
def test_levels_are_those_of_films(
    colour: tuple[int, int, int], expected: tuple[int, int, int]
) -> None:
    frame = np.full((4, 6, 4), 255, np.uint8)
    frame[..., :3] = colour
    planes = YuvFrames(4, 6).turn(frame).to_ndarray()
    assert planes.shape == (6, 6)
    for found, level in zip((planes[:4], planes[4], planes[5]), expected, strict=True):
        np.testing.assert_allclose(found.astype(int), level, atol=1)


def test_colour_is_the_mean_of_four_pixels_and_brightness_that_of_one() -> None:
    frame = np.full((2, 4, 4), 255, np.uint8)
    frame[0, 0, :3] = (255, 0, 0)
    planes = YuvFrames(2, 4).turn(frame).to_ndarray()
    assert abs(int(planes[0, 0]) - 63) <= 1
    assert (planes[:2].ravel()[1:] >= 234).all()
    # of red's 102 and 240 a quarter is left beside white's 128
    blue, red = planes[2].reshape(2, 2)
    np.testing.assert_allclose(blue.astype(int), [128 - 26 / 4, 128], atol=1)
    np.testing.assert_allclose(red.astype(int), [128 + 112 / 4, 128], atol=1)
