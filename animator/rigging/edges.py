"""Edges of a triangle mesh, and what lies around them."""

import numpy as np
from numpy.typing import NDArray

__all__ = ("edges_with_neighbours",)


def edges_with_neighbours(
    triangles: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Edges of a mesh, each once, and the vertices around each.

    triangles: (T, 3) int32.
    Returns edges (E, 2) int32 and neighbours (E, 4) int32: both ends, then the far corners of the
    triangles on both sides; -1 where there is no triangle.
    """
    ends = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    opposite = triangles[:, [2, 0, 1]].ravel()
    order = np.lexsort((ends[:, 1], ends[:, 0]))
    ends, opposite = ends[order], opposite[order]
    is_first = np.ones(len(ends), dtype=bool)
    is_first[1:] = (ends[1:] != ends[:-1]).any(axis=1)
    edge = np.cumsum(is_first) - 1
    edges = ends[is_first]
    neighbours = np.full((len(edges), 4), -1, dtype=np.int32)
    neighbours[:, :2] = edges
    neighbours[edge[is_first], 2] = opposite[is_first]
    neighbours[edge[~is_first], 3] = opposite[~is_first]
    return edges, neighbours
