"""Parts: which ink belongs to the figure, and bridges between what is detached."""

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ("POSSIBLE", "SURE", "choose_ink", "join_parts")

Bits = NDArray[np.bool_]

SURE = 0.35
"""Belief from which ink is taken to be the figure's."""

POSSIBLE = 0.12
"""Belief from which ink that hangs together with the figure's may be its own."""

_REACH = 0.12
"""How far ink that hangs together with the figure's may leave the possible, share of the side."""

_SPECK = 0.012
"""Detached ink shorter than this share of the longer side is dirt."""


def choose_ink(ink: Bits, belief: NDArray[np.float32]) -> Bits:
    """Keep the ink that belongs: near what is believed, and a good part of it inside."""
    side = max(ink.shape)
    sure, possible = belief >= SURE, belief >= POSSIBLE
    if not possible.any():
        return np.zeros_like(ink)
    away = cv2.distanceTransform((~possible).astype(np.uint8), cv2.DIST_L2, 3)
    near = np.asarray(ink & (away <= _REACH * side) & (belief > 0.0), bool)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(
        near.astype(np.uint8), connectivity=8
    )
    if count == 1:
        return near
    inside = np.bincount(labels.ravel(), weights=sure.ravel(), minlength=count)
    inside[0] = -1.0
    length = np.maximum(stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT])
    kept = (inside >= 0.3 * stats[:, cv2.CC_STAT_AREA]) & (length >= _SPECK * side)
    kept[np.argmax(inside)] = True
    kept[0] = False
    return np.asarray(kept[labels], bool)


def join_parts(body: Bits) -> Bits:
    """Join detached parts by short bridges, each to the nearest of what is joined already."""
    thickness = max(3, round(0.008 * max(body.shape)))
    canvas = body.astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(canvas, connectivity=8)
    if count <= 2:
        return body
    joined = np.asarray(labels == 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA])))
    for _ in range(count - 2):
        start, end = _nearest_pair(joined, (canvas > 0) & ~joined)
        cv2.line(canvas, start, end, 1, thickness)
        _, labels = cv2.connectedComponents(canvas, connectivity=8)
        joined = np.asarray(labels == labels[start[1], start[0]])
        if joined.sum() == canvas.sum():
            break
    return canvas > 0


def _nearest_pair(joined: Bits, rest: Bits) -> tuple[tuple[int, int], tuple[int, int]]:
    """The pixels (x, y) of `rest` and of `joined` that are closest to each other."""
    away, nearest = cv2.distanceTransformWithLabels(
        (~joined).astype(np.uint8), cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL
    )
    row, column = np.unravel_index(np.argmin(np.where(rest, away, np.inf)), rest.shape)
    end_row, end_column = np.argwhere(joined & (nearest == nearest[row, column]))[0]
    return (int(column), int(row)), (int(end_column), int(end_row))
