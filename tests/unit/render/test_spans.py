import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from animator.render.spans import Points, scan


def as_points(corners: NDArray[np.float64]) -> Points:
    return corners.view(np.complex128)[..., 0]


def pixels(corners: list[list[list[float]]], width: int = 10, height: int = 10) -> list[list[int]]:
    """Triangle, column and row of every pixel covered."""
    spans = scan(as_points(np.array(corners, np.float64)), width, height)
    return [
        [int(triangle), int(first) + k, int(row)]
        for triangle, row, first, count in zip(
            spans.triangle, spans.row, spans.first, spans.count, strict=True
        )
        for k in range(count)
    ]


def test_triangle_covers_the_pixels_whose_centres_it_holds() -> None:
    found = pixels([[[0, 0], [3, 0], [0, 3]]])
    assert found == [[0, 0, 0], [0, 1, 0], [0, 0, 1]]


def test_turning_a_triangle_over_changes_nothing() -> None:
    assert pixels([[[0, 0], [0, 3], [3, 0]]]) == pixels([[[0, 0], [3, 0], [0, 3]]])


def test_triangle_is_cut_off_at_the_frame() -> None:
    found = pixels([[[-5, -5], [20, -5], [-5, 20]]], width=2, height=2)
    assert found == [[0, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 1]]


def test_triangle_outside_or_without_area_covers_nothing() -> None:
    outside = [[20.0, 20.0], [30.0, 20.0], [20.0, 30.0]]
    line = [[0.0, 0.0], [5.0, 5.0], [9.0, 9.0]]
    point = [[2.0, 2.0], [2.0, 2.0], [2.0, 2.0]]
    assert pixels([outside, line, point]) == []


@given(
    x=st.floats(1, 9),
    y=st.floats(1, 9),
    low=st.tuples(st.floats(0, 0.9), st.floats(0, 0.9)),
)
def test_triangles_around_a_point_cover_each_pixel_once(
    x: float, y: float, low: tuple[float, float]
) -> None:
    ring = [[low[0], low[1]], [10.0, 0.0], [10.0, 10.0], [0.0, 10.0]]
    fan = [[ring[k], ring[(k + 1) % 4], [x, y]] for k in range(4)]
    counts = np.zeros((10, 10), int)
    for _, column, row in pixels(fan):
        counts[row, column] += 1
    assert counts[1:, 1:].min() == 1
    assert counts.max() == 1


def test_pixels_come_in_the_order_of_their_triangles() -> None:
    rng = np.random.default_rng(3)
    spans = scan(as_points(rng.uniform(0, 10, (50, 3, 2))), 10, 10)
    assert (np.diff(spans.triangle) >= 0).all()
    assert (spans.count >= 0).all()
