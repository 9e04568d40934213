"""Which way up a drawing really is, as its hand-placed joints tell."""

import numpy as np

from animator.core.rotation import ROTATIONS, Rotation
from models.training.scoring import TrueFigure

__all__ = ("true_rotation",)

_BODIES: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (
        ("neck", "left_shoulder", "right_shoulder"),
        ("left_knee", "right_knee", "left_foot", "right_foot"),
    ),
    (("neck", "left_shoulder", "right_shoulder"), ("root", "left_hip", "right_hip")),
    (("neck",), ("torso", "left_shoulder", "right_shoulder")),
)
"""Upper and lower end of a body; the first whose ends can be seen counts."""

_CLEAR = 0.8
"""Cosine of the slant up to which a body stands one way; between two ways nobody can tell."""


def true_rotation(figure: TrueFigure) -> Rotation | None:
    """How far its picture must be turned clockwise for a figure to stand; None: nobody can tell."""
    for ends in _BODIES:
        upper, lower = ([figure.joints[n] for n in end if n in figure.joints] for end in ends)
        if upper and lower:
            x, y = np.mean(upper, axis=0) - np.mean(lower, axis=0)
            return _direction(float(x), float(y))
    return None


def _direction(x: float, y: float) -> Rotation | None:
    """How far to turn so that what points to (x, y) points up."""
    length = float(np.hypot(x, y))
    if length == 0:
        return None
    # Where the head points: up, to the left, down, to the right.
    heights = dict(zip(ROTATIONS, (-y, -x, y, x), strict=True))
    best = max(ROTATIONS, key=lambda turn: heights[turn])
    return best if heights[best] / length >= _CLEAR else None
