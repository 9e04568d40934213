"""What is measured of pictures and figures, so that the server can tell when they drift.

All are cheap beside a network: pictures are looked at by one pixel in many.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

__all__ = ("measure_figures", "measure_keypoints", "measure_picture")

_LOOKED_AT = 128
"""Rows and columns, about, of a picture that are looked at."""

_INK = 0.7
"""Of the paper's brightness: what is darker counts as ink."""


def measure_picture(image: NDArray[np.uint8]) -> Mapping[str, float]:
    """Size, brightness and ink of a picture.

    Args:
        image: (H, W, 3) uint8 RGB.

    Returns:
        `image_side`, the longer one, pixels; `image_aspect`, width by height; `brightness`, mean in
        [0, 1]; `ink_share`, share of the pixels whose darkest channel is below 0.7 of the paper's,
        in [0, 1]; the paper is as bright as the median.
    """
    height, width = image.shape[:2]
    seen = image[:: max(height // _LOOKED_AT, 1), :: max(width // _LOOKED_AT, 1)]
    # Plane by plane: numpy is slow along an axis of three.
    red, green, blue = np.ascontiguousarray(seen.transpose(2, 0, 1))
    darkest = np.minimum(np.minimum(red, green), blue)
    return {
        "image_side": float(max(height, width)),
        "image_aspect": width / height,
        "brightness": float(red.mean() + green.mean() + blue.mean()) / 3 / 255,
        "ink_share": float((darkest < _INK * float(np.median(darkest))).mean()),
    }


def measure_figures(
    image: NDArray[np.uint8], boxes: NDArray[np.float32], scores: NDArray[np.float32]
) -> Mapping[str, float]:
    """What was found in a picture.

    Args:
        image: (H, W, 3) uint8 RGB.
        boxes: (N, 4) float32 xyxy, pixels, best first.
        scores: (N,) float32 in [0, 1].

    Returns:
        `figure_count`, those of a score of at least a half; `best_score`, 0 without any; and, where
        there is one, `box_share`, the best box's share of the picture.
    """
    found = {
        "figure_count": float((scores >= 0.5).sum()),
        "best_score": float(scores[0]) if len(scores) else 0.0,
    }
    if len(boxes):
        x1, y1, x2, y2 = map(float, boxes[0])
        found["box_share"] = (x2 - x1) * (y2 - y1) / (image.shape[0] * image.shape[1])
    return found


def measure_keypoints(
    image: NDArray[np.uint8], points: NDArray[np.float32], scores: NDArray[np.float32]
) -> Mapping[str, float]:
    """How a figure's keypoints lie.

    Args:
        image: (h, w, 3) uint8 RGB, the crop.
        points: (K, 2) float32, pixels of the crop.
        scores: (K,) float32 in [0, 1].

    Returns:
        `keypoint_score`, mean; `keypoint_spread`, the root of the mean square distance from their
        centre as a share of the crop's diagonal.
    """
    spread = float(np.sqrt(((points - points.mean(axis=0)) ** 2).sum(axis=1).mean()))
    return {
        "keypoint_score": float(scores.mean()),
        "keypoint_spread": spread / float(np.hypot(image.shape[0], image.shape[1])),
    }
