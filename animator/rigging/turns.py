"""How far bones have turned, counted so that what lies between two bones turns in between."""

import numpy as np
from numpy.typing import NDArray

__all__ = ("unwind",)


NARROW = np.radians(20)
"""A gap that is smaller than this is none: the bone goes round and round."""


def unwind(turns: NDArray[np.float64], parents: tuple[int, ...]) -> NDArray[np.float64]:
    """The turns (F, J), radians, with whole turns added so that bones bend the way they came.

    An arm that is lifted past straight up must not flip to the other way round: the clip's angles
    against the parent bone leave a gap on the circle, and there the count may jump.

    parents: J indices, parents before children, -1 for the root.
    """
    counted = turns.copy()
    for joint, parent in enumerate(parents[1:], start=1):
        counted[:, joint] = counted[:, parent] + _without_jumps(turns[:, joint] - turns[:, parent])
    return counted


def _without_jumps(angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Angles (F,) modulo whole turns, on the branch that begins in their largest gap."""
    around = np.sort(np.mod(angles, 2 * np.pi))
    gaps = np.diff(around, append=around[0] + 2 * np.pi)
    widest = int(np.argmax(gaps))
    # what goes all the way round has to jump somewhere: where it bends most
    start = around[widest] + gaps[widest] / 2 if gaps[widest] > NARROW else np.pi
    counted = np.mod(angles - start, 2 * np.pi) + start
    return np.asarray(counted - 2 * np.pi * np.round(counted.mean() / (2 * np.pi)))
