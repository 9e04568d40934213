"""The maps between spaces, by hand and back again."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from animator.core.geometry import Box
from animator.core.spaces import (
    FigureToWorld,
    WorldToFrame,
    drawing_to_figure,
    figure_to_drawing,
)

pixels = st.floats(-5000, 5000, width=32)


def test_figure_space_starts_at_the_corner_of_the_box() -> None:
    points = np.array([[12, 25]], dtype=np.float32)
    box = Box(10, 20, 30, 40)
    assert drawing_to_figure(points, box).tolist() == [[2, 5]]
    assert figure_to_drawing(drawing_to_figure(points, box), box).tolist() == [[12, 25]]


def test_world_is_one_figure_tall_and_y_points_up() -> None:
    to_world = FigureToWorld(root_x=50, root_y=60, height=200)
    assert to_world.apply(np.array([[50, -140], [150, 60]], dtype=np.float32)).tolist() == [
        [0, 1],
        [0.5, 0],
    ]


@given(pixels, pixels, st.floats(1, 4000, width=32))
def test_world_maps_back_to_figure_space(x: float, y: float, height: float) -> None:
    to_world = FigureToWorld(root_x=30, root_y=40, height=height)
    point = np.array([[x, y]], dtype=np.float32)
    back = to_world.invert(to_world.apply(point))
    np.testing.assert_allclose(back, point, atol=2e-3 * max(1.0, abs(x), abs(y)))


def test_frame_turns_y_down_again() -> None:
    camera = WorldToFrame(scale=100, origin_x=256, origin_y=300)
    assert camera.apply(np.array([[0.5, 1.0]], dtype=np.float32)).tolist() == [[306, 200]]
