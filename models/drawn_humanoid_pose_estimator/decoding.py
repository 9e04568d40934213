"""From heatmaps to points: the peak's neighbourhood decides, to a fraction of a cell."""

import numpy as np
from numpy.typing import NDArray

__all__ = ("decode_heatmaps", "sigmoid", "softmax")

_REACH = 2  # cells on each side of the peak that are averaged


def decode_heatmaps(
    heatmaps: NDArray[np.float32], presence: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Find the points of one figure.

    Args:
        heatmaps: (K, h, w) float32 logits.
        presence: (K,) float32 logits that the point exists at all.

    Returns:
        Points (K, 2) float32 x, y in cells (centre of cell i at i + 0.5), and scores (K,) float32
        in [0, 1]: the share of the distribution around the peak, times presence.
    """
    count, height, width = heatmaps.shape
    flat = heatmaps.reshape(count, -1).astype(np.float64)
    chance = np.exp(flat - flat.max(axis=1, keepdims=True))
    chance = (chance / chance.sum(axis=1, keepdims=True)).reshape(count, height, width)
    padded = np.pad(chance, ((0, 0), (_REACH, _REACH), (_REACH, _REACH)))
    rows, columns = np.divmod(flat.argmax(axis=1), width)
    reach = np.arange(2 * _REACH + 1)
    window = padded[
        np.arange(count)[:, None, None],
        (rows[:, None] + reach)[:, :, None],
        (columns[:, None] + reach)[:, None, :],
    ]
    mass = window.sum(axis=(1, 2))
    x = (window.sum(axis=1) * (columns[:, None] + reach - _REACH)).sum(axis=1) / mass
    y = (window.sum(axis=2) * (rows[:, None] + reach - _REACH)).sum(axis=1) / mass
    points = np.stack((x, y), axis=1) + 0.5
    return points.astype(np.float32), (mass * sigmoid(presence)).astype(np.float32)


def sigmoid(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Logits to probabilities, any shape."""
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -40, 40))), dtype=np.float32)


def softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Logits (N,) to probabilities that sum to one."""
    chance = np.exp(logits - logits.max())
    return np.asarray(chance / chance.sum(), dtype=np.float32)
