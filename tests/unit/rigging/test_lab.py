import cv2
import numpy as np
import pytest

from animator.rigging.lab import lab_from_rgb


@pytest.mark.parametrize(
    ("colour", "expected"),
    [
        pytest.param((255, 255, 255), (100, 0, 0), id="white"),
        pytest.param((0, 0, 0), (0, 0, 0), id="black"),
        # as tables of sRGB's primaries give them, to one decimal
        pytest.param((255, 0, 0), (53.2, 80.1, 67.2), id="red"),
        pytest.param((0, 0, 255), (32.3, 79.2, -107.9), id="blue"),
    ],
)
def test_known_colours(colour: tuple[int, int, int], expected: tuple[float, float, float]) -> None:
    found = lab_from_rgb(np.array([[colour]], np.uint8))
    np.testing.assert_allclose(found[0, 0], expected, atol=0.1)


def test_any_colour_is_where_opencv_has_it() -> None:
    image = np.random.default_rng(1).integers(0, 256, (40, 40, 3), dtype=np.uint8)
    expected = cv2.cvtColor(image.astype(np.float32) / 255, cv2.COLOR_RGB2LAB)
    np.testing.assert_allclose(lab_from_rgb(image), expected, atol=0.5)
