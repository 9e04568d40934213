"""What hangs on a figure and is driven by nothing swings behind it: tails, wings, ears, hair.

Each such bone is a damped pendulum on a spring that holds it as it is drawn: when what it hangs on
is shaken or turned, its end stays behind and swings after. In a clip that goes round it swings as
if it had gone round for ever.
"""

from collections.abc import Collection
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from animator.core.pose import NO_LENGTH, PoseSequence, pose_joints
from animator.motion.loops import is_closed

__all__ = ("sway",)

Floats = NDArray[np.float64]

_RATE = 2 * np.pi * 1.6  # radians a second of the free swing
_DAMPING = 0.7  # of what would stop it without a swing
_MOST = 0.4  # radians, away from what it hangs on
_SHORTEST = 0.1  # world units; a shorter bone would swing wildly
_STEP = 1 / 120  # seconds, at most, of the simulation
_BEFORE = 3.0  # seconds by which a clip that goes round has been going


def sway(
    poses: PoseSequence,
    rest: NDArray[np.float64],
    parents: tuple[int, ...],
    loose: Collection[int],
) -> PoseSequence:
    """The same poses, with directions for loose bones.

    rest: (J, 2) float64, world space.
    parents: J indices, parents before children, -1 for the root.
    loose: joints whose bones swing; those that are driven already are left as they are.
    """
    for joint in sorted(loose):
        bone = rest[joint] - rest[parents[joint]]
        if np.isnan(poses.angles[:, joint]).all() and np.hypot(*bone) > NO_LENGTH:
            track = pose_joints(rest, parents, poses)
            turns = track.turns[:, joint]
            swing = _swing(track.places[:, parents[joint]], turns, bone, poses.fps)
            angles = poses.angles.copy()
            angles[:, joint] = np.arctan2(-bone[0], bone[1]) + turns + swing
            poses = replace(poses, angles=angles)
    return poses


def _swing(base: Floats, turns: Floats, bone: Floats, fps: float) -> Floats:
    """Angles (F,) away from the rest pose of what the bone hangs on, radians.

    base: (F, 2) float64, world units, where it hangs.
    turns: (F,) float64, radians, of what it hangs on.
    bone: (2,) float64, world units, from there to its end, in the rest pose.
    """
    closed = is_closed(np.column_stack((base - base.mean(axis=0), np.cos(turns), np.sin(turns))))
    pull = _second(np.roll(base, -1, axis=0) - base, fps, closed)
    cosine, sine = np.cos(turns), np.sin(turns)
    x, y = bone[0] * cosine - bone[1] * sine, bone[0] * sine + bone[1] * cosine
    length = max(float(np.hypot(*bone)), _SHORTEST)
    push = -(x * pull[:, 1] - y * pull[:, 0]) / length**2
    turned = np.roll(turns, -1) - turns
    push -= _second((turned + np.pi) % (2 * np.pi) - np.pi, fps, closed)
    laps = 1 + (int(np.ceil(_BEFORE * fps / len(push))) if closed else 0)
    return _MOST * np.tanh(_simulate(np.tile(push, laps), fps)[-len(push) :] / _MOST)


def _second(steps: Floats, fps: float, closed: bool) -> Floats:
    """Second derivative by time from the steps (F, ...) from each frame to the next.

    The last step leads to the first frame; where a clip begins and ends it has no derivative.
    """
    second = (steps - np.roll(steps, 1, axis=0)) * fps**2
    if not closed:
        second[[0, -1]] = 0.0
    return np.asarray(second)


def _simulate(push: Floats, fps: float) -> Floats:
    """Angles (F,) of a damped spring that is pushed, radians and radians a second squared."""
    parts = int(np.ceil(1 / fps / _STEP))
    step = 1 / fps / parts
    angle = speed = 0.0
    angles = np.empty(len(push))
    for frame, force in enumerate(push):
        for _ in range(parts):
            speed += step * (force - _RATE**2 * angle - 2 * _DAMPING * _RATE * speed)
            angle += step * speed
        angles[frame] = angle
    return angles
