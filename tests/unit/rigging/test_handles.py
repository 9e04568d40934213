import msgspec
import numpy as np

from animator.core.drawing import Figure
from animator.core.mask import Mask
from animator.core.pose import PoseSequence
from animator.core.rig import Rig
from animator.core.skeleton import Skeleton
from animator.rigging import build_rig
from animator.rigging.handles import (
    FOLLOW_WEIGHT,
    JOINT_WEIGHT,
    LEAST_WEIGHT,
    Grip,
    grip_rig,
    handle_places,
    locate,
)
from animator.rigging.kinematics import JointTrack, pose_joints, rest_joints

SQUARE = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]])
HALVES = np.array([[0, 1, 2], [0, 2, 3]], np.int32)


def gripped(rig: Rig) -> Grip:
    assert rig.weights is not None
    return grip_rig(rig, rest_joints(rig), rig.weights)


def test_point_is_located_by_its_barycentric_coordinates() -> None:
    within, shares = locate(SQUARE, HALVES, np.array([[1.5, 0.5], [0.5, 1.5]]))
    assert within.tolist() == [0, 1]
    np.testing.assert_allclose(shares, [[0.25, 0.5, 0.25], [0.25, 0.25, 0.5]])


def test_point_outside_is_drawn_to_the_nearest_side() -> None:
    within, shares = locate(SQUARE, HALVES, np.array([[3.0, 0.5]]))
    assert within.tolist() == [0]
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert (shares >= 0).all()
    place = (SQUARE[HALVES[0]] * shares[0][:, None]).sum(axis=0)
    assert place[0] <= 2.0


def test_joints_pull_firmly_and_every_vertex_a_little(rig: Rig) -> None:
    grip = gripped(rig)
    joints = len(rig.skeleton.joints)
    weights = grip.handles.weights
    assert len(weights) == joints + len(rig.mesh.vertices)
    assert (weights[:joints] == JOINT_WEIGHT).all()
    assert weights[joints:].min() == LEAST_WEIGHT
    np.testing.assert_allclose(weights[joints:].max(), LEAST_WEIGHT + FOLLOW_WEIGHT)
    places = rig.mesh.vertices[grip.handles.corners]
    placed = (places * grip.handles.shares[..., None]).sum(axis=1)
    np.testing.assert_allclose(placed[:joints], rest_joints(rig), atol=1e-4)


def test_skeleton_of_two_joints_can_be_gripped(rig: Rig, figure: Figure, mask: Mask) -> None:
    joints = rig.skeleton.joints
    two = Skeleton(joints=(joints[0], msgspec.structs.replace(joints[3], parent="root")))
    smallest = build_rig(figure, mask, two)
    assert len(smallest.skeleton.joints) == 2
    assert (gripped(smallest).handles.weights[:2] == JOINT_WEIGHT).all()


def test_vertex_where_bones_meet_hardly_pulls(rig: Rig) -> None:
    grip, rest = gripped(rig), rest_joints(rig)
    elbow = rest[rig.skeleton.index("left_elbow")]
    hand = rest[rig.skeleton.index("left_hand")]
    vertices = rig.mesh.vertices
    pull = grip.handles.weights[len(rest) :]
    by_elbow = np.linalg.norm(vertices - elbow, axis=1) < 0.03
    by_hand = np.linalg.norm(vertices - hand, axis=1) < 0.03
    assert pull[by_elbow].mean() < 0.3 * pull[by_hand].mean()


def test_misplaced_joint_hardly_pulls(figure: Figure, mask: Mask, skeleton: Skeleton) -> None:
    astray = tuple(
        msgspec.structs.replace(joint, x=62.0, y=180.0) if joint.name == "left_hand" else joint
        for joint in skeleton.joints
    )
    rig = build_rig(figure, mask, Skeleton(joints=astray))
    weights = gripped(rig).handles.weights
    assert weights[skeleton.index("left_hand")] == LEAST_WEIGHT
    assert weights[skeleton.index("right_knee")] == JOINT_WEIGHT


def test_vertices_go_where_their_bone_would_take_them(rig: Rig, at_rest: PoseSequence) -> None:
    rest, shift = rest_joints(rig), np.array([0.25, 0.5])
    still = pose_joints(rest, rig.skeleton.parents, at_rest)
    moved = JointTrack(places=still.places + shift, turns=still.turns)
    places = handle_places(rig, rest, gripped(rig).bones, moved)[0]
    expected = np.concatenate((rest, rig.mesh.vertices)) + shift
    np.testing.assert_allclose(places, expected, atol=1e-5)
