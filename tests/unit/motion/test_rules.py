"""AnimatedDrawings' rules, for one figure and one motion."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from animator.core.errors import InvalidMotion
from animator.core.motion import BoneSource, Motion
from animator.core.script import BvhClip, RetargetRules
from animator.core.skeleton import Joint, Skeleton
from animator.ingest import read_character, read_scene
from animator.motion import map_from_rules, read_bvh
from tests.support_scenes import MOTION, RETARGET, bvh_text, changed, write_files

MAPPING = "char_joint_bvh_joints_mapping"


def read(folder: Path) -> tuple[RetargetRules, BvhClip, Motion, Skeleton]:
    role = read_scene(folder / "scene.yaml").roles[0]
    assert role.rules is not None and isinstance(role.clip, BvhClip)
    skeleton = read_character(role.figure)[1].figures[0].skeleton
    assert skeleton is not None
    return role.rules, role.clip, read_bvh(bvh_text()), skeleton


def with_retarget(folder: Path, path: str, value: Any) -> None:
    (folder / "retarget.yaml").write_text(yaml.dump(changed(RETARGET, path, value)))


def test_rules_become_a_map(tmp_path: Path) -> None:
    write_files(tmp_path)
    made = map_from_rules(*read(tmp_path))
    assert made.root == "Hips"
    assert made.bones["left_hand"] == BoneSource(near="LeftElbow", far="LeftHand")
    assert made.legs == (
        ("RightLeg", "RightKnee", "RightFoot"),
        ("LeftLeg", "LeftKnee", "LeftFoot"),
    )
    assert made.forward == (("RightArm", "LeftArm"), ("RightLeg", "LeftLeg"))
    trunk, left_arm, *_, right_leg = made.groups
    assert trunk.bones[-2:] == ("torso", "neck")
    assert (left_arm.plane, left_arm.depth_driver) == ("frontal", "LeftHand")
    assert right_leg.plane == "principal" and len(right_leg.plane_joints) == 6
    assert made.path_group in {group.name for group in made.groups if "foot" in group.bones[-1]}


def test_path_may_be_seen_on_another_plane_than_the_legs(tmp_path: Path) -> None:
    write_files(tmp_path)
    with_retarget(tmp_path, "char_bvh_root_offset.bvh_projection_bodypart_group_for_offset", "Arms")
    made = map_from_rules(*read(tmp_path))
    (group,) = [group for group in made.groups if group.name == made.path_group]
    assert group.bones == ("left_elbow", "left_hand")


def test_depth_may_be_the_mean_of_several_joints(tmp_path: Path) -> None:
    write_files(tmp_path)
    with_retarget(tmp_path, "char_bodypart_groups.1.bvh_depth_drivers", ["LeftHand", "LeftElbow"])
    group = map_from_rules(*read(tmp_path)).groups[1]
    assert (group.depth_driver, group.more_drivers) == ("LeftHand", ("LeftElbow",))


def test_bones_of_one_part_may_be_seen_on_two_planes(tmp_path: Path) -> None:
    write_files(tmp_path)
    with_retarget(tmp_path, f"{MAPPING}.neck", ("Chest", "LeftFoot"))
    made = map_from_rules(*read(tmp_path))
    trunk, neck = made.groups[:2]
    assert "neck" not in trunk.bones and trunk.plane == "frontal"
    assert (neck.bones, neck.plane, neck.depth_driver) == (("neck",), "principal", "Hips")


@pytest.mark.parametrize(("y", "driven"), [(29.0, True), (31.0, False)], ids=["above", "below"])
def test_bone_that_is_drawn_below_its_line_is_not_driven(
    y: float, driven: bool, tmp_path: Path
) -> None:
    write_files(tmp_path)
    rules, clip, motion, skeleton = read(tmp_path)
    joints = tuple(
        msgspec.structs.replace(joint, y=y) if joint.name == "neck" else joint
        for joint in skeleton.joints
    )
    made = map_from_rules(rules, clip, motion, Skeleton(joints=joints))
    assert ("neck" in made.bones) is driven


def test_figure_may_lack_joints_of_the_usual_one(tmp_path: Path) -> None:
    write_files(tmp_path)
    rules, clip, motion, skeleton = read(tmp_path)
    few = [joint for joint in skeleton.joints if not joint.name.startswith("left_")]
    made = map_from_rules(rules, clip, motion, Skeleton(joints=tuple(few)))
    assert "neck" in made.bones  # its line has no left end: there is nothing to be below


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (
            f"{MAPPING}.left_hand",
            ("LeftElbow", "LeftHnad"),
            f"{MAPPING}.left_hand[1]: the motion has no joint 'LeftHnad'; is it 'LeftHand'?",
        ),
        (f"{MAPPING}.tail", ("Hips", "Chest"), f"{MAPPING}.tail: the figure has no joint 'tail'"),
        (
            "bvh_projection_bodypart_groups.2.bvh_joint_names",
            ["Hips", "Chest", "Neck", "Hat"],
            "bvh_projection_bodypart_groups[2].bvh_joint_names[3]: the motion has no joint 'Hat'",
        ),
        (
            "bvh_projection_bodypart_groups.2.bvh_joint_names",
            ["Hips", "Chest"],
            f"{MAPPING}.neck[1]: 'Neck' is in no group of bvh_projection_bodypart_groups",
        ),
        (
            "bvh_projection_bodypart_groups.2.bvh_joint_names",
            ["Chest", "Neck"],
            "char_bodypart_groups[0].bvh_depth_drivers[0]: 'Hips' is in no group",
        ),
        (
            "char_bodypart_groups.1.bvh_depth_drivers",
            ["x"],
            "char_bodypart_groups[1].bvh_depth_drivers[0]: the motion has no joint 'x'; there are",
        ),
        (
            "char_bodypart_groups.1.char_joints",
            ["left_elbow", "left_wing"],
            "char_bodypart_groups[1].char_joints[1]: the figure has no joint 'left_wing'",
        ),
        (
            "char_bvh_root_offset.bvh_joints",
            [["a"]],
            "char_bvh_root_offset.bvh_joints[0][0]: the motion has no joint 'a'",
        ),
        (
            "char_bvh_root_offset.char_joints",
            [["a"]],
            "char_bvh_root_offset.char_joints[0][0]: the figure has no joint 'a'",
        ),
        (
            "char_runtime_checks",
            [["above", "neck", "ear", "neck"]],
            "char_runtime_checks[0][2]: the figure has no joint 'ear'",
        ),
    ],
)
def test_name_that_there_is_not_is_refused_by_its_field(
    path: str, value: Any, said: str, tmp_path: Path
) -> None:
    write_files(tmp_path)
    with_retarget(tmp_path, path, value)
    with pytest.raises(InvalidMotion) as caught:
        map_from_rules(*read(tmp_path))
    assert caught.value.message.startswith(f"{tmp_path / 'retarget.yaml'}: {said}")


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("groundplane_joint", "Toe", "groundplane_joint: the motion has no joint 'Toe'"),
        (
            "forward_perp_joint_vectors",
            [["LeftArm", "Arm"]],
            "forward_perp_joint_vectors[0][1]: the motion has no joint 'Arm'",
        ),
    ],
)
def test_name_in_the_motion_file_is_checked_too(
    path: str, value: Any, said: str, tmp_path: Path
) -> None:
    write_files(tmp_path)
    (tmp_path / "motion.yaml").write_text(yaml.dump(changed(MOTION, path, value)))
    with pytest.raises(InvalidMotion) as caught:
        map_from_rules(*read(tmp_path))
    assert caught.value.message.startswith(f"{tmp_path / 'motion.yaml'}: {said}")


def test_joints_that_no_figure_has_to_have_are_not_asked_for(tmp_path: Path) -> None:
    write_files(tmp_path)
    rules, clip, motion, _ = read(tmp_path)
    sack = Skeleton(
        joints=(
            Joint(name="root", parent=None, x=30, y=70),
            Joint(name="torso", parent="root", x=30, y=30),
        )
    )
    assert map_from_rules(rules, clip, motion, sack).groups
