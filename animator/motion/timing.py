"""A motion slower or faster, and with no more frames than are seen."""

import math
from dataclasses import replace

import numpy as np

from animator.core.motion import Motion
from animator.motion.kinematics import joint_paths
from animator.motion.loops import is_closed
from animator.motion.rotations import normalise

__all__ = ("change_speed", "thin")


def change_speed(motion: Motion, factor: float) -> Motion:
    """The same movement in 1 / factor of the time, at the same rate of frames.

    A clip whose last frame leads into its first still does; another keeps both its ends.

    factor: > 0; 2 is twice as fast.
    """
    count = len(motion.root)
    if is_closed(joint_paths(motion)):
        frames = max(round(count / factor), 1)
        times = np.arange(frames) * count / frames
        after = (np.floor(times).astype(int) + 1) % count
    else:
        times = np.linspace(0, count - 1, max(round((count - 1) / factor) + 1, 2))
        after = np.minimum(np.floor(times).astype(int) + 1, count - 1)
    before = np.floor(times).astype(int)
    part = times - before
    turns = motion.rotations.astype(np.float64)
    start, end = turns[before], turns[after]
    # The same rotation has two quaternions; the nearer one is meant.
    end = np.where(np.sum(start * end, axis=-1, keepdims=True) < 0, -end, end)
    between = normalise(start + part[:, None, None] * (end - start))
    root = motion.root[before] + part[:, None] * (motion.root[after] - motion.root[before])
    return replace(motion, root=root.astype(np.float32), rotations=between.astype(np.float32))


def thin(motion: Motion, most: float) -> Motion:
    """Every second, third ... frame, so that there are at most so many a second.

    most: frames a second, > 0.
    """
    step = math.ceil(motion.fps / most - 1e-6)
    if step == 1:
        return motion
    return replace(
        motion,
        fps=motion.fps / step,
        root=motion.root[::step],
        rotations=motion.rotations[::step],
    )
