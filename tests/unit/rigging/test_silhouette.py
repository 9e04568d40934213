import numpy as np
import pytest

from animator.core.errors import EmptyMask
from animator.core.mask import Mask
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
    cleaned = clean_mask(Mask(data))
    data[95, 95] = False
    np.testing.assert_array_equal(cleaned, data)


@pytest.mark.parametrize("pixels", [0, 9], ids=["nothing", "next to nothing"])
def test_empty_mask_is_refused(pixels: int) -> None:
    data = np.zeros((20, 20), dtype=bool)
    data[5, 5 : 5 + pixels] = True
    with pytest.raises(EmptyMask):
        clean_mask(Mask(data))


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
    corners = silhouette.to_figure(np.array([[0.0, float(rows[0] + GROWTH)]]))
    assert corners[0, 1] == pytest.approx(side / 4, abs=0.02 * side)


def test_parts_side_by_side_do_not_grow_together() -> None:
    data = np.zeros((LONG_SIDE, 100), dtype=bool)
    data[:, 10:50] = True
    data[:, 54:94] = True
    grown = silhouette_from_mask(data).data
    middle = grown[grown.shape[0] // 2]
    starts = np.flatnonzero(np.diff(np.concatenate(([0], middle.astype(int)))) == 1)
    assert len(starts) == 2


def test_blunt_dent_in_an_outline_is_no_slit() -> None:
    data = np.zeros((LONG_SIDE, LONG_SIDE), dtype=bool)
    rows, columns = np.ogrid[:LONG_SIDE, :LONG_SIDE]
    data |= (columns + rows // 3 < 300) | (rows > 400)
    grown = silhouette_from_mask(data).data
    # growth leaves no background pixel inside that is enclosed on both sides of its row
    narrow = (grown[:, :-2] == 1) & (grown[:, 1:-1] == 0) & (grown[:, 2:] == 1)
    assert narrow.sum() <= 4
