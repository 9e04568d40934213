import numpy as np

from animator.rigging.edges import edges_with_neighbours


def test_two_triangles_have_five_edges_and_share_one() -> None:
    triangles = np.array([[0, 1, 2], [2, 1, 3]], np.int32)
    edges, neighbours = edges_with_neighbours(triangles)
    assert edges.tolist() == [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]
    shared = neighbours[2]
    assert shared[:2].tolist() == [1, 2]
    assert set(shared[2:].tolist()) == {0, 3}


def test_outer_edges_have_one_far_corner() -> None:
    edges, neighbours = edges_with_neighbours(np.array([[4, 2, 7]], np.int32))
    assert edges.tolist() == [[2, 4], [2, 7], [4, 7]]
    assert neighbours[:, 2].tolist() == [7, 4, 2]
    assert (neighbours[:, 3] == -1).all()
