import numpy as np
import pytest

from animator.core.errors import EmptyMask
from animator.rigging.silhouette import (
    GROWTH,
    LONG_SIDE,
    clean_mask,
    nearest_inside,
    silhouette_from_mask,
)


def test_specks_are_dropped_and_separate_parts_stay() -> None:
    data = np.zeros((100, 100), dtype=bool)
    data[10:80, 10:60] = True
    data[10:20, 80:90] = True
    data[95, 95] = True
    cleaned = clean_mask(data)
    data[95, 95] = False
    np.testing.assert_array_equal(cleaned, data)


@pytest.mark.parametrize("pixels", [0, 9], ids=["nothing", "next to nothing"])
def test_empty_mask_is_refused(pixels: int) -> None:
    data = np.zeros((20, 20), dtype=bool)
    data[5, 5 : 5 + pixels] = True
    with pytest.raises(EmptyMask):
        clean_mask(data)


def test_point_inside_stays_and_point_outside_goes_to_the_nearest_pixel() -> None:
    data = np.zeros((10, 10), dtype=bool)
    data[2:5, 3:6] = True
    points = np.array([[4.2, 3.9], [8.0, 3.5], [-7.0, -9.0], [4.5, 99.0]], np.float32)
    moved = nearest_inside(data, points)
    np.testing.assert_allclose(moved, [[4.2, 3.9], [5.5, 3.5], [3.5, 2.5], [4.5, 4.5]])


@pytest.mark.parametrize("side", [40, 3000], ids=["small", "large"])
def test_silhouette_has_one_size_and_reaches_past_the_mask(side: int) -> None:
    data = np.zeros((side, side), dtype=bool)
    data[side // 4 : side // 4 + side // 2, side // 4 : side // 4 + side // 4] = True
    silhouette = silhouette_from_mask(data)
    rows = np.flatnonzero(silhouette.data.any(axis=1))
    assert abs(rows[-1] - rows[0] + 1 - (LONG_SIDE + 2 * GROWTH)) <= 2
    corners = silhouette.to_canvas(np.array([[0.0, float(rows[0] + GROWTH)]]))
    assert corners[0, 1] == pytest.approx(side / 4, abs=0.02 * side)


def test_narrow_gap_between_parts_is_closed_but_known() -> None:
    data = np.zeros((LONG_SIDE, 100), dtype=bool)
    data[:, 10:50] = True
    data[:, 54:94] = True
    silhouette = silhouette_from_mask(data)
    middle = silhouette.data.shape[0] // 2
    inside = np.flatnonzero(silhouette.data[middle])
    assert (silhouette.data[middle, inside[0] : inside[-1]] == 1).all()
    assert (silhouette.solid[middle, inside[0] : inside[-1]] == 0).sum() >= 4


def test_large_hole_stays_open_and_a_pinhole_is_closed() -> None:
    data = np.ones((LONG_SIDE, LONG_SIDE), dtype=bool)
    data[100:200, 100:200] = False
    data[300:312, 300:312] = False
    grown = silhouette_from_mask(data).data
    assert grown[150 + GROWTH, 150 + GROWTH] == 0
    assert grown[306 + GROWTH, 306 + GROWTH] == 1


def test_grid_and_canvas_are_each_others_inverse() -> None:
    data = np.zeros((300, 200), dtype=bool)
    data[20:280, 30:170] = True
    silhouette = silhouette_from_mask(data)
    points = np.array([[30.0, 20.0], [101.5, 77.25]])
    np.testing.assert_allclose(silhouette.to_canvas(silhouette.from_canvas(points)), points)
