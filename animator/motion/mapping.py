"""Any motion's joints to a RetargetMap: by their names, else by the shape of the tree.

What a map file says comes first. It is TOML, and every part of it may be left out:

    up = "+z"                       # else found out: where the head is, seen from the feet
    turns = true                    # the whole figure turns with the hips: tumbling, lying down

    [joints]                        # which joint of the motion is which; "" is: there is none
    left_hand = "Bone.012"

    [planes]                        # frontal, sagittal or principal (what moves most)
    arms = "frontal"

    [bones]                         # further bones of the drawn skeleton, by their far joint
    tail = { near = "Spine", far = "Chest", relative = true, lag = 0.2 }
"""

from collections.abc import Mapping
from dataclasses import replace

import msgspec
import numpy as np

from animator.core.errors import InvalidMotion, UnmappedMotion
from animator.core.motion import BoneSource, LimbGroup, Motion, Plane, RetargetMap
from animator.motion.bvh import Up
from animator.motion.kinematics import joint_index, joint_paths
from animator.motion.names import CENTRES, LIMBS, SIDES, candidates
from animator.motion.rotations import multiply, rotate, turn_about
from animator.motion.shape import Tree, find_head, find_shape

__all__ = ("AUTOMATIC", "ROLES", "MapFile", "Planes", "build_map", "map_joints", "turn_upright")

ROLES = (
    *("hips", "chest", "neck", "head"),
    *(f"{side}_{part}" for side in SIDES for limb in LIMBS for part in limb),
)
"""What a joint of a motion can be to a drawn figure."""

_NEEDED = ROLES[4:]
_TRUNK = ("hip", "torso", "neck", "left_shoulder", "right_shoulder", "left_hip", "right_hip")


class Planes(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """In which plane each part of the body is seen; "principal" is the one it moves most in."""

    arms: Plane = "principal"
    legs: Plane = "principal"
    trunk: Plane = "frontal"


class MapFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a person says of a motion; what is left out is found out.

    Attributes:
        up: the axis of the file that points upwards.
        turns: whether the whole figure turns with the hips.
        joints: role -> joint of the motion; an empty name is a role that no joint has.
        planes: of arms, legs and trunk.
        bones: further bones of the drawn skeleton, by their far joint.
    """

    up: Up | None = None
    turns: bool = False
    joints: dict[str, str] = {}
    planes: Planes = Planes()
    bones: dict[str, BoneSource] = {}


AUTOMATIC = MapFile()


def map_joints(motion: Motion, given: Mapping[str, str]) -> dict[str, str]:
    """Role -> joint of the motion; a role that no joint has is left out.

    given: what is known beforehand; an empty name is a role that no joint has.

    Raises:
        InvalidMotion: when a joint of an arm or leg cannot be told, or a given joint is not there.
    """
    unknown = sorted(given.keys() - set(ROLES))
    if unknown:
        msg = f"{', '.join(unknown):.100} cannot be mapped; what can is {', '.join(ROLES)}"
        raise InvalidMotion(msg)
    found = {role: joint_index(motion, name) for role, name in given.items() if name}
    tree = Tree.of(motion)
    for side in SIDES:
        for limb in LIMBS:
            found = _named_limb(motion, tree, [f"{side}_{part}" for part in limb]) | found
    wanted = [role for role in _NEEDED if role not in found and given.get(role) != ""]
    if wanted:
        shape = find_shape(motion)
        found |= {role: shape[role] for role in wanted if role in shape}
        _refuse_missing(motion, [role for role in wanted if role not in shape])
    found = _trunk(motion, tree, found) | found
    return {
        role: motion.joints[found[role]]
        for role in ROLES
        if role in found and given.get(role) != ""
    }


def build_map(roles: Mapping[str, str], options: MapFile = AUTOMATIC) -> RetargetMap:
    """How a drawn skeleton follows a motion whose joints are known."""
    legs = [[f"{side}_{part}" for part in LIMBS[1]] for side in SIDES]
    bones = {"torso": ("hips", "chest"), "neck": ("neck", "head")}
    if options.turns:
        bones["root"] = ("hips", "chest")
    for side in SIDES:
        for upper, middle, end in LIMBS:
            bones[f"{side}_{middle}"] = (f"{side}_{upper}", f"{side}_{middle}")
            bones[f"{side}_{end}"] = (f"{side}_{middle}", f"{side}_{end}")
    return RetargetMap(
        bones={
            bone: BoneSource(near=roles[near], far=roles[far])
            for bone, (near, far) in bones.items()
            if near in roles and far in roles
        }
        | options.bones,
        groups=_groups(roles, options.planes),
        root=roles["hips"],
        legs=tuple(tuple(roles[r] for r in leg) for leg in legs if all(r in roles for r in leg)),
        forward=tuple(
            (roles[f"right_{part}"], roles[f"left_{part}"])
            for part in ("shoulder", "hip")
            if f"right_{part}" in roles and f"left_{part}" in roles
        ),
    )


def turn_upright(motion: Motion, roles: Mapping[str, str], up: Up | None) -> Motion:
    """The same motion with y upwards.

    up: the axis that points upwards in it; None looks where the head is, seen from the feet.
    """
    if up is None:
        paths = joint_paths(motion)
        high = roles.get("head", roles["hips"])
        feet = [joint_index(motion, roles[f"{s}_foot"]) for s in SIDES if f"{s}_foot" in roles]
        low = paths[:, feet] if feet else paths[:, [0]]
        _, y, z = np.abs((paths[:, joint_index(motion, high)] - low.mean(axis=1)).mean(axis=0))
        up = "+z" if z > y else "+y"
    if up == "+y":
        return motion
    upright = turn_about("X", np.array(-np.pi / 2))
    turns = motion.rotations.astype(np.float64)
    turns[:, 0] = multiply(upright, turns[:, 0])
    root = rotate(upright, motion.root.astype(np.float64))
    return replace(motion, root=root.astype(np.float32), rotations=turns.astype(np.float32))


def _named_limb(motion: Motion, tree: Tree, roles: list[str]) -> dict[str, int]:
    """The three joints of a limb by their names, when each lies on the way to the next."""
    side = next(s for s in SIDES if roles[0].startswith(s))
    upper, middle, end = (
        candidates(motion.joints, side, part)
        for part in next(limb for limb in LIMBS if limb[0] == roles[0].removeprefix(f"{side}_"))
    )
    for e in end:
        way = tree.line(e)[:-1]
        for m in (joint for joint in middle if joint in way):
            # A thigh or upper arm without a name of its own is where the middle's bone begins.
            line = tree.line(m)[:-1]
            above = [*(joint for joint in upper if joint in line), *line[-1:]]
            if above:
                return dict(zip(roles, (above[0], m, e), strict=True))
    return {}


def _trunk(motion: Motion, tree: Tree, found: Mapping[str, int]) -> dict[str, int]:
    """Hips where the legs part, chest where the arms do, the head on top."""
    trunk: dict[str, int] = {}
    for role, part in (("hips", "hip"), ("chest", "shoulder")):
        ends = [found[f"{side}_{part}"] for side in SIDES if f"{side}_{part}" in found]
        if len(ends) == 2:
            trunk[role] = tree.parting(*ends)
    named = {part: candidates(motion.joints, "", part) for part in CENTRES}
    trunk.setdefault("hips", (*named["hips"], 0)[0])
    head = (*named["head"], *_heads(tree, trunk, found))
    if head:
        trunk["head"] = head[0]
        line = tree.line(head[0])[:-1]
        neck = [joint for joint in named["neck"] if joint in line] or line[-1:]
        trunk |= {"neck": min(neck)} if neck else {}
        if "chest" not in trunk and len(line) > 1:
            trunk["chest"] = line[line.index(trunk["neck"]) - 1]
    return trunk


def _heads(tree: Tree, trunk: Mapping[str, int], found: Mapping[str, int]) -> list[int]:
    hands = [found[f"{side}_hand"] for side in SIDES if f"{side}_hand" in found]
    head = find_head(tree, trunk["chest"], hands) if "chest" in trunk else None
    return [] if head is None else [head]


def _refuse_missing(motion: Motion, missing: list[str]) -> None:
    if missing:
        names = ", ".join(name[:20] for name in motion.joints[:12])
        names += ", ..." if len(motion.joints) > 12 else ""
        msg = (
            f"it cannot be told which joints of {motion.name!r} are {', '.join(missing)}; say so "
            f"under [joints] in a map file (--map). Its joints are {names}."
        )
        raise UnmappedMotion(msg, tuple(missing))


def _groups(roles: Mapping[str, str], planes: Planes) -> tuple[LimbGroup, ...]:
    trunk = LimbGroup(
        name="trunk",
        bones=_TRUNK,
        plane=planes.trunk,
        depth_driver=roles["hips"],
        plane_joints=tuple(roles[r] for r in ("hips", "chest", "neck", "head") if r in roles),
    )
    groups = [trunk]
    for limb, name, plane in zip(LIMBS, ("arm", "leg"), (planes.arms, planes.legs), strict=True):
        both = [f"{side}_{part}" for side in SIDES for part in limb]
        groups += [
            LimbGroup(
                name=f"{side}_{name}",
                bones=(f"{side}_{limb[1]}", f"{side}_{limb[2]}"),
                plane=plane,
                depth_driver=roles.get(f"{side}_{limb[2]}", roles["hips"]),
                plane_joints=tuple(roles[role] for role in both if role in roles),
            )
            for side in SIDES
        ]
    return tuple(groups)
