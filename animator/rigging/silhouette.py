"""The mask made ready for meshing: one scale, no specks, a little wider than the ink."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from animator.core.errors import EmptyMask
from animator.core.mask import Mask

__all__ = ("Silhouette", "clean_mask", "nearest_inside", "silhouette_from_mask")

LONG_SIDE = 512
"""Longer side of the figure on the meshing grid, pixels: all drawings cost the same."""

GROWTH = 3
"""How far the silhouette reaches past the mask, pixels of the meshing grid."""

RIDGE = 0.7
"""Slope to a side of the line midway between two parts; by a blunt corner it is less."""

SLIT = 10
"""Least length of such a line, pixels; a shorter one is a mere dent in one outline."""

SPECK = 0.002
"""Parts smaller than this share of the largest part are left out."""


@dataclass(frozen=True, slots=True, eq=False)
class Silhouette:
    """Where the mesh may lie, on the meshing grid.

    Attributes:
        data: (m, n) uint8, 1 inside; its border is 0.
        scale: meshing grid pixels per figure pixel, > 0.
        left: figure-space x of the grid's left edge.
        top: figure-space y of the grid's top edge.
    """

    data: NDArray[np.uint8]
    scale: float
    left: float
    top: float

    def to_figure(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Grid points (..., 2), centre of pixel i at i + 0.5, to figure space."""
        return np.asarray(points / self.scale + np.array([self.left, self.top]))


def clean_mask(mask: Mask) -> NDArray[np.bool_]:
    """The mask (h, w) bool without specks; parts that are drawn apart all stay.

    Raises:
        EmptyMask: when nothing, or next to nothing, is left.
    """
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask.data.astype(np.uint8))
    areas = stats[1:count, cv2.CC_STAT_AREA]
    if len(areas) == 0 or areas.max() < 16:
        msg = "The outline of the figure is empty; please paint it in."
        raise EmptyMask(msg)
    keep = np.concatenate(([False], areas >= max(SPECK * areas.max(), 4)))
    return np.asarray(keep[labels])


def silhouette_from_mask(mask: NDArray[np.bool_]) -> Silhouette:
    """Scale the bounding rectangle of a mask (h, w), not empty, to the grid and grow it."""
    x, y, width, height = cv2.boundingRect(mask.astype(np.uint8))
    scale = LONG_SIDE / max(width, height)
    size = (max(round(width * scale), 1), max(round(height * scale), 1))
    part = mask[y : y + height, x : x + width].astype(np.float32)
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    solid = (cv2.resize(part, size, interpolation=way) > 0.3).astype(np.uint8)
    margin = GROWTH + 2
    solid = np.pad(solid, margin)
    return Silhouette(
        data=_grow(solid), scale=scale, left=x - margin / scale, top=y - margin / scale
    )


def nearest_inside(mask: NDArray[np.bool_], points: NDArray[np.float32]) -> NDArray[np.float32]:
    """Points (N, 2), figure space; those outside the mask move to its nearest pixel's centre."""
    height, width = mask.shape
    rows, columns = np.nonzero(mask)
    centres = np.stack((columns, rows), axis=1).astype(np.float32) + 0.5
    cells = np.floor(points).astype(int)
    within = (cells >= 0).all(axis=1) & (cells[:, 0] < width) & (cells[:, 1] < height)
    inside = within.copy()
    inside[within] = mask[cells[within, 1], cells[within, 0]]
    moved = points.copy()
    for i in np.flatnonzero(~inside):
        moved[i] = centres[np.argmin(((centres - points[i]) ** 2).sum(axis=1))]
    return moved


def _grow(solid: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Widen by GROWTH, but let parts side by side not grow together: a slit stays between them."""
    distance = cv2.distanceTransform(1 - solid, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    ridge = np.where(distance <= GROWTH, _ridge(np.asarray(distance, np.float32)), 0)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(ridge.astype(np.uint8))
    long = np.concatenate(([False], stats[1:count, cv2.CC_STAT_AREA] >= SLIT))
    slits = cv2.dilate(long[labels].astype(np.uint8), np.ones((2, 2), np.uint8))
    return np.where(solid > 0, 1, (distance <= GROWTH) & (slits == 0)).astype(np.uint8)


def _ridge(distance: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Where a distance (m, n) falls off to both sides along a row, a column or a diagonal."""
    found = np.zeros(distance.shape, dtype=bool)
    middle = distance[1:-1, 1:-1]
    for dy, dx in ((0, 1), (1, 0), (1, 1), (1, -1)):
        height, width = distance.shape
        ahead = middle - distance[1 + dy : height - 1 + dy, 1 + dx : width - 1 + dx]
        behind = middle - distance[1 - dy : height - 1 - dy, 1 - dx : width - 1 - dx]
        steep = np.maximum(ahead, behind) > RIDGE * np.hypot(dx, dy)
        found[1:-1, 1:-1] |= steep & (np.minimum(ahead, behind) > -0.05)
    return found.astype(np.uint8)
