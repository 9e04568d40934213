import numpy as np

from animator.core.drawing import Figure
from animator.core.geometry import Box
from animator.core.mask import Mask
from animator.rigging.canvas import LONGEST, canvas_of


def figure(width: int, height: int) -> Figure:
    return Figure(
        box=Box(0.0, 0.0, float(width), float(height)),
        image=np.zeros((height, width, 3), np.uint8),
    )


def test_usual_figure_stays_as_it_is() -> None:
    one, mask = figure(40, 60), Mask(np.ones((60, 40), dtype=bool))
    canvas = canvas_of(one, mask)
    assert canvas.image is one.image
    assert canvas.mask is mask.data
    assert canvas.scale == (1.0, 1.0)


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
