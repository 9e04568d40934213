import numpy as np

from animator.render.palette import (
    CLEAR,
    COLOURS,
    index_frame,
    palette_from_colours,
    palette_from_frames,
)

RED, NEAR_RED, WHITE = (200, 10, 10), (204, 10, 14), (255, 255, 255)


def test_pixel_takes_the_nearest_colour_and_clear_ones_the_clear_index() -> None:
    palette = palette_from_colours(np.array([WHITE, RED, (0, 0, 0)], np.uint8), 0)
    frame = np.array([[[210, 20, 0, 255], [9, 9, 30, 255], [255, 0, 0, 127]]], np.uint8)
    assert index_frame(palette, frame).tolist() == [[1, 2, CLEAR]]


def test_background_is_met_exactly_and_has_no_double() -> None:
    near_white = (254, 254, 254)
    palette = palette_from_colours(np.array([WHITE, near_white, RED, NEAR_RED], np.uint8), 0)
    frame = np.full((1, 1, 4), 255, np.uint8)
    assert index_frame(palette, frame).item() == 0
    assert not palette.alike[0, 1]
    assert palette.alike[2, 3]
    assert palette.alike[0, 0]
    assert not palette.alike[1, 2]


def test_commonest_colour_is_in_the_palette_exactly() -> None:
    rng = np.random.default_rng(0)
    frame = rng.integers(0, 256, (60, 60, 4), dtype=np.uint8)
    frame[..., 3] = 255
    frame[:20] = (13, 57, 101, 255)
    palette = palette_from_frames([frame])
    assert palette.colours[0].tolist() == [13, 57, 101]
    assert 64 < len(palette.colours) <= COLOURS + 1
    assert index_frame(palette, frame)[0, 0] == 0


def test_large_clips_are_thinned_out_and_keep_their_range_of_colours() -> None:
    frame = np.full((400, 400, 4), 255, np.uint8)
    frame[..., 0] = np.linspace(0, 255, 400)
    frame[..., 1] = 0
    frame[..., 2] = np.linspace(0, 255, 400)[:, None]
    palette = palette_from_frames([frame])
    shown = palette.colours[index_frame(palette, frame)].astype(int)
    assert np.abs(shown - frame[..., :3]).mean() < 10


def test_clear_frames_and_flat_frames_have_one_colour() -> None:
    assert len(palette_from_frames([np.zeros((4, 4, 4), np.uint8)]).colours) == 1
    flat = np.full((4, 4, 4), 255, np.uint8)
    assert palette_from_frames([flat]).colours.tolist() == [[255, 255, 255]]
