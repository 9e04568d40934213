"""Triangles to the runs of pixels whose centres they cover, all at once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ("Points", "Spans", "scan")

Points = NDArray[np.complex128]
"""Points of the plane as x + iy: they are moved and chosen as one number."""

ORDERS = np.array(
    [(0, 1, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0), (0, 1, 2), (1, 0, 2), (0, 2, 1), (2, 1, 0)]
).T
"""Corners from the upmost down, by which of them are lower than the next: the first than the second
counts 1, the second than the third 2, the third than the first 4."""


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """Runs of pixels in rows; a pixel under two triangles is in two of them.

    Attributes:
        triangle: (S,) int64, index of the triangle, ascending.
        row: (S,) float64, a whole number, of all its pixels.
        first: (S,) float64, a whole number, column of the first pixel.
        count: (S,) int64, pixels, >= 0.
    """

    triangle: NDArray[np.int64]
    row: NDArray[np.float64]
    first: NDArray[np.float64]
    count: NDArray[np.int64]


def scan(corners: Points, width: int, height: int) -> Spans:
    """Scan triangles row by row.

    A pixel belongs to a triangle when its centre lies inside; centres on an edge shared by two
    triangles belong to one of them, so there are neither seams nor doubles.

    corners: (T, 3) complex128, frame space, turned either way.
    width: of the frame, pixels.
    height: of the frame, pixels.
    """
    ends = _from_above(corners)
    top = np.ceil(ends.imag - 0.5).clip(0, height).astype(np.intp)
    # the long edge bounds all rows of a triangle, the two short ones those above and below a corner
    count, parts = top[2] - top[0], (top[1:] - top[:2]).T.ravel()
    long = _Lines(ends[0], ends[2], count)
    short = _Lines(ends[:2].T.ravel(), ends[1:].T.ravel(), parts)
    triangle = np.arange(len(corners)).repeat(count)
    row = np.arange(len(triangle), dtype=np.float64)
    row += (top[2] - np.cumsum(count)).astype(np.float64).take(triangle)
    one = long.slope.take(triangle)
    one *= row
    one += long.start.take(triangle)
    other = short.slope.repeat(parts)
    other *= row
    other += short.start.repeat(parts)
    first = _columns(np.minimum(one, other), width)
    last = _columns(np.maximum(one, other, out=one), width)
    return Spans(triangle, row, first, (last - first).astype(np.int64))


def _from_above(corners: Points) -> Points:
    """The corners (T, 3) of each triangle from the upmost down: (3, T)."""
    first, second, third = corners.imag.T
    kind = (first > second) + 2 * (second > third) + 4 * (third > first)
    return corners.ravel().take(ORDERS[:, kind] + 3 * np.arange(len(corners)))


class _Lines:
    """Edges (E,) as straight lines: x = start + slope * row on the centre line of a row.

    Always computed from the upper to the lower end, so both triangles that share an edge find the
    very same crossings; count: (E,) of them, in rows.
    """

    def __init__(self, upper: Points, lower: Points, count: NDArray[np.int64]) -> None:
        way = lower - upper
        self.slope = way.real / np.where(count > 0, way.imag, np.inf)
        self.start = upper.real + (0.5 - upper.imag) * self.slope


def _columns(x: NDArray[np.float64], width: int) -> NDArray[np.float64]:
    """The first pixels whose centres do not lie left of x, in place."""
    x -= 0.5
    return np.ceil(x, out=x).clip(0, width, out=x)
