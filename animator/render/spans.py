"""Triangles to the runs of pixels whose centres they cover, all at once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ("Spans", "scan")


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """Runs of pixels in rows; a pixel under two triangles is in two of them.

    Attributes:
        triangle: (S,) int64, index of the triangle, ascending.
        row: (S,) int64, of all its pixels.
        first: (S,) int64, column of the first pixel.
        count: (S,) int64, pixels, >= 0.
    """

    triangle: NDArray[np.int64]
    row: NDArray[np.int64]
    first: NDArray[np.int64]
    count: NDArray[np.int64]


def scan(corners: NDArray[np.float64], width: int, height: int) -> Spans:
    """Scan triangles row by row.

    A pixel belongs to a triangle when its centre lies inside; centres on an edge shared by two
    triangles belong to one of them, so there are neither seams nor doubles.

    corners: (T, 3, 2) float64, frame space, turned either way.
    width: of the frame, pixels.
    height: of the frame, pixels.
    """
    order = np.lexsort((corners[..., 0], corners[..., 1]), axis=-1)
    upper, middle, lower = np.moveaxis(np.take_along_axis(corners, order[..., None], axis=1), 1, 0)
    # the long edge bounds all rows of a triangle, the two short ones those above and below a corner
    triangle, row, long = _crossings(upper, lower, height)
    starts = np.stack((upper, middle), axis=1).reshape(-1, 2)
    ends = np.stack((middle, lower), axis=1).reshape(-1, 2)
    _, _, short = _crossings(starts, ends, height)
    left, right = np.minimum(long, short), np.maximum(long, short)
    first, last = (np.clip(np.ceil(x - 0.5), 0, width).astype(np.int64) for x in (left, right))
    return Spans(triangle=triangle, row=row, first=first, count=last - first)


def _crossings(
    upper: NDArray[np.float64], lower: NDArray[np.float64], height: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Where edges (E, 2) cross the centre lines of rows: edge, row, x, each (N,), edge by edge.

    Always computed from the upper to the lower end, so both triangles that share an edge find the
    very same crossings.
    """
    top, bottom = (
        np.clip(np.ceil(end[:, 1] - 0.5), 0, height).astype(np.int64) for end in (upper, lower)
    )
    counts = bottom - top
    edge = np.repeat(np.arange(len(counts)), counts)
    row = np.arange(len(edge)) + np.repeat(top - np.cumsum(counts) + counts, counts)
    rise = lower[:, 1] - upper[:, 1]
    slope = (lower[:, 0] - upper[:, 0]) / np.where(counts > 0, rise, 1.0)
    first = upper[:, 0] + (0.5 - upper[:, 1]) * slope
    x = np.repeat(slope, counts)
    x *= row
    x += np.repeat(first, counts)
    return edge, row, x
