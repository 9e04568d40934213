from itertools import pairwise

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from animator.core.rig import corner_angles
from animator.rigging.mesh import triangulate
from animator.rigging.silhouette import silhouette_from_mask
from animator.rigging.sizing import BUDGET


def areas(vertices: NDArray[np.float64], triangles: NDArray[np.int32]) -> NDArray[np.float64]:
    """Signed areas where y points down."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    return ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]) / 2


def meshed(mask: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """A mask's mesh without seams, in the mask's own pixels."""
    silhouette = silhouette_from_mask(mask)
    vertices, triangles = triangulate(silhouette.data, [])
    return silhouette.to_canvas(vertices), triangles


def parts(triangles: NDArray[np.int32], count: int) -> int:
    edges = triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    graph = coo_array((np.ones(len(edges)), edges.T), shape=(count, count))
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
    vertices, triangles = meshed(mask)
    area = areas(vertices, triangles)
    # clockwise where y points down is counter-clockwise where it points up
    assert (area < 0).all()
    assert set(triangles.ravel().tolist()) == set(range(len(vertices)))
    cover = covered(mask.shape, vertices, triangles)
    assert (mask & ~cover).sum() <= 0.002 * mask.sum()
    grown = cv2.dilate(mask.astype(np.uint8), np.ones((13, 13), np.uint8)) > 0
    assert not (cover & ~grown).any()
    assert 100 < len(vertices) < 1.3 * BUDGET


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_triangles_are_well_shaped(seed: int) -> None:
    vertices, triangles = meshed(blob(seed))
    angles = np.degrees(corner_angles(vertices[triangles]))
    assert angles.min() > 4  # the least of a thousand blobs has 4.5; two of them less than 5
    assert np.percentile(angles.min(axis=1), 1) > 25


def test_parts_apart_stay_apart_and_holes_stay_open() -> None:
    mask = np.zeros((200, 200), dtype=bool)
    rows, columns = np.ogrid[:200, :200]
    ring = (rows - 70) ** 2 + (columns - 70) ** 2
    mask |= (ring < 60**2) & (ring > 30**2)
    mask[150:190, 150:190] = True
    vertices, triangles = meshed(mask)
    assert parts(triangles, len(vertices)) == 2
    hole = covered(mask.shape, vertices, triangles)[60:80, 60:80]
    assert not hole.any()


def test_thin_limb_is_two_triangles_wide_at_least() -> None:
    mask = np.zeros((400, 60), dtype=bool)
    mask[10:390, 27:33] = True
    vertices, triangles = meshed(mask)
    middle = np.abs(vertices[:, 0] - 30) < 1.5
    inner = middle & (vertices[:, 1] > 20) & (vertices[:, 1] < 380)
    assert inner.sum() >= 10
    assert parts(triangles, len(vertices)) == 1


def test_comb_of_a_hundred_teeth_keeps_to_the_budget() -> None:
    data = np.zeros((520, 520), np.uint8)
    comb = data[10:500, 10:500]
    comb[400:] = 1
    comb[:400, ::14] = comb[:400, 1::14] = comb[:400, 2::14] = comb[:400, 3::14] = 1
    vertices, triangles = triangulate(data, [])
    cover = covered((520, 520), vertices, triangles)
    assert (cover & (data > 0)).sum() > 0.9 * data.sum()
    assert len(vertices) < 3 * BUDGET


def test_mesh_is_cut_along_a_seam_and_whole_at_its_inner_end() -> None:
    data = np.zeros((200, 200), np.uint8)
    data[10:190, 10:190] = 1
    x = np.arange(100.0, 195.0)
    seam = np.stack((x, np.full(len(x), 100.0)), axis=1)
    vertices, triangles = triangulate(data, [seam])
    assert parts(triangles, len(vertices)) == 1
    on_seam = (np.abs(vertices[:, 1] - 100) < 0.5) & (vertices[:, 0] > 105)
    places, counts = np.unique(vertices[on_seam].round(3), axis=0, return_counts=True)
    assert len(places) >= 4
    assert (counts == 2).all()
    sides = vertices[triangles][..., 1]
    crossing = (sides.min(axis=1) < 99) & (sides.max(axis=1) > 101)
    assert not (crossing & (vertices[triangles][..., 0].min(axis=1) > 101)).any()


def test_seam_from_rim_to_rim_makes_two_parts() -> None:
    data = np.zeros((200, 200), np.uint8)
    data[10:190, 10:190] = 1
    x = np.arange(5.0, 195.0)
    vertices, triangles = triangulate(data, [np.stack((x, np.full(len(x), 100.0)), axis=1)])
    assert parts(triangles, len(vertices)) == 2
    assert np.degrees(corner_angles(vertices[triangles])).min() > 5


def test_tiny_silhouette_gives_triangles() -> None:
    mask = np.zeros((8, 8), dtype=bool)
    mask[2:6, 2:6] = True
    vertices, triangles = meshed(mask)
    assert len(triangles) > 10
    assert np.abs(areas(vertices, triangles)).sum() == pytest.approx(16, rel=0.2)
