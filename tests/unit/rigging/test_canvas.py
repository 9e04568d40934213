import numpy as np
import pytest

from animator.core.drawing import Figure
from animator.core.geometry import Box
from animator.core.mask import Mask
from animator.rigging.canvas import LONGEST, SHORTEST, canvas_of


def figure(width: int, height: int) -> Figure:
    return Figure(
        box=Box(0.0, 0.0, float(width), float(height)),
        image=np.zeros((height, width, 3), np.uint8),
    )


def test_usual_figure_stays_as_it_is() -> None:
    one, mask = figure(40, SHORTEST), Mask(np.ones((SHORTEST, 40), dtype=bool))
    canvas = canvas_of(one, mask)
    assert canvas.image is one.image
    assert canvas.mask is mask.data
    assert canvas.scale == (1.0, 1.0)


@pytest.mark.parametrize(("side", "times"), [(SHORTEST // 2, 2), (SHORTEST // 2 - 1, 3), (40, 3)])
def test_small_figure_is_enlarged_by_a_whole_number(side: int, times: int) -> None:
    data = np.zeros((side, 30), dtype=bool)
    data[10:20, 10:20] = True
    canvas = canvas_of(figure(30, side), Mask(data))
    assert canvas.scale == (times, times)
    assert canvas.image.shape == (side * times, 30 * times, 3)
    assert canvas.mask.sum() == pytest.approx(100 * times**2, rel=0.01)
    inside = slice(10 * times + 1, 20 * times - 1)
    assert canvas.mask[inside, inside].all()


def test_large_figure_is_shrunk_and_points_find_their_way_back() -> None:
    data = np.zeros((3 * LONGEST, 1000), dtype=bool)
    data[: 3 * 600, : 3 * 100] = True
    canvas = canvas_of(figure(1000, 3 * LONGEST), Mask(data))
    assert canvas.image.shape == (LONGEST, 333, 3)
    assert canvas.mask.sum() == 600 * 100
    points = np.array([[500.0, 4000.0]], np.float32)
    there = canvas.from_figure(points)
    np.testing.assert_allclose(there, [[166.5, 4000 / 3]], rtol=1e-5)
    np.testing.assert_allclose(canvas.to_figure(there), points, rtol=1e-5)
