from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import yaml

from animator.core.errors import InvalidMotion
from animator.core.motion import BoneSource, Motion
from animator.motion.bvh import Up, read_bvh
from animator.motion.kinematics import joint_paths
from animator.motion.library import list_motions, load_motion
from animator.motion.mapping import (
    AUTOMATIC,
    ROLES,
    MapFile,
    Planes,
    build_map,
    map_joints,
    turn_upright,
)
from tests.unit.motion.bodies import BODY, Bones, renamed, stand

# Of each convention: hips, chest, neck, head; then collar, upper arm, forearm, hand, thigh, shank,
# foot, toe of the left, with * where the right has another word.
CONVENTIONS = {
    "Mixamo": "mixamorig:Hips mixamorig:Spine2 mixamorig:Neck mixamorig:Head mixamorig:*Shoulder "
    "mixamorig:*Arm mixamorig:*ForeArm mixamorig:*Hand mixamorig:*UpLeg mixamorig:*Leg "
    "mixamorig:*Foot mixamorig:*ToeBase",
    "CMU": "Hips Spine1 Neck Head *Shoulder *Arm *ForeArm *Hand *UpLeg *Leg *Foot *ToeBase",
    "CMU of MotionBuilder": "Hips Chest2 Neck Head *Collar *Shoulder *Elbow *Wrist *Hip *Knee "
    "*Ankle *Toe",
    "Rokoko": "Hips Spine4 Neck Head *Shoulder *Arm *ForeArm *Hand *Thigh *Shin *Foot *Toe",
    "Unity": "Hips UpperChest Neck Head *Shoulder *UpperArm *LowerArm *Hand *UpperLeg *LowerLeg "
    "*Foot *Toes",
    "3ds Max": "Bip01_Pelvis Bip01_Spine2 Bip01_Neck Bip01_Head Bip01_?_Clavicle Bip01_?_UpperArm "
    "Bip01_?_Forearm Bip01_?_Hand Bip01_?_Thigh Bip01_?_Calf Bip01_?_Foot Bip01_?_Toe0",
    "Rigify": "spine spine.003 spine.004 spine.006 shoulder.? upper_arm.? forearm.? hand.? thigh.? "
    "shin.? foot.? toe.?",
    "Unreal": "pelvis spine_03 neck_01 head clavicle_? upperarm_? lowerarm_? hand_? thigh_? calf_? "
    "foot_? ball_?",
    "VRM": "J_Bip_C_Hips J_Bip_C_UpperChest J_Bip_C_Neck J_Bip_C_Head J_Bip_?_Shoulder "
    "J_Bip_?_UpperArm J_Bip_?_LowerArm J_Bip_?_Hand J_Bip_?_UpperLeg J_Bip_?_LowerLeg "
    "J_Bip_?_Foot J_Bip_?_ToeBase",
    "Poser": "hip chest neck head ?Collar ?Shldr ?ForeArm ?Hand ?Thigh ?Shin ?Foot ?Toe",
    "SMPL": "Pelvis Spine3 Neck Head ?_Collar ?_Shoulder ?_Elbow ?_Wrist ?_Hip ?_Knee ?_Ankle "
    "?_Foot",
    "plain": "Hip Chest Neck Head * clavicle_* arm_* forearm_* hand_* thigh_* shin_* foot_* toe",
    "lower case": "hips chest neck head *collar *upperarm *lowerarm *hand *thigh *calf *foot *toe",
    "nothing": "a b c d ea?b fa?c ga?d ha?e ia?f ja?g ka?h la?i",
}
PARTS = ["collar", "shoulder", "elbow", "hand", "hip", "knee", "foot", "toe"]


def _named(words: str) -> Bones:
    """The body with the names of a convention."""
    centre, sided = words.split()[:4], words.replace("* ", "* ").split()[4:]
    if len(sided) > len(PARTS):  # "* clavicle_*": a side, a space, a part
        sided = [word.replace("_*", " *") for word in sided[1:]]
    names = dict(zip(["hips", "chest", "neck", "head"], centre, strict=True))
    for side in ("left", "right"):
        for part, word in zip(PARTS, sided, strict=True):
            letter = side[0] if word.startswith("?") and "_" not in word else side[0].upper()
            name = word.replace("*", side if word.islower() else side.title())
            names[f"{side}_{part}"] = name.replace("?", letter)
    return renamed(BODY, names)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_names_of_real_tools_are_mapped(convention: str) -> None:
    bones = _named(CONVENTIONS[convention])
    plain = [name for name, _, _ in renamed(BODY, {n: n for n in _kept()})]
    named = dict(zip(plain, [name for name, _, _ in bones], strict=True))
    assert map_joints(stand(bones), {}) == {role: named[role] for role in ROLES}


def _kept() -> list[str]:
    return [
        "hips",
        "chest",
        "neck",
        "head",
        *(f"{s}_{p}" for s in ("left", "right") for p in PARTS),
    ]


@pytest.mark.parametrize("name", [info.name for info in list_motions()])
def test_our_own_motions_are_mapped_as_their_map_says(name: str) -> None:
    motion, own = load_motion(name)
    found = build_map(map_joints(motion, {}))
    bones = {bone: source for bone, source in own.bones.items() if bone != "root"}
    assert (found.bones, found.root, found.legs) == (bones, own.root, own.legs)
    assert [(g.name, g.bones, g.depth_driver) for g in found.groups] == [
        (g.name, g.bones, g.depth_driver) for g in own.groups
    ]


PEER = [
    ("fair1/dab", "fair1_ppf", "dab"),
    ("fair1/zombie", "fair1_spf", "zombie"),
    ("cmu1/jumping_jacks", "cmu1_pfp", "jumping_jacks"),
    ("rokoko/jesse_dance", "mixamo_fff", "jesse_dance"),
]


class _Loader(yaml.SafeLoader):
    """Reads the peer's `!!python/tuple` as a list."""


def _sequence(loader: _Loader, node: yaml.SequenceNode) -> list[Any]:
    return loader.construct_sequence(node)


_Loader.add_constructor("tag:yaml.org,2002:python/tuple", _sequence)


@pytest.mark.parametrize(("path", "retarget", "motion"), PEER)
@pytest.mark.parametrize("nameless", [False, True], ids=["names", "shape alone"])
def test_real_files_are_mapped_as_their_author_did_by_hand(
    shared_data: Path, path: str, retarget: str, motion: str, nameless: bool
) -> None:
    folder = shared_data / "animated-drawings"
    clip = read_bvh((folder / f"bvh/{path}.bvh").read_bytes())
    config = yaml.load((folder / f"config/retarget/{retarget}.yaml").read_text(), _Loader)
    up = yaml.safe_load((folder / f"config/motion/{motion}.yaml").read_text())["up"]
    numbered = _without_names(clip) if nameless else clip
    roles = map_joints(numbered, {})
    names = dict(zip(numbered.joints, clip.joints, strict=True))
    ours = {
        bone: [names[source.near], names[source.far]]
        for bone, source in build_map(roles).bones.items()
    }
    theirs = {b: list(pair) for b, pair in config["char_joint_bvh_joints_mapping"].items()}
    # They let the neck follow the whole back; ours nods.
    del ours["neck"], theirs["neck"]
    assert ours == theirs
    turned = turn_upright(numbered, roles, None)
    assert (turned is numbered) == (up == "+y")
    asked = read_bvh((folder / f"bvh/{path}.bvh").read_bytes(), up=up)
    np.testing.assert_allclose(joint_paths(turned), joint_paths(asked), atol=1e-3)


def _without_names(motion: Motion) -> Motion:
    return Motion(
        name="nameless",
        fps=motion.fps,
        joints=tuple(f"Joint_{i}" for i in range(len(motion.joints))),
        parents=motion.parents,
        offsets=motion.offsets,
        root=motion.root,
        rotations=motion.rotations,
    )


def test_what_is_given_comes_first() -> None:
    given = {"left_hand": "left_finger", "head": "head End", "hips": "spine"}
    roles = map_joints(stand(BODY), given)
    assert {role: roles[role] for role in given} == given
    assert roles["left_elbow"] == "left_elbow"


def test_a_role_given_away_is_left_out_with_its_bones() -> None:
    armless = [bone for bone in BODY if "_" not in bone[0] or bone[0][-3:] in ("hip", "nee", "oot")]
    arms = ("shoulder", "elbow", "hand")
    gone = [f"{side}_{part}" for side in ("left", "right") for part in arms]
    roles = map_joints(stand(armless), dict.fromkeys(gone, "") | {"neck": ""})
    assert not set(gone) & roles.keys()
    assert (roles["chest"], roles["head"]) == ("chest", "head")
    retarget_map = build_map(roles)
    legs = {"left_knee", "left_foot", "right_knee", "right_foot"}
    assert set(retarget_map.bones) == legs | {"torso"}
    assert retarget_map.forward == (("right_hip", "left_hip"),)
    assert [group.depth_driver for group in retarget_map.groups[1:3]] == ["hips", "hips"]


def test_names_alone_make_no_limb_that_begins_at_the_root() -> None:
    # A hand whose forearm is the root has no upper arm; the shape is asked instead.
    bones: Bones = [("LeftForeArm", "", (0, 0, 0)), ("LeftHand", "LeftForeArm", (0.3, 0, 0))]
    with pytest.raises(InvalidMotion, match="left_shoulder"):
        map_joints(stand(bones), {})


def test_body_without_a_head_has_none() -> None:
    headless = [bone for bone in BODY if bone[0] not in ("neck", "head", "head End")]
    assert not {"neck", "head"} & map_joints(stand(headless), {}).keys()


def test_joints_that_cannot_be_told_are_named() -> None:
    lost = renamed(
        BODY, {name: name for name, _, _ in BODY if "left_" not in name or "hip" in name}
    )
    with pytest.raises(InvalidMotion) as refusal:
        map_joints(stand(lost), {})
    assert (
        "left_shoulder, left_elbow, left_hand, left_hip, left_knee, left_foot;"
        in refusal.value.message
    )
    assert "right_" not in refusal.value.message.split(";")[0]
    assert "[joints]" in refusal.value.message
    assert "hips, spine" in refusal.value.message


def test_a_given_joint_that_is_not_there_is_refused() -> None:
    with pytest.raises(InvalidMotion, match="no joint 'Paw'"):
        map_joints(stand(BODY), {"left_hand": "Paw"})


def test_a_role_that_no_body_has_is_refused_with_those_it_has() -> None:
    with pytest.raises(InvalidMotion, match=r"^tail, wing cannot be mapped; what can is hips, "):
        map_joints(stand(BODY), {"wing": "hips", "tail": "hips"})


def test_names_that_lie_on_different_limbs_are_not_believed() -> None:
    crossed = {name: name for name, _, _ in BODY}
    crossed["left_hand"], crossed["right_hand"] = "right_hand", "left_hand"
    roles = map_joints(stand(renamed(BODY, crossed)), {})
    assert roles["left_hand"] == "right_hand"  # by the shape: it ends the left arm


def test_planes_turns_and_further_bones_are_as_the_map_file_says() -> None:
    options = msgspec.toml.decode(
        b"""turns = true
            [planes]
            arms = "frontal"
            legs = "sagittal"
            [bones]
            tail = { near = "hips", far = "spine", relative = true, lag = 0.2 }""",
        type=MapFile,
    )
    retarget_map = build_map(map_joints(stand(BODY), options.joints), options)
    planes = [group.plane for group in retarget_map.groups]
    assert planes == ["frontal", "frontal", "frontal", "sagittal", "sagittal"]
    assert retarget_map.bones["root"] == BoneSource(near="hips", far="chest")
    assert retarget_map.bones["tail"] == BoneSource(
        near="hips", far="spine", relative=True, lag=0.2
    )
    assert "root" not in build_map(map_joints(stand(BODY), {}), AUTOMATIC).bones
    assert Planes() == AUTOMATIC.planes


@pytest.mark.parametrize("up", [None, "+z"])
def test_body_that_stands_along_z_is_turned_upright(up: Up | None) -> None:
    lying = [(name, parent, (x, -z, y)) for name, parent, (x, y, z) in BODY]
    motion = stand(lying)
    roles = {role: role for role in ROLES}
    turned = joint_paths(turn_upright(motion, roles, up))
    plain = joint_paths(stand(BODY))
    np.testing.assert_allclose(turned[0] - turned[0, 0], plain[0] - plain[0, 0], atol=1e-6)


def test_body_without_head_and_feet_keeps_its_up() -> None:
    motion = stand(BODY)
    assert turn_upright(motion, {"hips": "chest"}, None) is motion
    assert turn_upright(motion, {"hips": "hips"}, "+y") is motion
