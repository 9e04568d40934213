import numpy as np
import pytest

from models.measures import measure_figures, measure_keypoints, measure_picture


def test_size_brightness_and_ink_of_a_picture() -> None:
    image = np.full((50, 100, 3), 200, np.uint8)
    image[:, :10] = (0, 200, 200)  # a tenth is ink: one of its channels is dark
    found = measure_picture(image)
    assert found["image_side"] == 100
    assert found["image_aspect"] == 2
    assert found["ink_share"] == pytest.approx(0.1)
    # of 30 channels in a row of ten pixels one is black: 200 * 29 / 30 / 255
    assert found["brightness"] == pytest.approx(200 * 29 / 30 / 255)


def test_paper_in_the_shade_is_no_ink() -> None:
    assert measure_picture(np.full((40, 40, 3), 90, np.uint8))["ink_share"] == 0


def test_large_picture_is_looked_at_by_one_pixel_in_many() -> None:
    image = np.zeros((1280, 1280, 3), np.uint8)
    image[::10, ::10] = 255
    assert measure_picture(image)["brightness"] == 1


def test_figures_are_counted_and_the_best_is_measured() -> None:
    image = np.zeros((100, 200, 3), np.uint8)
    boxes = np.array([[0, 0, 50, 40], [0, 0, 9, 9]], np.float32)
    found = measure_figures(image, boxes, np.array([0.75, 0.25], np.float32))
    assert found == {"figure_count": 1, "best_score": 0.75, "box_share": 0.1}
    none = measure_figures(image, boxes[:0], np.zeros(0, np.float32))
    assert none == {"figure_count": 0, "best_score": 0}


def test_spread_of_keypoints_is_a_share_of_the_crop() -> None:
    image = np.zeros((30, 40, 3), np.uint8)  # its diagonal is 50
    points = np.array([[0, 0], [6, 8]], np.float32)  # each 5 from their centre
    found = measure_keypoints(image, points, np.array([0.5, 1.0], np.float32))
    assert found == {"keypoint_score": 0.75, "keypoint_spread": pytest.approx(0.1)}
