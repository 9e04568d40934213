"""A predictor without models: the figure is whatever is dark, and stands like a gingerbread man."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

SHARES = (
    (0.50, 0.18),
    (0.53, 0.15),
    (0.47, 0.15),
    (0.57, 0.16),
    (0.43, 0.16),
    (0.55, 0.40),
    (0.45, 0.40),
    (0.70, 0.40),
    (0.30, 0.40),
    (0.95, 0.40),
    (0.05, 0.40),
    (0.54, 0.62),
    (0.46, 0.62),
    (0.60, 0.80),
    (0.40, 0.80),
    (0.68, 0.98),
    (0.32, 0.98),
)
"""Keypoints in COCO's order, as shares of the box of what is dark."""


class DarkPredictor:
    """Answers as both models would; remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def infer(self, model: str, inputs: Mapping[str, NDArray[Any]]) -> Mapping[str, NDArray[Any]]:
        self.asked.append(model)
        dark = inputs["image"].min(axis=2) < 128
        if model == "drawn_humanoid_detector":
            return _detections(dark)
        if model == "drawn_humanoid_pose_estimator":
            return _pose(dark)
        raise AssertionError(model)


def _box(dark: NDArray[np.bool_]) -> tuple[int, int, int, int]:
    rows, columns = np.flatnonzero(dark.any(axis=1)), np.flatnonzero(dark.any(axis=0))
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def _detections(dark: NDArray[np.bool_]) -> dict[str, NDArray[Any]]:
    # a page with nothing on it, and a page with nothing but black, hold no figure
    count = 1 if 0 < dark.sum() < 0.6 * dark.size else 0
    boxes = [_box(dark)] if count else []
    return {
        "boxes": np.array(boxes, np.float32).reshape(-1, 4),
        "scores": np.full(count, 0.9, np.float32),
        "masks": np.full((count, 28, 28), 0.7, np.float32),
    }


def _pose(dark: NDArray[np.bool_]) -> dict[str, NDArray[Any]]:
    x1, y1, x2, y2 = _box(dark)
    points = np.array(SHARES) * (x2 - x1, y2 - y1) + (x1, y1)
    return {
        "keypoints": points.astype(np.float32),
        "scores": np.full(17, 0.8, np.float32),
        "mask": np.full((8, 6), 0.7, np.float32),
    }


class RedHeadPredictor(DarkPredictor):
    """Is sure of a pose only where what is red, the face, lies in the upper half of the figure."""

    def __init__(self, sure: float = 0.8, unsure: float = 0.1) -> None:
        super().__init__()
        self._sure, self._unsure = sure, unsure

    def infer(self, model: str, inputs: Mapping[str, NDArray[Any]]) -> Mapping[str, NDArray[Any]]:
        outputs = dict(super().infer(model, inputs))
        if "keypoints" in outputs:
            image = inputs["image"].astype(int)
            rows, _ = np.nonzero(image[..., 0] - image[..., 1] > 100)
            _, y1, _, y2 = _box(image.min(axis=2) < 128)
            stands = rows.mean() < y1 + (y2 - y1) / 3
            outputs["scores"] = np.full(17, self._sure if stands else self._unsure, np.float32)
        return outputs
