"""Silhouette to triangles: outline points, inner points, Delaunay clipped by the silhouette."""

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.spatial import Delaunay

from animator.rigging.silhouette import Silhouette

__all__ = ("triangulate",)

Points = NDArray[np.float64]

OUTLINE_POINTS = 420
"""Aim for the number of points on all outlines."""

INNER_POINTS = 300
"""Aim for the number of points of the inner grid."""

SPACING = (5.0, 40.0)
"""Bounds on the distance of points, pixels of the meshing grid."""

REPAIRS = 4
"""Rounds of halving outline pieces that the triangulation left out."""


def triangulate(silhouette: Silhouette) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Cover a silhouette with triangles; every part of it is covered.

    Returns vertices (V, 2) float64, figure space, all used, and triangles (T, 3) int32,
    counter-clockwise where y points up.
    """
    data = silhouette.data
    outlines = _outlines(data)
    rim = np.concatenate(outlines)
    pieces = _pieces(outlines)
    inner = _inner_points(data)
    for _ in range(REPAIRS):
        points = np.concatenate((rim, inner))
        corners = Delaunay(points).simplices
        missing = _missing(pieces, corners, len(points))
        if not missing.any():
            break
        rim, pieces = _halve(rim, pieces, missing)
    else:
        points = np.concatenate((rim, inner))
        corners = Delaunay(points).simplices
    return _tidy(silhouette, points, _clip(data, points, corners))


def _outlines(data: NDArray[np.uint8]) -> list[Points]:
    """Closed outlines, of parts and of holes, evenly sampled; the grid's (x, y)."""
    found, _ = cv2.findContours(data, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    chains = [chain[:, 0, :].astype(np.float64) + 0.5 for chain in found if len(chain) >= 8]
    total = sum(len(chain) for chain in chains)
    step = max(total / OUTLINE_POINTS, SPACING[0])
    return [_sample(chain, step) for chain in chains]


def _sample(chain: Points, step: float) -> Points:
    """Points about a step apart along a closed chain, at least six."""
    closed = np.concatenate((chain, chain[:1]))
    along = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(closed, axis=0).T))))
    count = max(round(along[-1] / step), 6)
    at = np.arange(count) * (along[-1] / count)
    return np.stack([np.interp(at, along, closed[:, k]) for k in range(2)], axis=1)


def _pieces(outlines: list[Points]) -> NDArray[np.int64]:
    """Index pairs (P, 2) of neighbours along the outlines, laid end to end."""
    pairs, start = [], 0
    for outline in outlines:
        here = start + np.arange(len(outline))
        pairs.append(np.stack((here, np.roll(here, -1)), axis=1))
        start += len(outline)
    return np.concatenate(pairs)


def _inner_points(data: NDArray[np.uint8]) -> Points:
    """A staggered grid inside broad parts, and points along the middle of narrow ones."""
    depth = cv2.distanceTransform(data, cv2.DIST_L2, 5)
    spacing = float(np.clip(np.sqrt(data.sum() / INNER_POINTS), *SPACING))
    rows = np.arange(spacing / 2, data.shape[0], spacing * 0.87)
    columns = np.arange(spacing / 2, data.shape[1], spacing)
    x, y = np.meshgrid(columns, rows)
    x[1::2] += spacing / 2
    grid = np.stack((x.ravel(), y.ravel()), axis=1)
    grid = grid[grid[:, 0] < data.shape[1]]
    broad = depth[grid[:, 1].astype(int), grid[:, 0].astype(int)] > 0.6 * spacing
    ridge = (depth >= cv2.dilate(depth, np.ones((3, 3), np.uint8))) & (depth > 2)
    middle_y, middle_x = np.nonzero(ridge & (depth <= 0.6 * spacing))
    middle = np.stack((middle_x, middle_y), axis=1).astype(np.float64) + 0.5
    return np.concatenate((grid[broad], _thin_out(middle, max(spacing * 0.8, SPACING[0]))))


def _thin_out(points: Points, cell: float) -> Points:
    """At most one point in every square cell."""
    cells = np.floor(points / cell).astype(np.int64)
    _, first = np.unique(cells, axis=0, return_index=True)
    return points[first]


def _missing(
    pieces: NDArray[np.int64], corners: NDArray[np.int32], count: int
) -> NDArray[np.bool_]:
    """Which outline pieces (P, 2) are no edge of any triangle."""
    edges = np.sort(corners[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1).astype(np.int64)
    wanted = np.sort(pieces, axis=1)
    return ~np.isin(wanted[:, 0] * count + wanted[:, 1], edges[:, 0] * count + edges[:, 1])


def _halve(
    rim: Points, pieces: NDArray[np.int64], chosen: NDArray[np.bool_]
) -> tuple[Points, NDArray[np.int64]]:
    """Put a point in the middle of the chosen pieces that are longer than two pixels."""
    ends = rim[pieces]
    chosen = chosen & (np.hypot(*(ends[:, 1] - ends[:, 0]).T) > 2)
    new = len(rim) + np.arange(chosen.sum())
    first, second = pieces[chosen, 0], pieces[chosen, 1]
    halves = np.concatenate((np.stack((first, new), axis=1), np.stack((new, second), axis=1)))
    return np.concatenate((rim, ends[chosen].mean(axis=1))), np.concatenate(
        (pieces[~chosen], halves)
    )


def _clip(data: NDArray[np.uint8], points: Points, corners: NDArray[np.int32]) -> NDArray[np.int32]:
    """The triangles whose centre lies inside and that have an area, turned one way."""
    a, b, c = (points[corners[:, k]] for k in range(3))
    area = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
    centre = ((a + b + c) / 3).astype(int)
    keep = (np.abs(area) > 0.2) & (data[centre[:, 1], centre[:, 0]] > 0)
    # the grid's y points down, so a positive area here is clockwise where y points up
    turned = np.where((area > 0)[:, None], corners[:, ::-1], corners)
    return np.asarray(turned[keep])


def _tidy(
    silhouette: Silhouette, points: Points, corners: NDArray[np.int32]
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    used, triangles = np.unique(corners, return_inverse=True)
    return silhouette.to_figure(points[used]), triangles.reshape(-1, 3).astype(np.int32)
