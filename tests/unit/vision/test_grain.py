import numpy as np
import pytest

from animator.vision.grain import _shifted, borrow_grain


def stripes(period: int) -> np.ndarray:
    """Detail that repeats along the columns, 96 x 120."""
    wave = 20 * np.sin(2 * np.pi * np.arange(120) / period) + 8 * (np.arange(120) % period == 0)
    return np.repeat(np.tile(wave, (96, 1))[..., None], 3, axis=2).astype(np.float32)


@pytest.mark.parametrize("period", [7, 10, 16])
def test_pattern_goes_on_through_the_gap_to_the_pixel(period: int) -> None:
    grain = stripes(period)
    gap = np.zeros((96, 120), bool)
    gap[30:60, 40:70] = True
    found = borrow_grain(np.where(gap[..., None], 0, grain), gap, ~gap)
    np.testing.assert_allclose(found[gap], grain[gap], atol=0.01)
    assert not found[~gap].any()


def test_gap_in_pieces_is_filled_piece_by_piece() -> None:
    """Most of the picture is a gap, so no one shift fills it."""
    grain = stripes(8)
    gap = np.ones((96, 120), bool)
    gap[:, :24] = gap[40:44] = False
    found = borrow_grain(np.where(gap[..., None], 0, grain), gap, ~gap)
    assert (np.abs(found[gap]).max(axis=1) > 0).mean() > 0.8


def test_detail_is_scattered_where_no_shift_reaches() -> None:
    rng = np.random.default_rng(0)
    grain = rng.normal(0, 5, (64, 64, 3)).astype(np.float32)
    gap = np.ones((64, 64), bool)
    gap[30:32, 30:32] = False
    found = borrow_grain(grain, gap, ~gap)
    values = {tuple(pixel) for pixel in grain[~gap].tolist()}
    assert {tuple(pixel) for pixel in found[gap].tolist()} <= values


def test_nothing_can_be_borrowed_from_nowhere() -> None:
    everywhere = np.ones((32, 32), bool)
    assert not borrow_grain(np.ones((32, 32, 3), np.float32), everywhere, ~everywhere).any()


def test_shift_beyond_the_edge_finds_nothing() -> None:
    picture = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert _shifted(picture, (1, -1)).tolist() == [[0, 4, 5, 6], [0, 8, 9, 10], [0, 0, 0, 0]]
    for shift in ((3, 0), (0, -4), (9, 9)):
        assert not _shifted(picture, shift).any()
