"""Angles of bones to positions of joints; bones keep their lengths."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from animator.core.pose import PoseSequence
from animator.core.rig import Rig
from animator.core.skeleton import joint_positions

__all__ = ("JointTrack", "pose_joints", "rest_joints")

NO_LENGTH = 1e-6
"""A bone shorter than this has no direction, world units."""


@dataclass(frozen=True, slots=True, eq=False)
class JointTrack:
    """Where the bones of a figure go.

    Attributes:
        places: (F, J, 2) float64, world space, of each joint.
        turns: (F, J) float64, radians counter-clockwise, of the bone that ends in each joint,
            away from its rest pose.
    """

    places: NDArray[np.float64]
    turns: NDArray[np.float64]


def rest_joints(rig: Rig) -> NDArray[np.float64]:
    """Positions of the joints in the rest pose: (J, 2) float64, world space."""
    return rig.to_world.apply(joint_positions(rig.skeleton)).astype(np.float64)


def pose_joints(
    rest: NDArray[np.float64], parents: tuple[int, ...], poses: PoseSequence
) -> JointTrack:
    """Walk the skeleton from the root outwards, all frames at once.

    rest: (J, 2) float64, world space.
    parents: J indices, parents before children, -1 for the root.
    """
    frames = len(poses.root)
    places = np.zeros((frames, len(parents), 2))
    turns = np.zeros((frames, len(parents)))
    places[:, 0] = rest[0] + poses.root
    turns[:, 0] = np.nan_to_num(poses.angles[:, 0])
    for joint, parent in enumerate(parents[1:], start=1):
        bone = rest[joint] - rest[parent]
        turns[:, joint] = turns[:, parent]
        if np.hypot(*bone) > NO_LENGTH:
            driven = poses.angles[:, joint] - np.arctan2(-bone[0], bone[1])
            turns[:, joint] = np.where(np.isnan(driven), turns[:, joint], driven)
        cosine, sine = np.cos(turns[:, joint]), np.sin(turns[:, joint])
        places[:, joint, 0] = places[:, parent, 0] + cosine * bone[0] - sine * bone[1]
        places[:, joint, 1] = places[:, parent, 1] + sine * bone[0] + cosine * bone[1]
    return JointTrack(places=places, turns=turns)
