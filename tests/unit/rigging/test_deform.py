import sys
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from animator.core.mask import Mask
from animator.core.pose import PoseSequence
from animator.core.rig import Rig
from animator.core.rigging import RigOptions
from animator.core.skeleton import BIPED_PARENTS, Skeleton
from animator.motion import follow, load_motion
from animator.rigging import build_rig, deform
from animator.rigging.arap import Arap, Complex
from animator.rigging.handles import locate
from animator.rigging.kinematics import pose_joints, rest_joints
from animator.rigging.motor import motor_of
from animator.rigging.settle import settle
from tests.unit.rigging.conftest import make_figure, make_mask, make_skeleton, still

NAMES = list(BIPED_PARENTS)
LIMBS = ("right_elbow", "right_hand", "left_elbow", "left_hand", "right_knee", "left_foot")


def areas(rig: Rig, vertices: NDArray[np.float32]) -> NDArray[np.float32]:
    a, b, c = (vertices[..., rig.mesh.triangles[:, k], :] for k in range(3))
    found: NDArray[np.float32] = (b - a)[..., 0] * (c - a)[..., 1] - (b - a)[..., 1] * (c - a)[
        ..., 0
    ]
    return found


def bent(rig: Rig, **turns: float) -> PoseSequence:
    """One frame in which some bones point away from rest by so many radians."""
    rest = rest_joints(rig)
    poses = still(len(NAMES))
    for name, turn in turns.items():
        joint = NAMES.index(name)
        bone = rest[joint] - rest[rig.skeleton.parents[joint]]
        poses.angles[0, joint] = np.arctan2(-bone[0], bone[1]) + turn
    return poses


def test_still_poses_leave_the_mesh_at_rest(rig: Rig) -> None:
    track = deform(rig, still(len(NAMES), frames=3))
    assert track.vertices.shape == (3, len(rig.mesh.vertices), 2)
    np.testing.assert_allclose(track.vertices, rig.mesh.vertices[None].repeat(3, 0), atol=1e-4)
    assert track.fps == 10.0


@settings(max_examples=15, deadline=None)
@given(turns=st.lists(st.floats(-1.2, 1.2), min_size=len(LIMBS), max_size=len(LIMBS)))
def test_bones_are_followed_and_paint_keeps_its_area(rig: Rig, turns: list[float]) -> None:
    poses = bent(rig, **dict(zip(LIMBS, turns, strict=True)))
    track = deform(rig, poses)
    rest = rest_joints(rig)
    within, shares = locate(rig.mesh.vertices.astype(np.float64), rig.mesh.triangles, rest)
    met = (track.vertices[0][rig.mesh.triangles[within]] * shares[..., None]).sum(axis=1)
    goal = pose_joints(rest, rig.skeleton.parents, poses).places[0]
    assert np.abs(met - goal).max() < 0.01
    ratio = areas(rig, track.vertices[0]) / areas(rig, rig.mesh.vertices)
    assert np.isfinite(ratio).all()
    assert np.percentile(ratio, 5) > 0.6
    assert np.percentile(ratio, 95) < 1.6
    assert ratio.min() > 0


def test_lifted_arm_leaves_the_legs_where_they_are(rig: Rig) -> None:
    track = deform(rig, bent(rig, right_elbow=-1.3))
    moved = np.linalg.norm(track.vertices[0] - rig.mesh.vertices, axis=1)
    legs = rig.mesh.vertices[:, 1] < -0.1
    assert moved[legs].max() < 0.005
    assert moved.max() > 0.2


def test_whole_figure_follows_its_root(rig: Rig) -> None:
    poses = still(len(NAMES))
    poses = replace(poses, root=np.array([[0.5, 0.25]], np.float32))
    track = deform(rig, poses)
    np.testing.assert_allclose(track.vertices[0], rig.mesh.vertices + poses.root, atol=1e-4)


def test_part_drawn_apart_moves_with_its_bone() -> None:
    data = make_mask()
    data[:, 24:32] = False
    rig = build_rig(make_figure(), Mask(data), make_skeleton())
    turned = deform(rig, bent(rig, right_elbow=np.pi / 2)).vertices[0]
    hand = rig.to_world.invert(rig.mesh.vertices)[:, 0] < 22
    assert hand.any()
    # the arm pointed to -x; a quarter turn counter-clockwise points it to -y
    elbow = rest_joints(rig)[NAMES.index("right_shoulder")]
    arm = rig.mesh.vertices[hand] - elbow
    expected = elbow + np.stack((-arm[:, 1], arm[:, 0]), axis=1)
    np.testing.assert_allclose(turned[hand], expected, atol=0.03)


def test_groups_are_ordered_by_depth_and_unnamed_bones_go_with_their_parent(rig: Rig) -> None:
    poses = replace(
        still(len(NAMES), frames=2),
        depths=np.array([[0.0, 2.0, 1.0], [3.0, 2.0, 1.0]], np.float32),
        groups=(("hip", "torso"), ("right_shoulder", "right_elbow"), ("left_shoulder",)),
    )
    track = deform(rig, poses)
    assert track.order.tolist() == [[0, 2, 1], [2, 1, 0]]
    by_bone = dict(zip(rig.bone_of.tolist(), track.group_of.tolist(), strict=True))
    assert by_bone[NAMES.index("right_hand")] == 1
    assert by_bone[NAMES.index("left_hand")] == 2
    assert by_bone[NAMES.index("neck")] == 0
    assert by_bone[NAMES.index("left_foot")] == 0


def test_stiff_body_does_not_bend_with_the_arm() -> None:
    parts = (make_figure(), Mask(make_mask()), make_skeleton())
    stiff, soft = build_rig(*parts, RigOptions(stiff=("torso",))), build_rig(*parts)
    bends = []
    for rig in (stiff, soft):
        track = deform(rig, bent(rig, right_elbow=1.2, left_elbow=-1.2))
        body = np.unique(rig.mesh.triangles[rig.bone_of == NAMES.index("torso")])
        bends.append(np.linalg.norm((track.vertices[0] - rig.mesh.vertices)[body], axis=1).max())
    assert bends[0] < 0.5 * bends[1]


def test_stretchy_bones_give_way_where_others_hold() -> None:
    parts = (make_figure(), Mask(make_mask()), make_skeleton())
    elastic = RigOptions(stretchy=("right_elbow", "right_hand"))
    stretches = []
    for rig in (build_rig(*parts, elastic), build_rig(*parts)):
        track = deform(rig, bent(rig, right_hand=2.6))
        rest = rest_joints(rig)
        within, shares = locate(rig.mesh.vertices.astype(np.float64), rig.mesh.triangles, rest)
        met = (track.vertices[0][rig.mesh.triangles[within]] * shares[..., None]).sum(axis=1)
        elbow, hand = NAMES.index("right_elbow"), NAMES.index("right_hand")
        now, then = (np.linalg.norm(places[hand] - places[elbow]) for places in (met, rest))
        stretches.append(abs(now / then - 1))
    assert stretches[1] < 0.01 < stretches[0]


@pytest.mark.parametrize(
    "lacks",
    [
        ("elbow", "hand", "shoulder"),
        ("left_shoulder", "left_elbow", "left_hand"),
        ("_hip", "knee", "foot"),
        ("right_knee", "right_foot"),
        ("shoulder", "elbow", "hand", "_hip", "knee", "foot"),
    ],
    ids=["no-arms", "one-arm", "no-legs", "one-leg", "neither"],
)
def test_figure_that_lacks_limbs_walks_without_a_fold(lacks: tuple[str, ...]) -> None:
    skeleton = Skeleton(
        joints=tuple(j for j in make_skeleton().joints if not j.name.endswith(lacks))
    )
    rig = build_rig(make_figure(), Mask(make_mask()), skeleton)
    track = deform(rig, follow(*load_motion("walk"), rig.skeleton, rig.to_world))
    assert (areas(rig, track.vertices) > 0).all()
    assert np.ptp(track.vertices, axis=0).max() > 0.02


def test_skeleton_that_does_not_fit_at_all_still_moves() -> None:
    rng = np.random.default_rng(1)
    rows, columns = np.nonzero(make_mask())
    astray = tuple(
        msgspec.structs.replace(joint, x=float(columns[at]), y=float(rows[at]))
        for joint, at in zip(
            make_skeleton().joints, rng.integers(0, len(rows), len(NAMES)), strict=True
        )
    )
    rig = build_rig(make_figure(), Mask(make_mask()), Skeleton(joints=astray))
    poses = follow(*load_motion("dance"), rig.skeleton, rig.to_world)
    few = slice(0, 48, 3)
    some = replace(poses, root=poses.root[few], angles=poses.angles[few], depths=poses.depths[few])
    assert np.isfinite(deform(rig, some).vertices).all()


def refuse(monkeypatch: pytest.MonkeyPatch, far: float, alone: bool = True) -> list[int]:
    """Let no frame count as settled in which a triangle is asked to turn by this much or more.

    alone: whether a frame by itself may count.
    Returns how many frames are settled at a time, as that goes on.
    """
    tried: list[int] = []

    def strict(arap: Arap, pull: Complex, turns: Complex) -> tuple[Complex, NDArray[np.bool_]]:
        places, sound = settle(arap, pull, turns)
        turned = np.abs(turns - 1).max(axis=0)
        tried.append(len(sound))
        return places, sound & (turned < far) & (alone or len(sound) > 1)

    # the room exports a function of that name, so the module is asked for by its own
    monkeypatch.setattr(sys.modules["animator.rigging.deform"], "settle", strict)
    return tried


def test_pose_that_no_mesh_can_take_is_left_out(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    poses = still(len(NAMES), frames=21)
    poses.angles[10] = bent(rig, right_elbow=-1.3).angles[0]
    moved = np.abs(deform(rig, poses).vertices[10] - rig.mesh.vertices).max()
    assert moved > 0.2
    refuse(monkeypatch, 0.5)
    track = deform(rig, poses)
    np.testing.assert_allclose(track.vertices[10], rig.mesh.vertices, atol=1e-4)


@pytest.mark.parametrize("frames", [7, 41])
def test_pose_that_no_mesh_can_take_nor_those_near_it_is_shown_as_well_as_can_be(
    frames: int, rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    poses = still(len(NAMES), frames=frames)
    poses.angles[frames // 2] = bent(rig, right_elbow=-1.3).angles[0]
    tried = refuse(monkeypatch, 0.5, alone=False)
    assert np.isfinite(deform(rig, poses).vertices).all()
    # the clip, then poses lent from next to it, from 3 frames away, and from 8: seven have no more
    assert tried == ([7, 1] if frames == 7 else [41, 1, 1, 1])


def test_joints_give_way_where_hardly_a_frame_can_be_settled(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    poses = bent(rig, right_hand=2.6)
    firm = deform(rig, poses).vertices
    refuse(monkeypatch, 0.0)
    assert np.abs(deform(rig, poses).vertices - firm).max() > 1e-3


def test_second_clip_of_a_figure_needs_no_factorising(rig: Rig) -> None:
    assert motor_of(rig) is motor_of(rig)


def test_rig_whose_triangles_follow_one_bone_each_moves_too(rig: Rig) -> None:
    alone = np.eye(len(rig.skeleton.joints), dtype=np.float32)[rig.bone_of]
    plain = replace(rig, weights=alone, stiffness=None)
    track = deform(plain, bent(rig, right_hand=0.5))
    rest = rest_joints(rig)
    elbow, hand = NAMES.index("right_elbow"), NAMES.index("right_hand")
    tip = np.argmin(np.linalg.norm(rig.mesh.vertices - rest[hand], axis=1))
    arm = rest[hand] - rest[elbow]
    expected = rest[elbow] + [
        arm[0] * np.cos(0.5) - arm[1] * np.sin(0.5),
        arm[0] * np.sin(0.5) + arm[1] * np.cos(0.5),
    ]
    assert np.linalg.norm(track.vertices[0, tip] - expected) < 0.05


def test_poses_of_another_skeleton_are_refused(rig: Rig) -> None:
    with pytest.raises(ValueError, match="16 joints"):
        deform(rig, still(4))
