"""What stands between the two models: which figures, which part of the picture, and back."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]

_LEAST_SCORE = 0.6
_MARGIN = 0.1
"""Space around a figure that the pose model wants to see, share of the box's longer side."""


def select(boxes: NDArray[np.float32], scores: NDArray[np.float32]) -> Arrays:
    """Keep the figures that the detector is sure of.

    boxes: (N, 4) xyxy, pixels of the picture. scores: (N,) in [0, 1].
    """
    is_sure = scores >= _LEAST_SCORE
    return {"boxes": boxes[is_sure], "scores": scores[is_sure]}


def crop(image: NDArray[np.uint8], box: NDArray[np.float32]) -> Arrays:
    """Cut out a figure and a little space around it.

    image: (H, W, 3). box: (4,) xyxy, pixels of the picture.
    """
    height, width = image.shape[:2]
    margin = _MARGIN * max(box[2] - box[0], box[3] - box[1])
    x1, y1 = np.floor(np.maximum(box[:2] - margin, 0)).astype(int)
    x2, y2 = np.ceil(np.minimum(box[2:] + margin, [width, height])).astype(int)
    return {"image": image[y1:y2, x1:x2], "corner": np.array([x1, y1], np.float32)}


def place(keypoints: NDArray[np.float32], corner: NDArray[np.float32]) -> Arrays:
    """Move keypoints from the crop back into the picture.

    keypoints: (17, 2) xy, pixels of the crop. corner: (2,) of the crop in the picture.
    """
    return {"keypoints": keypoints + corner}
