"""Rig and poses to the moved vertices of the whole clip."""

import numpy as np
from numpy.typing import NDArray

from animator.core.pose import PoseSequence, VertexTrack
from animator.core.rig import Rig
from animator.rigging.arap import precompute, solve
from animator.rigging.handles import handle_places, rig_handles
from animator.rigging.kinematics import pose_joints, rest_joints

__all__ = ("deform",)

ROUNDS = 3
"""Rounds of turning edges and solving; more keep limbs rounder at sharp bends."""


def deform(rig: Rig, poses: PoseSequence) -> VertexTrack:
    """Move the mesh of a figure through all frames at once.

    Raises:
        ValueError: when the poses are of another skeleton.
    """
    count = len(rig.skeleton.joints)
    if poses.angles.shape[1] != count:
        msg = f"expected angles for {count} joints, got {poses.angles.shape[1]}"
        raise ValueError(msg)
    rest = rest_joints(rig)
    track = pose_joints(rest, rig.skeleton.parents, poses)
    arap = precompute(rig.mesh, rig_handles(rig, rest))
    group_of_joint = _groups(rig, poses.groups)
    return VertexTrack(
        fps=poses.fps,
        vertices=solve(arap, handle_places(rig, rest, track), ROUNDS),
        group_of=group_of_joint[rig.bone_of],
        order=np.argsort(poses.depths, axis=1, kind="stable").astype(np.int16),
    )


def _groups(rig: Rig, groups: tuple[tuple[str, ...], ...]) -> NDArray[np.int16]:
    """The limb group of each joint's bone; one that is in no group goes with its parent."""
    named = {name: place for place, names in enumerate(groups) for name in names}
    found = np.zeros(len(rig.skeleton.joints), dtype=np.int16)
    for i, (joint, parent) in enumerate(
        zip(rig.skeleton.joints, rig.skeleton.parents, strict=True)
    ):
        found[i] = named.get(joint.name, found[max(parent, 0)])
    return found
