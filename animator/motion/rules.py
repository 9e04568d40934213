"""Rules as AnimatedDrawings' files give them, for one figure and one motion: a RetargetMap."""

from collections.abc import Collection, Iterator, Sequence

from animator.core.errors import InvalidMotion
from animator.core.motion import BoneSource, LimbGroup, Motion, RetargetMap
from animator.core.script import AboveCheck, BvhClip, DrawnPart, PlaneGroup, RetargetRules
from animator.core.skeleton import BIPED_PARENTS, Skeleton
from animator.motion.nearest import nearest

__all__ = ("map_from_rules",)


def map_from_rules(
    rules: RetargetRules, clip: BvhClip, motion: Motion, skeleton: Skeleton
) -> RetargetMap:
    """How a figure follows a motion.

    Joints of the usual figure that this one lacks are left out, as are the bones that a check
    finds drawn below their line.

    Args:
        rules: name joints of both.
        clip: names the joints across the body.
        motion: the clip, as it was read.
        skeleton: the drawn one.

    Raises:
        InvalidMotion: with the file and the path of the field that names a joint there is not.
    """
    for field, name in _joints_of_motion(rules, clip):
        _check(name, motion.joints, field, "motion")
    for field, name in _joints_of_figure(rules):
        if name not in BIPED_PARENTS:
            _check(name, [joint.name for joint in skeleton.joints], field, "figure")
    _check_planes(rules)
    low = {check.joint for check in rules.checks if _is_below(check, skeleton)}
    bones = {bone: pair for bone, pair in rules.bones.items() if bone not in low}
    groups = tuple(_groups(rules))
    return RetargetMap(
        bones={bone: BoneSource(near=near, far=far) for bone, (near, far) in bones.items()},
        groups=groups,
        root=motion.joints[0],
        legs=tuple(tuple(reversed(leg)) for leg in rules.legs),
        forward=tuple((right, left) for left, right in clip.forward),
        path_group=_path_group(rules, groups),
    )


def _groups(rules: RetargetRules) -> Iterator[LimbGroup]:
    """A limb group a drawn part; several where its bones are seen on several planes.

    A bone is seen on the plane of the joint of the motion at its far end.
    """
    plane_of = _plane_of(rules)
    for number, part in enumerate(rules.parts):
        own = plane_of[part.drivers[0]]
        seen: dict[str, list[str]] = {own.name: []}
        for joint in part.joints:
            plane = plane_of[rules.bones[joint][1]] if joint in rules.bones else own
            seen.setdefault(plane.name, []).append(joint)
        for name, joints in seen.items():
            if joints:
                yield _group(f"{number} {name}", joints, part, rules, name)


def _group(
    name: str, joints: list[str], part: DrawnPart, rules: RetargetRules, plane: str
) -> LimbGroup:
    (found,) = [group for group in rules.planes if group.name == plane]
    return LimbGroup(
        name=name,
        bones=tuple(joints),
        plane=found.plane,
        depth_driver=part.drivers[0],
        more_drivers=part.drivers[1:],
        plane_joints=found.joints,
    )


def _path_group(rules: RetargetRules, groups: Sequence[LimbGroup]) -> str | None:
    """A limb group that is seen on the plane of the path; None where no limb is."""
    (plane,) = [plane for plane in rules.planes if plane.name == rules.path_plane]
    return next((group.name for group in groups if group.plane_joints == plane.joints), None)


def _plane_of(rules: RetargetRules) -> dict[str, PlaneGroup]:
    """Of each joint of the motion; the last group that names it, as in AnimatedDrawings."""
    return {joint: group for group in rules.planes for joint in group.joints}


def _joints_of_motion(rules: RetargetRules, clip: BvhClip) -> Iterator[tuple[str, str]]:
    """Field, and the name of a joint of the motion that it gives."""
    here = f"{rules.where}: "
    planes, parts = [g.joints for g in rules.planes], [p.drivers for p in rules.parts]
    yield from _each(f"{clip.where}: forward_perp_joint_vectors", "", clip.forward)
    if clip.ground is not None:
        yield f"{clip.where}: groundplane_joint", clip.ground
    yield from _each(f"{here}bvh_projection_bodypart_groups", ".bvh_joint_names", planes)
    yield from _each(f"{here}char_bodypart_groups", ".bvh_depth_drivers", parts)
    yield from _each(f"{here}char_bvh_root_offset.bvh_joints", "", rules.legs)
    for bone, ends in rules.bones.items():
        for j, name in enumerate(ends):
            yield f"{here}char_joint_bvh_joints_mapping.{bone}[{j}]", name


def _joints_of_figure(rules: RetargetRules) -> Iterator[tuple[str, str]]:
    """Field, and the name of a joint of the drawn figure that it gives."""
    here = f"{rules.where}: "
    parts = [part.joints for part in rules.parts]
    yield from _each(f"{here}char_bodypart_groups", ".char_joints", parts)
    yield from _each(f"{here}char_bvh_root_offset.char_joints", "", rules.drawn_legs)
    for bone in rules.bones:
        yield f"{here}char_joint_bvh_joints_mapping.{bone}", bone
    checks = [("above", check.joint, check.start, check.end) for check in rules.checks]
    for field, name in _each(f"{here}char_runtime_checks", "", checks):
        if not field.endswith("[0]"):
            yield field, name


def _each(field: str, below: str, lists: Sequence[Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Every name of lists in lists, with the path of its field."""
    for i, names in enumerate(lists):
        for j, name in enumerate(names):
            yield f"{field}[{i}]{below}[{j}]", name


def _check(name: str, known: Collection[str], field: str, whose: str) -> None:
    if name not in known:
        msg = f"{field}: the {whose} has no joint {name!r}; {nearest(name, sorted(known))}"
        raise InvalidMotion(msg)


def _check_planes(rules: RetargetRules) -> None:
    """Every joint that is looked at is in a group of planes."""
    planes = _plane_of(rules)
    drivers = [part.drivers for part in rules.parts]
    asked = [*_each("char_bodypart_groups", ".bvh_depth_drivers", drivers)]
    asked += [(f"char_joint_bvh_joints_mapping.{b}[1]", far) for b, (_, far) in rules.bones.items()]
    for field, name in asked:
        if name not in planes:
            msg = (
                f"{rules.where}: {field}: {name!r} is in no group of "
                "bvh_projection_bodypart_groups, which says on what plane it is seen."
            )
            raise InvalidMotion(msg)


def _is_below(check: AboveCheck, skeleton: Skeleton) -> bool:
    """Whether a joint is drawn below (right of) the line from start to end; y is down here."""
    places = {joint.name: (joint.x, -joint.y) for joint in skeleton.joints}
    if not {check.joint, check.start, check.end} <= set(places):
        return False
    start, end, joint = places[check.start], places[check.end], places[check.joint]
    line = end[0] - start[0], end[1] - start[1]
    to_joint = joint[0] - start[0], joint[1] - start[1]
    return line[0] * to_joint[1] - line[1] * to_joint[0] < 0
