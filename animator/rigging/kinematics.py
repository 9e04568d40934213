"""Positions of a rig's joints; `pose_joints` moves them."""

import numpy as np
from numpy.typing import NDArray

from animator.core.pose import JointTrack, joint_positions, pose_joints
from animator.core.rig import Rig

__all__ = ("JointTrack", "pose_joints", "rest_joints")


def rest_joints(rig: Rig) -> NDArray[np.float64]:
    """Positions of the joints in the rest pose: (J, 2) float64, world space."""
    return rig.to_world.apply(joint_positions(rig.skeleton)).astype(np.float64)
