"""Pictures that no drawing looks like: the shipped models must still give sane answers."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from models.drawn_humanoid_detector.handler import DetectorHandler
from models.drawn_humanoid_pose_estimator.handler import PoseHandler
from serving.handlers.handler import HandlerContext, Tensors
from tests.support_adversarial import (
    Image,
    black,
    huge_photo,
    noise,
    one_column,
    one_pixel,
    one_row,
    thin_lines,
    touching_all_edges,
)

MODELS = Path(__file__).parents[3] / "models"


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
    for name in ("scores", "mask", "masks", "figure"):
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
