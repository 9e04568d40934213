"""A map for two arms and two legs, fitted to any drawn skeleton.

Limbs beyond the four are known by their names ("left_hand3", "right_knee_f", "left_wing"), or else
by where they are drawn. What drives them:

    further arms     the arm of their side, each a little later than the one before
    further legs     a leg: the one of the other side for every second, as four-footed animals trot
    a nameless back  the hips to the chest, up to where it parts for the last time; beyond, the neck
    wings            the arm of their side, where the figure has no arms
    anything else    nothing: it swings behind what it hangs on (`sway.py`)

A figure with such limbs whose trunk is drawn lying, as animals are, keeps it so: it is only tilted
as the motion's trunk is. It faces the way its head is.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import msgspec

from animator.core.motion import BoneSource, LimbGroup, RetargetMap
from animator.core.skeleton import Joint, Skeleton

__all__ = ("fit_map",)

Kind = Literal["arm", "leg", "wing", "other"]

_LIMB_BONES = {"arm": ("elbow", "hand"), "leg": ("knee", "foot")}
_LATER = 0.1  # seconds from one arm of a side to the next
_PARTS: dict[str, Kind] = {
    **dict.fromkeys(("shoulder", "elbow", "hand", "arm", "forearm", "wrist"), "arm"),
    **dict.fromkeys(("hip", "knee", "foot", "leg", "thigh", "shin", "ankle", "paw", "hoof"), "leg"),
    "wing": "wing",
    **dict.fromkeys(("tail", "ear", "hair", "horn", "antenna", "fin", "beard", "scarf"), "other"),
}
_LOW = 0.15  # of the figure's height: what ends so far below the root is a leg
_LONG = 0.2  # of the figure's height: what is as long, no leg, and not on the root is an arm


@dataclass(frozen=True, slots=True)
class _Limb:
    """A chain of drawn joints that hangs on the rest of the skeleton.

    Attributes:
        joints: from the body outwards; where limbs part, the first child only.
        kind: what it is.
        side: "left" or "right", the figure's own.
        parent: the joint that it hangs on.
    """

    joints: tuple[Joint, ...]
    kind: Kind
    side: str
    parent: Joint


def fit_map(retarget_map: RetargetMap, skeleton: Skeleton) -> RetargetMap:
    """The same map with drivers for all limbs of this skeleton, and groups of their own for them.

    A skeleton that has no joints beyond those the map knows gets the map as it is.
    """
    trunk = _nameless_trunk(retarget_map, skeleton)
    limbs = _strange_limbs(retarget_map, skeleton, trunk)
    if not limbs and not trunk:
        return retarget_map
    bones = retarget_map.bones | trunk
    groups = list(retarget_map.groups)
    for limb, source_side, lag in _drivers(limbs, skeleton):
        base = _LIMB_BONES["leg" if limb.kind == "leg" else "arm"]
        upper, lower = (retarget_map.bones.get(f"{source_side}_{part}") for part in base)
        if upper is not None and lower is not None:
            driven = _drive(limb, upper, lower, lag)
            bones |= driven
            groups.append(_group(retarget_map, limb, f"{source_side}_{base[1]}", tuple(driven)))
    fitted = msgspec.structs.replace(retarget_map, bones=bones, groups=tuple(groups))
    return _laid_down(fitted, skeleton) if _lies(skeleton) else fitted


def _nameless_trunk(retarget_map: RetargetMap, skeleton: Skeleton) -> dict[str, BoneSource]:
    """Sources of the bones from the root to the highest end, where none has a known name."""
    names = [joint.name for joint in skeleton.joints]
    torso, neck = (retarget_map.bones.get(bone) for bone in ("torso", "neck"))
    if torso is None or neck is None or {"torso", "neck"} & set(names):
        return {}
    joints, parents = skeleton.joints, skeleton.parents
    line = [min(range(len(joints)), key=lambda joint: joints[joint].y)]
    while parents[line[-1]] >= 0:
        line.append(parents[line[-1]])
    line = line[::-1]
    root, top = joints[0], joints[line[-1]]
    if root.y - top.y <= abs(root.x - top.x):
        return {}
    parts = [i for i, joint in enumerate(line[1:-1], start=1) if parents.count(joint) > 1]
    chest = parts[-1] if parts else (len(line) - 1) // 2
    return {names[joint]: torso if i <= chest else neck for i, joint in enumerate(line) if i}


def _strange_limbs(
    retarget_map: RetargetMap, skeleton: Skeleton, trunk: Collection[str]
) -> list[_Limb]:
    """The chains of joints that the map does not know, where they hang on those it does."""
    known = {bone for group in retarget_map.groups for bone in group.bones}
    known |= {*retarget_map.bones, *trunk, skeleton.joints[0].name}
    children: dict[str, list[Joint]] = {}
    places = {joint.name: joint for joint in skeleton.joints}
    for joint in skeleton.joints[1:]:
        children.setdefault(str(joint.parent), []).append(joint)
    limbs = []
    for joint in skeleton.joints[1:]:
        if joint.name not in known and joint.parent in known:
            chain = [joint]
            while chain[-1].name in children:
                chain.append(children[chain[-1].name][0])
            limbs.append(_limb(tuple(chain), places[joint.parent], skeleton))
    return limbs


def _limb(chain: tuple[Joint, ...], parent: Joint, skeleton: Skeleton) -> _Limb:
    named = [_kind_of(joint.name) for joint in chain]
    kinds = [kind for kind in named if kind is not None]
    kind = kinds[0] if kinds else _kind_by_place(chain, parent, skeleton)
    sides = [side for side in ("left", "right") if chain[0].name.startswith(side)]
    # Seen from the front, the figure's left is on the right.
    drawn = "left" if chain[-1].x >= skeleton.joints[0].x else "right"
    return _Limb(chain, kind, (*sides, drawn)[0], parent)


def _kind_of(name: str) -> Kind | None:
    words = re.findall(r"[a-z]+", name.lower())
    return next((_PARTS[word] for word in words if word in _PARTS), None)


def _kind_by_place(chain: Sequence[Joint], parent: Joint, skeleton: Skeleton) -> Kind:
    ys = [joint.y for joint in skeleton.joints]
    height = max(ys) - min(ys)
    line = (parent, *chain)
    length = sum(((b.x - a.x) ** 2 + (b.y - a.y) ** 2) ** 0.5 for a, b in pairwise(line))
    if chain[-1].y - skeleton.joints[0].y > _LOW * height:
        return "leg"
    hangs_high = parent.parent is not None
    return "arm" if hangs_high and len(chain) > 1 and length > _LONG * height else "other"


def _drivers(limbs: list[_Limb], skeleton: Skeleton) -> list[tuple[_Limb, str, float]]:
    """Each driven limb, the side of the motion's limb that drives it, and by how long it lags."""
    names = {joint.name for joint in skeleton.joints}
    head = _head(skeleton)
    has_arms = any(f"{side}_hand" in names for side in ("left", "right"))
    has_arms = has_arms or any(limb.kind == "arm" for limb in limbs)
    found = []
    for side, other in (("left", "right"), ("right", "left")):
        own = [limb for limb in limbs if limb.side == side]
        arms = [limb for limb in own if limb.kind == ("arm" if has_arms else "wing")]
        first = int(f"{side}_hand" in names)
        found += [(limb, side, _LATER * (first + i)) for i, limb in enumerate(arms)]
        legs = [limb for limb in own if limb.kind == "leg"]
        if _lies(skeleton):
            legs.sort(key=lambda limb: -abs(limb.joints[0].x - head.x))  # the hindmost first
        first = int(f"{side}_foot" in names)
        found += [(limb, (side, other)[(first + i) % 2], 0.0) for i, limb in enumerate(legs)]
    return found


def _head(skeleton: Skeleton) -> Joint:
    places = {joint.name: joint for joint in skeleton.joints}
    return places.get("neck", places.get("torso", skeleton.joints[0]))


def _lies(skeleton: Skeleton) -> bool:
    """Whether the trunk is drawn nearer to level than to upright."""
    root, head = skeleton.joints[0], _head(skeleton)
    return abs(head.x - root.x) > root.y - head.y


def _drive(limb: _Limb, upper: BoneSource, lower: BoneSource, lag: float) -> dict[str, BoneSource]:
    """Sources of the limb's bones: the nearer half follows the upper stretch, the rest the lower.

    A shoulder, a hip, the root of a wing are part of the body; a limb of a single bone follows the
    whole of the driver.
    """
    later = {"lag": max(upper.lag, lag)}
    upper, lower = (msgspec.structs.replace(source, **later) for source in (upper, lower))
    joints = limb.joints
    is_rooted = limb.kind == "wing" and len(joints) > 1
    if is_rooted or len(joints) > 2 or _is_fork(joints[0].name):
        joints = joints[1:]
    if len(joints) == 1:
        return {joints[0].name: msgspec.structs.replace(upper, far=lower.far)}
    half = len(joints) / 2
    return {j.name: upper if i < half else lower for i, j in enumerate(joints)}


def _is_fork(name: str) -> bool:
    words = re.findall(r"[a-z]+", name.lower())
    return bool({"shoulder", "hip"} & set(words))


def _group(retarget_map: RetargetMap, limb: _Limb, like: str, bones: tuple[str, ...]) -> LimbGroup:
    """A group for the limb, in the plane and at the depth of the one that moves as it does."""
    like_it = [group for group in retarget_map.groups if like in group.bones]
    model = (*like_it, retarget_map.groups[0])[0]
    return msgspec.structs.replace(model, name=limb.joints[0].name, bones=bones)


def _laid_down(retarget_map: RetargetMap, skeleton: Skeleton) -> RetargetMap:
    """For a body that lies: the trunk as it is drawn, only tilted; facing where its head is."""
    bones = retarget_map.bones | {
        bone: msgspec.structs.replace(retarget_map.bones[bone], relative=True)
        for bone in ("torso", "neck")
        if bone in retarget_map.bones
    }
    left = (_head(skeleton).x < skeleton.joints[0].x) != retarget_map.faces_left
    return msgspec.structs.replace(retarget_map, bones=bones, faces_left=left)
