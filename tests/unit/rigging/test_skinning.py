import numpy as np

from animator.rigging.skinning import share_turns


def strip(length: int) -> tuple[np.ndarray, np.ndarray]:
    """A row of unit squares, two triangles each."""
    x = np.repeat(np.arange(length + 1.0), 2)
    vertices = np.stack((x, np.tile([0.0, 1.0], length + 1)), axis=1)
    first = 2 * np.arange(length)
    lower = np.stack((first, first + 2, first + 1), axis=1)
    upper = np.stack((first + 1, first + 2, first + 3), axis=1)
    return vertices, np.concatenate((lower, upper)).astype(np.int32)


def test_bones_share_turns_around_their_joint_and_rows_add_to_one() -> None:
    vertices, triangles = strip(20)
    middle = vertices[triangles].mean(axis=1)[:, 0]
    bone_of = np.where(middle < 10, 1, 2).astype(np.int16)
    shares = share_turns(vertices, triangles, bone_of, np.full(40, 1.0), 4)
    np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-5)
    assert shares.min() > -1e-6
    assert (shares[:, [0, 3]] == 0).all()
    by_place = shares[np.argsort(middle), 1]
    assert (np.diff(by_place) < 1e-6).all()
    assert by_place[0] > 0.99
    assert by_place[-1] < 0.01
    assert abs(by_place[19:21].mean() - 0.5) < 0.02


def test_shares_reach_as_far_as_they_are_told() -> None:
    vertices, triangles = strip(20)
    middle = vertices[triangles].mean(axis=1)[:, 0]
    bone_of = np.where(middle < 10, 1, 2).astype(np.int16)
    near, far = (
        share_turns(vertices, triangles, bone_of, np.full(40, spread), 3)[:, 1]
        for spread in (0.5, 2.0)
    )
    beyond = (middle > 12) & (middle < 13)
    assert far[beyond].mean() > 3 * near[beyond].mean()


def test_stiff_part_keeps_to_its_bone() -> None:
    vertices, triangles = strip(20)
    middle = vertices[triangles].mean(axis=1)[:, 0]
    bone_of = np.where(middle < 10, 1, 2).astype(np.int16)
    shares = share_turns(vertices, triangles, bone_of, np.where(middle < 10, 0.0, 2.0), 3)
    np.testing.assert_allclose(shares[middle < 10, 1], 1, atol=1e-6)
    np.testing.assert_allclose(shares[middle > 10, 2], 1, atol=1e-6)


def test_shares_do_not_cross_a_cut() -> None:
    vertices, triangles = strip(4)
    apart = np.concatenate((vertices, vertices + np.array([0.0, 1.0])))
    both = np.concatenate((triangles, triangles + len(vertices)))
    bone_of = np.repeat([1, 2], 8).astype(np.int16)
    shares = share_turns(apart, both, bone_of, np.full(16, 3.0), 3)
    np.testing.assert_allclose(shares[:8, 1], 1, atol=1e-6)
    np.testing.assert_allclose(shares[8:, 2], 1, atol=1e-6)
