"""Sides of triangles, and which two of them are one edge."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ("Twins", "keys_of_edges", "twin_sides")


@dataclass(frozen=True, slots=True, eq=False)
class Twins:
    """Edges that two triangles share. Side s of triangle t has the number 3 t + s.

    Attributes:
        one, other: (E,) int64, numbers of the sides.
        keys: (E,) int64, as `keys_of_edges` gives them.
    """

    one: NDArray[np.int64]
    other: NDArray[np.int64]
    keys: NDArray[np.int64]


def keys_of_edges(ends: NDArray[np.integer], count: int) -> NDArray[np.int64]:
    """A number for each edge (E, 2) of a mesh of `count` vertices, whichever way it is named."""
    low, high = ends.min(axis=1).astype(np.int64), ends.max(axis=1).astype(np.int64)
    return np.asarray(low * count + high)


def twin_sides(triangles: NDArray[np.int32]) -> Twins:
    """The edges that two triangles (T, 3) share; side s runs from corner s to the next."""
    sides = triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    keys = keys_of_edges(sides, int(triangles.max()) + 1)
    order = np.argsort(keys, kind="stable")
    first = np.flatnonzero(keys[order[1:]] == keys[order[:-1]])
    return Twins(one=order[first], other=order[first + 1], keys=keys[order[first]])
