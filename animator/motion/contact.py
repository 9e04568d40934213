"""When the feet of a motion stand on the ground, and how the ground moves under them.

A foot stands when it is low, and moves as the ground does. The ground is still, unless the clip
walks on the spot: then it runs backwards under the figure, at the speed that low feet mostly have.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from animator.motion.loops import is_closed, windows_of

__all__ = ("Contact", "find_contact", "runs_of")

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_LOW = 0.06  # of a leg's length above the ground, at most
_NEVER_LOW = 0.15  # of a leg's length above the lower foot: a foot that is held up all the time
_SOON = 1.0  # seconds before and after in which a foot comes down; recorded ground may drift
_SLOW = 0.6  # legs a second, against the ground, at most
_STILL = 0.1  # legs a second: ground that moves slower is still
_SHORTEST = 0.1  # seconds; shorter touches do not count, and as short gaps neither


@dataclass(frozen=True, slots=True, eq=False)
class Contact:
    """Feet on the ground.

    Attributes:
        stands: (F, N) bool, of each foot.
        ground_speed: lengths a second by which the ground moves to the right, as it is seen.
        closed: whether the last frame leads into the first.
    """

    stands: Flags
    ground_speed: float
    closed: bool


def find_contact(feet: Floats, leg: float, fps: float) -> Contact:
    """Find when feet stand.

    feet: (F, N, 2) float64, any unit of length, y up: N >= 1 feet as they are seen.
    leg: length of a leg, in the same unit, > 0.
    fps: frames a second, > 0.
    """
    closed = is_closed(feet - feet.mean(axis=(0, 1)))
    heights = feet[..., 1]
    lowest = windows_of(heights, round(_SOON * fps), closed).min(axis=2)
    lowest = np.minimum(lowest, lowest.min(axis=1, keepdims=True) + _NEVER_LOW * leg)
    low = heights - lowest < _LOW * leg
    speeds = _speeds(feet, fps, closed)
    ground = float(np.median(speeds[low][:, 0])) if low.any() else 0.0
    ground = 0.0 if abs(ground) < _STILL * leg else ground
    against = np.hypot(speeds[..., 0] - ground, speeds[..., 1])
    frames = max(round(_SHORTEST * fps), 1)
    stands = [_steady(foot, frames, closed) for foot in (low & (against < _SLOW * leg)).T]
    return Contact(np.stack(stands, axis=1), ground, closed)


def _speeds(feet: Floats, fps: float, closed: bool) -> Floats:
    """Speeds (F, N, 2) at each frame: mean of the steps to it and from it."""
    if len(feet) == 1:
        return np.zeros_like(feet)
    if closed:
        return np.asarray((np.roll(feet, -1, axis=0) - np.roll(feet, 1, axis=0)) * fps / 2)
    return np.asarray(np.gradient(feet, 1 / fps, axis=0))


def _steady(flags: Flags, frames: int, closed: bool) -> Flags:
    """Without gaps, and then without runs, of fewer than so many frames."""
    for value in (False, True):
        flags = flags.copy()
        for run in runs_of(flags == value, closed):
            if len(run) < frames:
                flags[run] = not value
    return flags


def runs_of(flags: Flags, closed: bool) -> list[NDArray[np.intp]]:
    """Indices of each run of true flags, in order; in a closed clip one may go over the end."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], flags, [False])).astype(np.int8)))
    runs = [np.arange(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True)]
    if closed and len(runs) > 1 and flags[0] and flags[-1]:
        runs = [*runs[1:-1], np.concatenate((runs[-1], runs[0]))]
    return runs
