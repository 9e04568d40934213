"""Where the joints of a motion are, frame by frame; and cutting a motion to some of its frames."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from animator.core.errors import InvalidMotion
from animator.core.motion import Motion
from animator.motion.nearest import nearest
from animator.motion.rotations import multiply, rotate

__all__ = ("joint_index", "joint_paths", "trim")


def joint_paths(motion: Motion) -> NDArray[np.float64]:
    """Places of all joints: (F, J, 3) float64, metres, y up."""
    turns = motion.rotations.astype(np.float64)
    offsets = motion.offsets.astype(np.float64)
    paths = np.empty((*turns.shape[:2], 3))
    paths[:, 0] = motion.root
    for joint in range(1, len(motion.joints)):
        parent = motion.parents[joint]
        paths[:, joint] = paths[:, parent] + rotate(turns[:, parent], offsets[joint])
        turns[:, joint] = multiply(turns[:, parent], turns[:, joint])
    return paths


def joint_index(motion: Motion, name: str) -> int:
    """Place of a joint in the order of the motion.

    Raises:
        InvalidMotion: when there is no joint of that name.
    """
    if name not in motion.joints:
        hint = nearest(name, motion.joints)
        msg = f"the motion {motion.name!r} has no joint {name[:100]!r}; {hint}"
        raise InvalidMotion(msg)
    return motion.joints.index(name)


def trim(motion: Motion, start: int, end: int) -> Motion:
    """The frames from start up to, and without, end.

    Raises:
        InvalidMotion: unless 0 <= start < end <= number of frames.
    """
    if not 0 <= start < end <= len(motion.root):
        msg = f"frames {start} to {end} are not in a motion of {len(motion.root)} frames"
        raise InvalidMotion(msg)
    return replace(motion, root=motion.root[start:end], rotations=motion.rotations[start:end])
