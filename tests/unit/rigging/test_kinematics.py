import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from animator.core.pose import PoseSequence
from animator.core.rig import Rig
from animator.core.skeleton import BIPED_PARENTS
from animator.rigging.kinematics import pose_joints, rest_joints

NAN = float("nan")
CHAIN = np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 3.0], [1.0, 3.0]])
PARENTS = (-1, 0, 1, 2)


def make_poses(angles: list[float], root: tuple[float, float] = (0.0, 0.0)) -> PoseSequence:
    return PoseSequence(
        fps=10.0,
        root=np.array([root], np.float32),
        angles=np.array([angles], np.float32),
        depths=np.zeros((1, 0), np.float32),
        groups=(),
    )


def test_undriven_bones_stay_at_rest_and_follow_the_root() -> None:
    track = pose_joints(CHAIN, PARENTS, make_poses([NAN] * 4, root=(0.5, -1.0)))
    expected = [[0.5, -1], [0.5, 0], [0.5, 2], [1.5, 2]]
    np.testing.assert_allclose(track.places[0], expected)
    assert not track.turns.any()


def test_driven_bone_turns_to_its_angle_and_carries_its_children() -> None:
    track = pose_joints(CHAIN, PARENTS, make_poses([NAN, NAN, np.pi / 2, NAN]))
    # the second bone, two long, points to -x; the last one, at rest to +x, keeps its bend: to +y
    np.testing.assert_allclose(track.places[0], [[0, 0], [0, 1], [-2, 1], [-2, 2]], atol=1e-6)
    np.testing.assert_allclose(track.turns[0], [0, 0, np.pi / 2, np.pi / 2], atol=1e-6)


def test_angle_of_the_root_turns_the_whole_figure_but_driven_bones() -> None:
    track = pose_joints(CHAIN, PARENTS, make_poses([np.pi / 2, NAN, NAN, 0.0]))
    # all lies to -x; the last bone is driven to +y
    np.testing.assert_allclose(track.places[0], [[0, 0], [-1, 0], [-3, 0], [-3, 1]], atol=1e-6)


def test_angle_counts_from_up_counter_clockwise() -> None:
    track = pose_joints(CHAIN, PARENTS, make_poses([NAN, -np.pi / 2, NAN, NAN]))
    np.testing.assert_allclose(track.places[0, 1], [1, 0], atol=1e-6)


def test_bone_without_length_turns_with_its_parent() -> None:
    rest = np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.0, 2.0]])
    track = pose_joints(rest, PARENTS, make_poses([NAN, np.pi / 2, 2.5, NAN]))
    np.testing.assert_allclose(track.places[0], [[0, 0], [-1, 0], [-1, 0], [-2, 0]], atol=1e-6)


@given(
    rest=arrays(np.float64, (16, 2), elements=st.floats(-2, 2, width=32)),
    angles=arrays(np.float32, (3, 16), elements=st.floats(-7, 7, width=32) | st.just(NAN)),
)
def test_bones_keep_their_lengths(rest: NDArray[np.float64], angles: NDArray[np.float32]) -> None:
    names = list(BIPED_PARENTS)
    parents = tuple(-1 if p is None else names.index(p) for p in BIPED_PARENTS.values())
    poses = PoseSequence(
        fps=10.0,
        root=np.zeros((3, 2), np.float32),
        angles=angles,
        depths=np.zeros((3, 0), np.float32),
        groups=(),
    )
    places = pose_joints(rest, parents, poses).places
    for joint, parent in enumerate(parents[1:], start=1):
        length = np.linalg.norm(rest[joint] - rest[parent])
        found = np.linalg.norm(places[:, joint] - places[:, parent], axis=1)
        np.testing.assert_allclose(found, length, atol=1e-9)


def test_rest_joints_are_in_world_space(rig: Rig) -> None:
    rest = rest_joints(rig)
    np.testing.assert_allclose(rest[0], [0, 0], atol=1e-6)
    torso = rig.skeleton.index("torso")
    np.testing.assert_allclose(rest[torso], [0, 48 / rig.to_world.height], atol=1e-6)
