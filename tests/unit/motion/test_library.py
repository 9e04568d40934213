import numpy as np
import pytest

from animator.core.errors import UnknownMotion
from animator.core.motion import Motion
from animator.core.pose import PoseSequence
from animator.core.skeleton import BIPED_PARENTS, Joint, Skeleton
from animator.core.spaces import FigureToWorld
from animator.motion.kinematics import joint_paths
from animator.motion.library import list_motions, load_motion
from animator.motion.retarget import retarget

NAMES = ["dance", "jump", "wave"]

T_POSE = {
    "root": (50, 60), "hip": (50, 60), "torso": (50, 30), "neck": (50, 15),
    "right_shoulder": (42, 30), "right_elbow": (25, 30), "right_hand": (8, 30),
    "left_shoulder": (58, 30), "left_elbow": (75, 30), "left_hand": (92, 30),
    "right_hip": (46, 60), "right_knee": (45, 78), "right_foot": (44, 96),
    "left_hip": (54, 60), "left_knee": (55, 78), "left_foot": (56, 96),
}  # fmt: skip


def _poses(name: str) -> tuple[Motion, PoseSequence, dict[str, int]]:
    joints = tuple(
        Joint(name=joint, parent=parent, x=T_POSE[joint][0], y=T_POSE[joint][1])
        for joint, parent in BIPED_PARENTS.items()
    )
    motion, retarget_map = load_motion(name)
    to_world = FigureToWorld(root_x=50, root_y=60, height=100)
    poses = retarget(motion, retarget_map, Skeleton(joints=joints), to_world)
    return motion, poses, {joint.name: i for i, joint in enumerate(joints)}


def test_motions_are_listed_by_name_with_what_the_gallery_shows() -> None:
    listed = list_motions()
    assert [info.name for info in listed] == NAMES
    for info in listed:
        motion, _ = load_motion(info.name)
        assert (info.title, info.fps) == (motion.name, 30.0)
        assert info.duration == pytest.approx(len(motion.root) / 30)
        assert 2 <= info.duration <= 4
        assert info.tags
        assert info.loop


@pytest.mark.parametrize("name", ["fly", "", "../wave", "maps/puppet"])
def test_unknown_motion_is_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(UnknownMotion, match="there are dance, jump, wave"):
        load_motion(name)


@pytest.mark.parametrize("name", NAMES)
def test_last_frame_leads_into_the_first_without_a_jerk(name: str) -> None:
    paths = joint_paths(load_motion(name)[0])
    steps = np.linalg.norm(np.diff(paths, axis=0), axis=2)
    seam = np.linalg.norm(paths[0] - paths[-1], axis=1)
    assert (seam <= steps.max(axis=0) + 1e-6).all()


@pytest.mark.parametrize("name", NAMES)
def test_every_named_bone_is_driven_and_arms_are_in_front_of_the_body(name: str) -> None:
    _, poses, place = _poses(name)
    driven = np.asarray(np.isfinite(poses.angles).all(axis=0))
    still = {"root", "hip", "right_shoulder", "left_shoulder", "right_hip", "left_hip"}
    assert {joint for joint, i in place.items() if not driven[i]} == still
    trunk, left_arm, right_arm, left_leg, right_leg = poses.depths.T
    assert (trunk < np.minimum(left_arm, right_arm)).all()
    assert (trunk > np.maximum(left_leg, right_leg)).all()
    assert poses.groups[1] == ("left_elbow", "left_hand")


@pytest.mark.parametrize("name", ["dance", "wave"])
def test_a_foot_stays_on_the_ground(name: str) -> None:
    motion, _, _ = _poses(name)
    paths = joint_paths(motion)
    feet = [motion.joints.index("LeftFoot"), motion.joints.index("RightFoot")]
    lowest = paths[:, feet, 1].min(axis=1)
    np.testing.assert_allclose(lowest, 0, atol=0.005)


def test_wave_lifts_the_right_hand_and_sways_it_three_times() -> None:
    _, poses, place = _poses("wave")
    forearm = poses.angles[:, place["right_hand"]]  # up is 0, the figure's right is +pi/2
    swings = np.diff(np.sign(np.diff(np.abs(forearm[20:70]))))
    assert (swings != 0).sum() >= 5
    left = poses.angles[:, place["left_hand"]]
    assert (np.abs(left) > np.radians(120)).all()


def test_jump_crouches_flies_with_arms_up_and_lands() -> None:
    motion, poses, place = _poses("jump")
    height = poses.root[:, 1]
    top = int(np.argmax(height))
    assert height[:top].min() < -0.08
    assert height[top] > 0.25
    assert height[top:].min() < -0.08
    arms = poses.angles[top, [place["left_hand"], place["right_hand"]]]
    assert (np.abs(arms) < np.radians(50)).all()
    feet = joint_paths(motion)[:, motion.joints.index("LeftFoot"), 1]
    assert (feet > 0.01).sum() / motion.fps == pytest.approx(0.6, abs=0.1)


def test_dance_moves_the_weight_to_each_side_on_every_beat() -> None:
    _, poses, _ = _poses("dance")
    beats = poses.root[::15, 0]
    assert len(beats) == 8
    assert (np.diff(beats)[::2] < -0.08).all()
    assert (np.diff(beats)[1::2] > 0.08).all()
