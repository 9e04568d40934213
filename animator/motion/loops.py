"""Clips that go round: whether one does, and what came before in one that does."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

__all__ = ("delayed", "is_closed", "windows_of")

Floats = NDArray[np.float64]

_SLACK = 0.01  # of the size of what moves, is not seen
_STEP = 1.5  # of the longest step elsewhere: the longest of all may just be where the clip is cut


def is_closed(tracks: Floats) -> bool:
    """Whether the last frame leads into the first: nothing moves there much more than elsewhere.

    tracks: (F, ...) float64, any unit; a single frame is closed.
    """
    steps = np.abs(np.diff(tracks, axis=0)).max(axis=0, initial=0.0)
    seam = np.abs(tracks[0] - tracks[-1])
    return bool((seam <= _STEP * steps + _SLACK * np.abs(tracks).max()).all())


def delayed(track: Floats, frames: int, closed: bool) -> Floats:
    """What was `frames` ago: (F, ...) float64; a clip that is not closed begins with its first."""
    if closed:
        return np.roll(track, frames, axis=0)
    return np.asarray(track[np.maximum(np.arange(len(track)) - frames, 0)])


def windows_of(track: Floats, around: int, closed: bool) -> Floats:
    """Each frame of (F, n) with so many before and after it: (F, n, 2 around + 1) float64.

    Beyond its ends a clip that is not closed stays as it is there.
    """
    count = len(track)
    frames = np.arange(-around, count + around)
    frames = frames % count if closed else np.clip(frames, 0, count - 1)
    return sliding_window_view(track[frames], 2 * around + 1, axis=0)
