"""Pictures that no drawing looks like: the shipped models must still give sane answers."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from models.drawn_humanoid_detector.handler import DetectorHandler
from models.drawn_humanoid_pose_estimator.handler import PoseHandler
from serving.handlers.handler import HandlerContext, Tensors

Image = NDArray[np.uint8]

MODELS = Path(__file__).parents[3] / "models"


def noise() -> Image:
    return np.random.default_rng(0).integers(0, 256, (240, 320, 3), dtype=np.uint8)


def black() -> Image:
    return np.zeros((300, 200, 3), np.uint8)


def thin_lines() -> Image:
    """A stick figure of lines one pixel wide, without anti-aliasing."""
    page = np.full((600, 400, 3), 255, np.uint8)
    cv2.circle(page, (200, 100), 60, (0, 0, 0), 1)
    for end in ((60, 250), (340, 250)):
        cv2.line(page, (200, 220), end, (0, 0, 0), 1)
    for end in ((120, 580), (280, 580)):
        cv2.line(page, (200, 380), end, (0, 0, 0), 1)
    cv2.line(page, (200, 160), (200, 380), (0, 0, 0), 1)
    return page


def huge_photo() -> Image:
    return np.asarray(cv2.resize(thin_lines(), (5333, 8000)), dtype=np.uint8)


def touching_all_edges() -> Image:
    """A star of thick limbs that runs out of the picture on every side."""
    page = np.full((256, 256, 3), 255, np.uint8)
    cv2.circle(page, (128, 40), 44, (40, 40, 40), 8)
    for start, end in (((128, 80), (128, 170)), ((0, 110), (255, 110))):
        cv2.line(page, start, end, (40, 40, 40), 8)
    for end in ((0, 255), (255, 255)):
        cv2.line(page, (128, 170), end, (40, 40, 40), 8)
    return page


def one_row() -> Image:
    return np.random.default_rng(1).integers(0, 256, (1, 900, 3), dtype=np.uint8)


def one_column() -> Image:
    return np.random.default_rng(2).integers(0, 256, (900, 1, 3), dtype=np.uint8)


def one_pixel() -> Image:
    return np.full((1, 1, 3), 90, np.uint8)


PICTURES = (
    noise,
    black,
    thin_lines,
    huge_photo,
    touching_all_edges,
    one_row,
    one_column,
    one_pixel,
)


@cache
def detector() -> DetectorHandler:
    handler = DetectorHandler()
    handler.load(HandlerContext(model_dir=str(MODELS / "drawn_humanoid_detector"), threads=2))
    return handler


@cache
def pose_estimator() -> PoseHandler:
    handler = PoseHandler()
    handler.load(HandlerContext(model_dir=str(MODELS / "drawn_humanoid_pose_estimator"), threads=2))
    return handler


def assert_sane(result: Tensors, points: NDArray[np.float32], image: Image) -> None:
    """All is finite, points (N, 2) lie in the picture, scores and masks within [0, 1]."""
    assert all(np.isfinite(part).all() for part in result.values())
    assert (points >= 0).all()
    assert (points <= (image.shape[1], image.shape[0])).all()
    for name in ("scores", "mask", "masks"):
        part = result.get(name, np.zeros(1, np.float32))
        assert ((part >= 0) & (part <= 1)).all(), name


@pytest.mark.parametrize("draw", PICTURES)
def test_detector_gives_sane_boxes(draw: Callable[[], Image]) -> None:
    image = draw()
    (result,) = detector().infer([{"image": image}])
    boxes = result["boxes"]
    assert_sane(result, boxes.reshape(-1, 2), image)
    assert (boxes[:, 2:] > boxes[:, :2]).all()
    assert (np.diff(result["scores"]) <= 0).all()
    assert len(boxes) == len(result["scores"]) == len(result["masks"])


@pytest.mark.parametrize("draw", PICTURES)
def test_pose_estimator_gives_sane_keypoints(draw: Callable[[], Image]) -> None:
    image = draw()
    (result,) = pose_estimator().infer([{"image": image}])
    assert_sane(result, result["keypoints"], image)
    assert result["keypoints"].shape == (17, 2)
    assert min(result["mask"].shape) >= 1


@pytest.mark.parametrize("draw", [black, one_pixel])
def test_nothing_is_found_where_nothing_is(draw: Callable[[], Image]) -> None:
    (result,) = detector().infer([{"image": draw()}])
    assert (result["scores"] < 0.8).all()
