from itertools import pairwise

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from animator.rigging.edges import edges_with_neighbours
from animator.rigging.mesh import triangulate
from animator.rigging.silhouette import Silhouette, silhouette_from_mask


def areas(vertices: NDArray[np.float64], triangles: NDArray[np.int32]) -> NDArray[np.float64]:
    """Signed areas where y points down."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    return ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]) / 2


def parts(triangles: NDArray[np.int32], count: int) -> int:
    edges, _ = edges_with_neighbours(triangles)
    ones = np.ones(len(edges))
    graph = coo_array((ones, (edges[:, 0], edges[:, 1])), shape=(count, count))
    found: int = connected_components(graph, directed=False)[0]
    return found


def covered(
    shape: tuple[int, int], vertices: NDArray[np.float64], triangles: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """Pixels whose area the mesh touches."""
    canvas = np.zeros(shape, np.uint8)
    for triangle in triangles:
        corners = np.round((vertices[triangle] - 0.5) * 16).astype(np.int32)
        cv2.fillPoly(canvas, [corners], (1.0,), shift=4)
    return canvas > 0


def blob(seed: int) -> NDArray[np.bool_]:
    """A random figure of thick and thin strokes."""
    rng = np.random.default_rng(seed)
    canvas = np.zeros((220, 200), np.uint8)
    spots = rng.integers(30, 170, (6, 2))
    for one, other in pairwise(spots):
        thickness = int(rng.integers(4, 30))
        ends = [(int(x), int(y)) for x, y in (one, other)]
        cv2.line(canvas, ends[0], ends[1], (1.0,), thickness)
    return canvas > 0


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_mesh_covers_the_mask_and_little_more(seed: int) -> None:
    mask = blob(seed)
    silhouette = silhouette_from_mask(mask)
    vertices, triangles = triangulate(silhouette)
    area = areas(vertices, triangles)
    # clockwise where y points down is counter-clockwise where it points up
    assert (area < 0).all()
    assert set(triangles.ravel().tolist()) == set(range(len(vertices)))
    cover = covered(mask.shape, vertices, triangles)
    assert (mask & ~cover).sum() <= 0.002 * mask.sum()
    grown = cv2.dilate(mask.astype(np.uint8), np.ones((13, 13), np.uint8)) > 0
    assert not (cover & ~grown).any()
    assert 100 < len(vertices) < 1200


def test_parts_apart_stay_apart_and_holes_stay_open() -> None:
    mask = np.zeros((200, 200), dtype=bool)
    rows, columns = np.ogrid[:200, :200]
    ring = (rows - 70) ** 2 + (columns - 70) ** 2
    mask |= (ring < 60**2) & (ring > 30**2)
    mask[150:190, 150:190] = True
    vertices, triangles = triangulate(silhouette_from_mask(mask))
    assert parts(triangles, len(vertices)) == 2
    hole = covered(mask.shape, vertices, triangles)[60:80, 60:80]
    assert not hole.any()


def test_thin_limb_has_a_row_of_points_along_its_middle() -> None:
    mask = np.zeros((400, 60), dtype=bool)
    mask[10:390, 27:33] = True
    vertices, triangles = triangulate(silhouette_from_mask(mask))
    middle = np.abs(vertices[:, 0] - 30) < 1.5
    inner = middle & (vertices[:, 1] > 20) & (vertices[:, 1] < 380)
    assert inner.sum() >= 10
    assert parts(triangles, len(vertices)) == 1


def test_corner_sharper_than_the_sampling_is_still_covered() -> None:
    data = np.zeros((520, 520), np.uint8)
    comb = data[10:500, 10:500]
    comb[400:] = 1
    comb[:400, ::14] = comb[:400, 1::14] = comb[:400, 2::14] = comb[:400, 3::14] = 1
    silhouette = Silhouette(data=data, scale=1.0, left=0.0, top=0.0)
    vertices, triangles = triangulate(silhouette)
    cover = covered((520, 520), vertices, triangles)
    assert (cover & (data > 0)).sum() > 0.9 * data.sum()


def test_tiny_silhouette_gives_triangles() -> None:
    mask = np.zeros((8, 8), dtype=bool)
    mask[2:6, 2:6] = True
    vertices, triangles = triangulate(silhouette_from_mask(mask))
    assert len(triangles) > 10
    assert np.abs(areas(vertices, triangles)).sum() == pytest.approx(16, rel=0.2)
