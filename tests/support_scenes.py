"""Small files as AnimatedDrawings has them: a character, a motion, a retarget file, a scene."""

import copy
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import yaml

from animator.core.skeleton import BIPED_PARENTS

SIZE = (60, 120)
"""Width and height of the character."""

PLACES = {
    **{"root": (30, 70), "hip": (30, 70), "torso": (30, 30), "neck": (30, 14)},
    **{"right_shoulder": (22, 30), "right_elbow": (14, 34), "right_hand": (6, 38)},
    **{"left_shoulder": (38, 30), "left_elbow": (46, 34), "left_hand": (54, 38)},
    **{"right_hip": (24, 70), "right_knee": (24, 90), "right_foot": (24, 110)},
    **{"left_hip": (36, 70), "left_knee": (36, 90), "left_foot": (36, 110)},
}

BVH = """HIERARCHY
ROOT Hips
{
 OFFSET 0 0 0
 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
 JOINT Chest
 {
  OFFSET 0 50 0
  CHANNELS 3 Zrotation Xrotation Yrotation
%s
 }
%s
}
MOTION
Frames: 6
Frame Time: 0.1
%s
"""

JOINT = """ JOINT %s
 {
  OFFSET %s
  CHANNELS 3 Zrotation Xrotation Yrotation
%s }
"""

NAMES = ("LeftArm", "LeftElbow", "LeftHand", "RightArm", "RightElbow", "RightHand")
LEGS = ("LeftLeg", "LeftKnee", "LeftFoot", "RightLeg", "RightKnee", "RightFoot")


def _chain(names: tuple[str, ...], offsets: tuple[str, ...]) -> str:
    text = ""
    for name, offset in zip(reversed(names), reversed(offsets), strict=True):
        text = JOINT % (name, offset, text)
    return text


def bvh_text() -> str:
    """A person who lifts an arm, in six frames of a tenth of a second."""
    chest = _chain(("Neck",), ("0 30 0",))
    legs = ""
    for side, sign in (("Left", 1), ("Right", -1)):
        arm = tuple(f"{side}{part}" for part in ("Arm", "Elbow", "Hand"))
        chest += _chain(arm, (f"{10 * sign} 20 0", f"{25 * sign} 0 0", f"{25 * sign} 0 0"))
        leg = tuple(f"{side}{part}" for part in ("Leg", "Knee", "Foot"))
        legs += _chain(leg, (f"{10 * sign} 0 0", "0 -40 0", "0 -40 0"))
    count = (BVH % (chest, legs, "")).count("CHANNELS 3")
    rows = []
    for frame in range(6):
        turns = ["0"] * (3 * count)
        turns[3 * 2] = str(10 * frame)  # Chest, Neck, then the left arm
        rows.append(" ".join(["0", "80", "0", "0", "0", "0", *turns]))
    return BVH % (chest, legs, "\n".join(rows))


MOTION: dict[str, Any] = {
    "filepath": "wave.bvh",
    "start_frame_idx": 0,
    "end_frame_idx": None,
    "groundplane_joint": "LeftFoot",
    "forward_perp_joint_vectors": [["LeftArm", "RightArm"], ["LeftLeg", "RightLeg"]],
    "scale": 0.01,
    "up": "+y",
}

RETARGET: dict[str, Any] = {
    "char_starting_location": [0.0, 0.0, -0.5],
    "bvh_projection_bodypart_groups": [
        {"name": "Arms", "method": "frontal", "bvh_joint_names": list(NAMES)},
        {"name": "Legs", "method": "pca", "bvh_joint_names": list(LEGS)},
        {"name": "Trunk", "method": "frontal", "bvh_joint_names": ["Hips", "Chest", "Neck"]},
    ],
    "char_bodypart_groups": [
        {
            "bvh_depth_drivers": ["Hips"],
            "char_joints": [
                *("right_shoulder", "left_shoulder", "right_hip", "left_hip"),
                *("hip", "torso", "neck"),
            ],
        },
        {"bvh_depth_drivers": ["LeftHand"], "char_joints": ["left_elbow", "left_hand"]},
        {"bvh_depth_drivers": ["RightHand"], "char_joints": ["right_elbow", "right_hand"]},
        {"bvh_depth_drivers": ["LeftFoot"], "char_joints": ["left_knee", "left_foot"]},
        {"bvh_depth_drivers": ["RightFoot"], "char_joints": ["right_knee", "right_foot"]},
    ],
    "char_bvh_root_offset": {
        "bvh_projection_bodypart_group_for_offset": "Legs",
        "bvh_joints": [["RightFoot", "RightKnee", "RightLeg"], ["LeftFoot", "LeftKnee", "LeftLeg"]],
        "char_joints": [
            ["left_foot", "left_knee", "left_hip"],
            ["right_foot", "right_knee", "right_hip"],
        ],
    },
    "char_joint_bvh_joints_mapping": {
        "left_elbow": ("LeftArm", "LeftElbow"),
        "left_hand": ("LeftElbow", "LeftHand"),
        "right_elbow": ("RightArm", "RightElbow"),
        "right_hand": ("RightElbow", "RightHand"),
        "left_knee": ("LeftLeg", "LeftKnee"),
        "left_foot": ("LeftKnee", "LeftFoot"),
        "right_knee": ("RightLeg", "RightKnee"),
        "right_foot": ("RightKnee", "RightFoot"),
        "torso": ("Hips", "Chest"),
        "neck": ("Hips", "Neck"),
    },
    "char_runtime_checks": [["above", "neck", "right_shoulder", "left_shoulder"]],
}

SCENE: dict[str, Any] = {
    "scene": {
        "ANIMATED_CHARACTERS": [
            {
                "character_cfg": "bob/char_cfg.yaml",
                "motion_cfg": "motion.yaml",
                "retarget_cfg": "retarget.yaml",
            }
        ]
    },
    "view": {"WINDOW_DIMENSIONS": [80, 80]},
    "controller": {"MODE": "video_render", "OUTPUT_VIDEO_PATH": "video.gif"},
}


def write_files(folder: Path) -> Path:
    """All the files of one scene; returns that of the scene itself."""
    bob = folder / "bob"
    bob.mkdir(parents=True)
    joints = [
        {"name": name, "parent": parent, "loc": list(PLACES[name])}
        for name, parent in BIPED_PARENTS.items()
    ]
    width, height = SIZE
    config = {"width": width, "height": height, "skeleton": joints}
    (bob / "char_cfg.yaml").write_text(yaml.safe_dump(config))
    mask = np.zeros((height, width), np.uint8)
    for name, parent in BIPED_PARENTS.items():
        if parent is not None:
            cv2.line(mask, PLACES[parent], PLACES[name], (255,), 8)
    cv2.imwrite(str(bob / "mask.png"), mask)
    texture = np.full((height, width, 4), 255, np.uint8)
    texture[mask > 0, :3] = (160, 90, 40)
    cv2.imwrite(str(bob / "texture.png"), texture)
    (folder / "wave.bvh").write_text(bvh_text())
    (folder / "motion.yaml").write_text(yaml.safe_dump(MOTION))
    # as there: pairs are written with the tag !!python/tuple
    (folder / "retarget.yaml").write_text(yaml.dump(RETARGET))
    (folder / "scene.yaml").write_text(yaml.safe_dump(SCENE))
    return folder / "scene.yaml"


def changed(original: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy with one field set; `path` is such as "scene.ANIMATED_CHARACTERS.0.motion_cfg"."""
    made = copy.deepcopy(original)
    place: Any = made
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    for part in way:
        place = place.setdefault(part, {}) if isinstance(part, str) else place[part]
    place[last] = value
    return made
