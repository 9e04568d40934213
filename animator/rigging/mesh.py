"""Silhouette and seams to triangles: points between lines, Delaunay, smoothed, clipped and cut."""

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import Delaunay

from animator.core.rig import corner_angles
from animator.rigging.edges import keys_of_edges, twin_sides
from animator.rigging.outline import Lines, closed_lines, with_outlines, with_seams
from animator.rigging.sizing import Plane, edge_lengths

__all__ = ("triangulate",)

Points = NDArray[np.float64]
Corners = NDArray[np.int32]

NEAREST = 0.72
"""Least distance of points inside from one another, of the length that edges should have there."""

FROM_LINES = 0.62
"""Least distance of points inside from lines, likewise."""

SMOOTHINGS = 5
"""Rounds of moving points inside to the middle of their triangles."""

REPAIRS = 4
"""Rounds of halving pieces of lines that the triangulation left out."""

SLIVER = np.radians(14.0)
FLAT = 2.5
"""A triangle on the rim with a smaller angle and a lesser height (pixels) is left out: nobody
sees it."""


def triangulate(data: NDArray[np.uint8], seams: list[Points]) -> tuple[Points, Corners]:
    """Cover what is inside with triangles; every part is covered, holes stay open.

    data: (m, n) uint8, 1 inside, its border 0; the meshing grid.
    seams: lines (N, 2) along which the mesh is cut: vertices on them are doubled.
    Returns vertices (V, 2) float64, the meshing grid, all used, and triangles (T, 3) int32,
    counter-clockwise where y points up.
    """
    chains = closed_lines(data)
    size = edge_lengths(data, chains)
    lines = with_seams(with_outlines(chains, size), seams, size)
    points, corners, lines = _connect(data, size, lines, _scatter(data, size, lines))
    corners = _trim(points, corners)
    return _tidy(*_cut(points, corners, lines.pieces[lines.is_seam]))


def _scatter(data: NDArray[np.uint8], size: Plane, lines: Lines) -> Points:
    """Points inside, packed as the field of lengths says, from the lines inwards."""
    taken = (1 - data) * np.uint8(255)
    for near, far in lines.points[lines.pieces]:
        x, y = ((near + far) / 2).astype(int)
        wide = max(round(2 * FROM_LINES * float(size[y, x])), 1)
        ends = [(int(end[0]), int(end[1])) for end in (near, far)]
        cv2.line(taken, ends[0], ends[1], (255.0,), wide)
    depth = cv2.distanceTransform((taken == 0).astype(np.uint8), cv2.DIST_L2, 5)
    rows, columns = (2 * side for side in np.nonzero(taken[::2, ::2] == 0))
    order = np.argsort(depth[rows, columns], kind="stable")
    found = []
    for x, y in zip(columns[order].tolist(), rows[order].tolist(), strict=True):
        if not taken[y, x]:
            found.append((x + 0.5, y + 0.5))
            cv2.circle(taken, (x, y), max(int(NEAREST * size[y, x]), 1), (255.0,), -1)
    return np.array(found, dtype=np.float64).reshape(-1, 2)


def _connect(
    data: NDArray[np.uint8], size: Plane, lines: Lines, inner: Points
) -> tuple[Points, Corners, Lines]:
    for _ in range(SMOOTHINGS):
        points = np.concatenate((lines.points, inner))
        corners = _clip(data, points, Delaunay(points).simplices)
        inner = _smooth(size, points, corners, len(lines.points))
    for left in reversed(range(REPAIRS + 1)):
        points = np.concatenate((lines.points, inner))
        corners = Delaunay(points).simplices
        gone = _missing(lines.pieces, corners, len(points))
        if not (left and gone.any()):
            break
        lines = _halve(lines, gone)
    return points, _clip(data, points, corners), lines


def _smooth(size: Plane, points: Points, corners: Corners, fixed: int) -> Points:
    """Points inside, each in the middle of the triangles around it; those left alone go."""
    places = points[corners]
    middle = places.mean(axis=1)
    x, y = middle.astype(np.intp).T
    weight = np.abs(_area(places)) / size[y, x] ** 2
    count = len(points)
    total = np.bincount(corners.ravel(), np.repeat(weight, 3), count)[fixed:]
    moved = np.stack(
        [
            np.bincount(corners.ravel(), np.repeat(weight * middle[:, k], 3), count)[fixed:]
            for k in range(2)
        ],
        axis=1,
    )
    return np.asarray(moved[total > 0] / total[total > 0, None])


def _area(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Twice the signed area of triangles (T, 3, 2)."""
    u, v = places[:, 1] - places[:, 0], places[:, 2] - places[:, 0]
    return np.asarray(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0])


def _missing(pieces: NDArray[np.int64], corners: Corners, count: int) -> NDArray[np.bool_]:
    """Which pieces (P, 2) of lines are no edge of any triangle."""
    sides = corners[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    return ~np.isin(keys_of_edges(pieces, count), keys_of_edges(sides, count))


def _halve(lines: Lines, chosen: NDArray[np.bool_]) -> Lines:
    """Put a point in the middle of the chosen pieces that are longer than two pixels."""
    ends = lines.points[lines.pieces]
    chosen = chosen & (np.hypot(*(ends[:, 1] - ends[:, 0]).T) > 2)
    new = len(lines.points) + np.arange(chosen.sum())
    first, second = lines.pieces[chosen, 0], lines.pieces[chosen, 1]
    halves = np.concatenate((np.stack((first, new), axis=1), np.stack((new, second), axis=1)))
    return Lines(
        np.concatenate((lines.points, ends[chosen].mean(axis=1))),
        np.concatenate((lines.pieces[~chosen], halves)),
        np.concatenate((lines.is_seam[~chosen], np.tile(lines.is_seam[chosen], 2))),
    )


def _clip(data: NDArray[np.uint8], points: Points, corners: Corners) -> Corners:
    """The triangles whose middle lies inside and that have an area, turned one way."""
    places = points[corners]
    area = _area(places)
    x, y = places.mean(axis=1).astype(np.intp).T
    keep = (np.abs(area) > 0.2) & (data[y, x] > 0)
    # the grid's y points down, so a positive area here is clockwise where y points up
    return np.asarray(np.where((area > 0)[:, None], corners[:, ::-1], corners)[keep])


def _trim(points: Points, corners: Corners) -> Corners:
    """Leave out slivers on the rim, inside or outside of the outline, until none is left."""
    while True:
        sides = corners[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
        _, edge, counts = np.unique(
            keys_of_edges(sides, len(points)), return_inverse=True, return_counts=True
        )
        on_rim = (counts[edge] == 1).reshape(-1, 3).any(axis=1)
        places = points[corners]
        longest = np.linalg.norm(places - np.roll(places, 1, axis=1), axis=2).max(axis=1)
        flat = np.abs(_area(places)) < FLAT * longest
        drop = on_rim & flat & (corner_angles(places).min(axis=1) < SLIVER)
        if not drop.any() or drop.all():
            return corners
        corners = corners[~drop]


def _cut(points: Points, corners: Corners, seams: NDArray[np.int64]) -> tuple[Points, Corners]:
    """Double the vertices along seams (S, 2): triangles on both sides share none of them.

    Around each vertex, triangles stay together that meet in an edge which is no seam.
    """
    twins = twin_sides(corners)
    whole = ~np.isin(twins.keys, keys_of_edges(seams, int(corners.max()) + 1))
    one, other = twins.one[whole], twins.other[whole]
    # a side runs from its corner to the next; the neighbour's runs the other way
    links = (np.concatenate((one, _next(one))), np.concatenate((_next(other), other)))
    graph = coo_array((np.ones(len(links[0])), links), shape=(corners.size,) * 2)
    _, fan = connected_components(graph, directed=False)
    _, first, vertex = np.unique(fan, return_index=True, return_inverse=True)
    return points[corners.ravel()[first]], vertex.reshape(-1, 3).astype(np.int32)


def _next(corner: NDArray[np.int64]) -> NDArray[np.int64]:
    """The next corner of the same triangle; corner k of triangle t has the number 3 t + k."""
    return np.asarray(corner // 3 * 3 + (corner + 1) % 3)


def _tidy(points: Points, corners: Corners) -> tuple[Points, Corners]:
    used, triangles = np.unique(corners, return_inverse=True)
    return points[used], triangles.reshape(-1, 3).astype(np.int32)
