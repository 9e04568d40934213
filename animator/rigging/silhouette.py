"""The mask made ready for meshing: one scale, no specks, a little wider than the ink."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from animator.core.errors import EmptyMask

__all__ = ("Silhouette", "clean_mask", "nearest_inside", "silhouette_from_mask")

LONG_SIDE = 512
"""Longer side of the figure on the meshing grid, pixels: all drawings cost the same."""

GROWTH = 3
"""How far the silhouette reaches past the mask, pixels of the meshing grid."""

SPECK = 0.002
"""Parts smaller than this share of the largest part are left out."""


PINHOLE = 100
"""Holes of fewer pixels of the grid are not left open: the paint is clear there anyway."""

MARGIN = GROWTH + 2
"""Empty pixels around the figure on the meshing grid, before it grows."""


@dataclass(frozen=True, slots=True, eq=False)
class Silhouette:
    """Where the mesh may lie, on the meshing grid.

    Attributes:
        data: (m, n) uint8, 1 inside; its border is 0. Narrow gaps between parts are closed.
        solid: (m, n) uint8, 1 where the mask itself is.
        box: (x, y, width, height) of the mask's bounding rectangle, canvas pixels.
        scale: meshing grid pixels per canvas pixel, > 0.
        left: canvas x of the grid's left edge.
        top: canvas y of the grid's top edge.
    """

    data: NDArray[np.uint8]
    solid: NDArray[np.uint8]
    box: tuple[int, int, int, int]
    scale: float
    left: float
    top: float

    def to_canvas(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Grid points (..., 2), centre of pixel i at i + 0.5, to canvas pixels."""
        return np.asarray(points / self.scale + np.array([self.left, self.top]))

    def from_canvas(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Canvas points (..., 2) to the grid."""
        return np.asarray((points - np.array([self.left, self.top])) * self.scale)


def clean_mask(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The mask (m, n) bool without specks; parts that are drawn apart all stay.

    Raises:
        EmptyMask: when nothing, or next to nothing, is left.
    """
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask.view(np.uint8))
    areas = stats[1:count, cv2.CC_STAT_AREA]
    if len(areas) == 0 or areas.max() < 16:
        msg = "The outline of the figure is empty; please paint it in."
        raise EmptyMask(msg)
    keep = np.concatenate(([False], areas >= max(SPECK * areas.max(), 4)))
    return np.asarray(keep[labels])


def silhouette_from_mask(mask: NDArray[np.bool_]) -> Silhouette:
    """Scale the bounding rectangle of a mask (m, n), not empty, to the grid and grow it."""
    x, y, width, height = cv2.boundingRect(mask.view(np.uint8))
    scale = LONG_SIDE / max(width, height)
    size = (max(round(width * scale), 1), max(round(height * scale), 1))
    part = mask[y : y + height, x : x + width].view(np.uint8) * np.uint8(255)
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    solid = (cv2.resize(part, size, interpolation=way) > 76).astype(np.uint8)
    solid = np.pad(solid, MARGIN)
    away = cv2.distanceTransform(1 - solid, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    return Silhouette(
        data=_without_pinholes((away <= GROWTH).astype(np.uint8)),
        solid=solid,
        box=(x, y, width, height),
        scale=scale,
        left=x - MARGIN / scale,
        top=y - MARGIN / scale,
    )


def nearest_inside(mask: NDArray[np.bool_], points: NDArray[np.float32]) -> NDArray[np.float32]:
    """Points (N, 2), canvas pixels; those outside the mask move to its nearest pixel's centre."""
    height, width = mask.shape
    cells = np.floor(points).astype(int)
    within = (cells >= 0).all(axis=1) & (cells[:, 0] < width) & (cells[:, 1] < height)
    inside = within.copy()
    inside[within] = mask[cells[within, 1], cells[within, 0]]
    moved = points.copy()
    if inside.all():
        return moved
    rows, columns = np.nonzero(mask)
    centres = np.stack((columns, rows), axis=1).astype(np.float32) + 0.5
    for i in np.flatnonzero(~inside):
        moved[i] = centres[np.argmin(((centres - points[i]) ** 2).sum(axis=1))]
    return moved


def _without_pinholes(data: NDArray[np.uint8]) -> NDArray[np.uint8]:
    count, labels, stats, _ = cv2.connectedComponentsWithStats(1 - data, connectivity=4)
    small = np.concatenate(([False], stats[1:count, cv2.CC_STAT_AREA] < PINHOLE))
    return np.where(small[labels], 1, data).astype(np.uint8)
