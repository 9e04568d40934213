import numpy as np

from animator.rigging.edges import keys_of_edges, twin_sides


def test_two_triangles_share_one_edge() -> None:
    twins = twin_sides(np.array([[0, 1, 2], [2, 1, 3]], np.int32))
    # side 1 of the first runs from 1 to 2, side 0 of the second from 2 to 1
    assert sorted((int(twins.one[0]), int(twins.other[0]))) == [1, 3]
    assert len(twins.one) == 1
    assert twins.keys.tolist() == keys_of_edges(np.array([[2, 1]]), 4).tolist()


def test_edge_has_one_number_whichever_way_it_is_named() -> None:
    keys = keys_of_edges(np.array([[3, 7], [7, 3], [3, 8]]), 10)
    assert keys.tolist() == [37, 37, 38]


def test_triangle_alone_shares_nothing() -> None:
    assert len(twin_sides(np.array([[4, 2, 7]], np.int32)).one) == 0
