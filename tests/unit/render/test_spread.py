import numpy as np

from animator.render.spread import spread_paint


def test_paint_reaches_two_pixels_under_what_is_clear_and_alpha_stays() -> None:
    frame = np.zeros((1, 6, 4), np.uint8)
    frame[0, 0] = (90, 60, 30, 255)
    found = spread_paint(frame)
    assert found[0, :, 0].tolist() == [90, 90, 90, 0, 0, 0]
    np.testing.assert_array_equal(found[..., 3], frame[..., 3])


def test_faint_paint_counts_less_than_solid_paint() -> None:
    frame = np.zeros((1, 3, 4), np.uint8)
    frame[0, 0], frame[0, 2] = (255, 0, 0, 204), (0, 255, 0, 51)
    assert spread_paint(frame)[0, 1].tolist() == [204, 51, 0, 0]


def test_frame_without_clear_pixels_stays_as_it_is() -> None:
    frame = np.full((4, 4, 4), 7, np.uint8)
    np.testing.assert_array_equal(spread_paint(frame), frame)
