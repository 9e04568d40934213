import numpy as np
import pytest

from animator.render.sampling import ROW, paint_from_texture, room_for, sample


def test_texture_is_premultiplied() -> None:
    texture = np.array([[[200, 100, 0, 128], [50, 60, 70, 255]]], np.uint8)
    paint = paint_from_texture(texture, 1.0)
    assert paint.data.tolist() == [[[100, 50, 0, 128], [50, 60, 70, 255]]]
    assert paint.scale == (1.0, 1.0)


def test_texture_shrinks_to_the_frame_and_averages_by_alpha() -> None:
    texture = np.zeros((4, 6, 4), np.uint8)
    texture[:, ::2] = (240, 0, 0, 255)
    texture[:, 1::2, :3] = (0, 255, 0)
    paint = paint_from_texture(texture, 0.5)
    assert paint.data.shape == (2, 3, 4)
    # the clear half leaves no trace of its green
    assert paint.data[0, 0].tolist() == pytest.approx([120, 0, 0, 128], abs=1)
    assert paint.scale == (0.5, 0.5)


def test_texture_is_not_enlarged() -> None:
    assert paint_from_texture(np.zeros((3, 5, 4), np.uint8), 4.0).data.shape == (3, 5, 4)


def test_tiny_scale_leaves_one_pixel() -> None:
    assert paint_from_texture(np.zeros((3, 5, 4), np.uint8), 0.01).data.shape == (1, 1, 4)


def test_sample_is_bilinear_and_clear_outside() -> None:
    texture = np.zeros((2, 2, 4), np.uint8)
    texture[0, 0] = (100, 0, 0, 255)
    texture[0, 1] = (200, 0, 0, 255)
    paint = paint_from_texture(texture, 1.0)
    places = room_for(5)
    places[0, :5] = [0, 1, 0.5, 0.5j, 9 + 9j]
    found = sample(paint, places).view(np.uint8).reshape(-1, 4)[:5]
    np.testing.assert_allclose(found[:, 0], [100, 200, 150, 50, 0], atol=1)
    np.testing.assert_allclose(found[:, 3], [255, 255, 255, 128, 0], atol=1)


@pytest.mark.parametrize(("count", "rows"), [(0, 1), (1, 1), (ROW, 1), (ROW + 1, 2)])
def test_any_number_of_samples(count: int, rows: int) -> None:
    paint = paint_from_texture(np.full((2, 2, 4), 255, np.uint8), 1.0)
    places = room_for(count)
    assert places.shape == (rows, ROW)
    assert not places.ravel()[count:].any()
    places[...] = 0
    assert (sample(paint, places) == 0xFFFFFFFF).all()
