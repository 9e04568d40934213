"""Triangles to the pixels whose centres they cover, all at once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ("Cover", "cover")


@dataclass(frozen=True, slots=True, eq=False)
class Cover:
    """Pixels under triangles; a pixel under two triangles is there twice.

    Attributes:
        triangle: (N,) int64, index of the triangle, ascending.
        x: (N,) int64, pixel column.
        y: (N,) int64, pixel row.
    """

    triangle: NDArray[np.int64]
    x: NDArray[np.int64]
    y: NDArray[np.int64]


def cover(corners: NDArray[np.float64], width: int, height: int) -> Cover:
    """Scan triangles row by row.

    A pixel belongs to a triangle when its centre lies inside; centres on an edge shared by two
    triangles belong to one of them, so there are neither seams nor doubles.

    corners: (T, 3, 2) float64, frame space, turned either way.
    width: of the frame, pixels.
    height: of the frame, pixels.
    """
    y = corners[..., 1]
    top = np.clip(np.ceil(y.min(axis=1) - 0.5), 0, height).astype(np.int64)
    bottom = np.clip(np.ceil(y.max(axis=1) - 0.5), 0, height).astype(np.int64)
    triangle, row = _ranges(top, bottom)
    left, right = _crossings(corners[triangle], row.astype(np.float64) + 0.5)
    first = np.clip(np.ceil(left - 0.5), 0, width).astype(np.int64)
    last = np.clip(np.ceil(right - 0.5), 0, width).astype(np.int64)
    span, column = _ranges(first, last)
    return Cover(triangle=triangle[span], x=column, y=row[span])


def _ranges(
    start: NDArray[np.int64], stop: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All integers start <= i < stop of many ranges: the range of each, and the integer."""
    counts = np.maximum(stop - start, 0)
    owner = np.repeat(np.arange(len(start)), counts)
    offset = start - (np.cumsum(counts) - counts)
    return owner, np.arange(len(owner)) + offset[owner]


def _crossings(
    corners: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where a row's centre line enters and leaves each triangle.

    Each edge is computed from its upper to its lower end, so both triangles that share it find
    the very same crossing.
    """
    left = np.full(len(y), np.inf)
    right = np.full(len(y), -np.inf)
    for one, other in ((0, 1), (1, 2), (2, 0)):
        a, b = corners[:, one], corners[:, other]
        swap = ((a[:, 1] > b[:, 1]) | ((a[:, 1] == b[:, 1]) & (a[:, 0] > b[:, 0])))[:, None]
        upper, lower = np.where(swap, b, a), np.where(swap, a, b)
        crossed = (upper[:, 1] <= y) & (y < lower[:, 1])
        rise = np.where(crossed, lower[:, 1] - upper[:, 1], 1.0)
        x = upper[:, 0] + (y - upper[:, 1]) / rise * (lower[:, 0] - upper[:, 0])
        left = np.where(crossed, np.minimum(left, x), left)
        right = np.where(crossed, np.maximum(right, x), right)
    return left, right
