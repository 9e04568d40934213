"""Draw order: limbs that people want in front of everything, or behind everything."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from animator.core.annotation import Depth
from animator.core.pose import PoseSequence, group_of_joints
from animator.core.skeleton import Skeleton

__all__ = ("order_limbs",)


def order_limbs(
    poses: PoseSequence, skeleton: Skeleton, limbs: Mapping[str, Depth]
) -> PoseSequence:
    """The same poses with named limbs nearer than all others, or farther.

    Several limbs in front keep the order among themselves that the motion gives them, as do those
    behind. What is named but not there is passed over.

    limbs: by the joint at which each begins, "left_shoulder" for the arm; one named farther out
        goes its own way from there. The bone that ends in that joint is the body's, unless its
        whole limb group belongs to the limb, or the limb has no other: the neck.
    """
    groups = group_of_joints(poses, skeleton).tolist()
    keys = _limb_of_joints(groups, skeleton, limbs)
    if not any(keys):
        return poses
    found = sorted(set(zip(groups, keys, strict=True)))
    away = float(np.ptp(poses.depths)) + 1.0
    shifts = {"": 0.0} | {key: away if limbs[key] == "front" else -away for key in keys if key}
    depths = [poses.depths[:, group] + np.float32(shifts[key]) for group, key in found]
    names: dict[tuple[int, str], list[str]] = {pair: [] for pair in found}
    for joint, group, key in zip(skeleton.joints, groups, keys, strict=True):
        names[group, key].append(joint.name)
    return replace(
        poses,
        depths=np.stack(depths, axis=1).astype(np.float32),
        groups=tuple(tuple(names[pair]) for pair in found),
    )


def _limb_of_joints(groups: list[int], skeleton: Skeleton, limbs: Mapping[str, Depth]) -> list[str]:
    """The named limb that each joint's bone belongs to; an empty word for none."""
    nearest: list[str] = []
    for joint, parent in zip(skeleton.joints, skeleton.parents, strict=True):
        nearest.append(
            joint.name if joint.name in limbs else nearest[parent] if parent >= 0 else ""
        )
    found = list(nearest)
    for i, (joint, parent) in enumerate(zip(skeleton.joints, skeleton.parents, strict=True)):
        is_first = nearest[i] == joint.name
        if is_first and not _is_own(i, groups, skeleton):
            found[i] = nearest[parent] if parent >= 0 else ""
    return found


def _is_own(first: int, groups: list[int], skeleton: Skeleton) -> bool:
    """Whether the bone that ends in a limb's first joint goes with the limb."""
    inside = {first}
    for i, parent in enumerate(skeleton.parents):
        if parent in inside:
            inside.add(i)
    alike = {i for i, group in enumerate(groups) if group == groups[first]}
    return len(inside) == 1 or alike <= inside
