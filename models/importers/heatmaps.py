"""Heatmaps to points, as the libraries do it for their own networks."""

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ("points_of_box", "points_of_view")

Points = tuple[NDArray[np.float32], NDArray[np.float32]]


def points_of_view(heatmaps: NDArray[np.float32], stride: float) -> Points:
    """Peaks of a top-down network's heatmaps, a quarter of a cell towards the higher neighbour.

    Args:
        heatmaps: (K, h, w) float32, where 1 is certain.
        stride: pixels of the view per cell.

    Returns:
        Points (K, 2) float32 x, y in pixels of the view, and scores (K,) float32 in [0, 1].
    """
    count, height, width = heatmaps.shape
    rows, columns = np.divmod(heatmaps.reshape(count, -1).argmax(axis=1), width)
    places = np.arange(count)
    padded = np.pad(heatmaps, ((0, 0), (1, 1), (1, 1)))
    dx = padded[places, rows + 1, columns + 2] - padded[places, rows + 1, columns]
    dy = padded[places, rows + 2, columns + 1] - padded[places, rows, columns + 1]
    inner_x, inner_y = (columns > 0) & (columns < width - 1), (rows > 0) & (rows < height - 1)
    inner = (inner_x & inner_y) * 0.25
    points = np.stack((columns + np.sign(dx) * inner, rows + np.sign(dy) * inner), axis=1)
    scores = np.clip(heatmaps[places, rows, columns], 0, 1)
    return (points * stride).astype(np.float32), scores.astype(np.float32)


def points_of_box(heatmaps: NDArray[np.float32], box: NDArray[np.float32]) -> Points:
    """Peaks of keypoint R-CNN's heatmaps, scaled to the pixels of their box.

    Args:
        heatmaps: (K, h, w) float32 logits over the box.
        box: (4,) float32 xyxy, pixels.

    Returns:
        Points (K, 2) float32 x, y in pixels, and logits (K,) float32 at them.
    """
    sides = np.maximum(box[2:] - box[:2], 1)
    width, height = (int(side) for side in np.ceil(sides))
    points = np.empty((len(heatmaps), 2), np.float32)
    scores = np.empty(len(heatmaps), np.float32)
    for place, heatmap in enumerate(heatmaps):
        large = cv2.resize(heatmap, (width, height), interpolation=cv2.INTER_CUBIC)
        row, column = divmod(int(large.argmax()), width)
        points[place] = (column + 0.5) / width, (row + 0.5) / height
        scores[place] = large[row, column]
    return (points * sides + box[:2]).astype(np.float32), scores
