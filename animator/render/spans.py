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
    long = _edges(upper, lower, height)
    short = _edges(
        np.stack((upper, middle), axis=1).reshape(-1, 2),
        np.stack((middle, lower), axis=1).reshape(-1, 2),
        height,
    )
    triangle = np.repeat(np.arange(len(corners)), long.count)
    row = np.repeat(long.top - np.cumsum(long.count) + long.count, long.count)
    row += np.arange(len(row))
    one, other = (_crossings(edges, row) for edges in (long, short))
    first = _columns(np.minimum(one, other), width)
    last = _columns(np.maximum(one, other), width)
    return Spans(triangle=triangle, row=row, first=first, count=last - first)


@dataclass(frozen=True, slots=True, eq=False)
class _Edges:
    """Edges as straight lines: first row, number of rows, x = start + slope * row at its centre."""

    top: NDArray[np.int64]
    count: NDArray[np.int64]
    start: NDArray[np.float64]
    slope: NDArray[np.float64]


def _edges(upper: NDArray[np.float64], lower: NDArray[np.float64], height: int) -> _Edges:
    """Edges (E, 2) to (E, 2) as lines.

    Always computed from the upper to the lower end, so both triangles that share an edge find the
    very same crossings.
    """
    top, bottom = (
        np.clip(np.ceil(end[:, 1] - 0.5), 0, height).astype(np.int64) for end in (upper, lower)
    )
    count = bottom - top
    rise = np.where(count > 0, lower[:, 1] - upper[:, 1], 1.0)
    slope = (lower[:, 0] - upper[:, 0]) / rise
    return _Edges(top, count, upper[:, 0] + (0.5 - upper[:, 1]) * slope, slope)


def _crossings(edges: _Edges, row: NDArray[np.int64]) -> NDArray[np.float64]:
    """Where edges cross the centre lines of all their rows (N,), edge by edge: x, (N,)."""
    x = np.repeat(edges.slope, edges.count)
    x *= row
    x += np.repeat(edges.start, edges.count)
    return x


def _columns(x: NDArray[np.float64], width: int) -> NDArray[np.int64]:
    """The first pixels whose centres do not lie left of x."""
    return np.clip(np.ceil(x - 0.5), 0, width).astype(np.int64)
