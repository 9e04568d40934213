"""The spaces and the maps between them; the only file in which the y axis is turned.

Drawing space: pixels, origin top-left, y down, the centre of pixel i at i + 0.5. Figure space: the
same, with its origin at the corner of the figure's box. World space: y up, the figure one unit
tall, origin at the root joint in the rest pose. Frame space: pixels of the rendered picture.
"""

from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from animator.core.geometry import Box

__all__ = ("FigureToWorld", "WorldToFrame", "drawing_to_figure", "figure_to_drawing")

Points = NDArray[np.float32]


def drawing_to_figure(points: Points, box: Box) -> Points:
    """Move points (..., 2) from drawing space into the figure space of a box."""
    return points - np.array([box.x1, box.y1], dtype=np.float32)


def figure_to_drawing(points: Points, box: Box) -> Points:
    """Move points (..., 2) from the figure space of a box into drawing space."""
    return points + np.array([box.x1, box.y1], dtype=np.float32)


@dataclass(frozen=True, slots=True)
class FigureToWorld:
    """Turns y upwards, puts the root at the origin, and makes the figure one unit tall.

    Attributes:
        root_x: the root joint, pixels, figure space.
        root_y: the root joint, pixels, figure space.
        height: of the figure, pixels, > 0.
    """

    root_x: float
    root_y: float
    height: float

    def apply(self, points: Points) -> Points:
        """Figure space (..., 2) to world space (..., 2), float32."""
        origin = np.array([self.root_x, self.root_y], dtype=np.float32)
        turn = np.array([1.0, -1.0], dtype=np.float32) / np.float32(self.height)
        return np.asarray((points - origin) * turn, dtype=np.float32)

    def invert(self, points: Points) -> Points:
        """World space (..., 2) to figure space (..., 2), float32."""
        origin = np.array([self.root_x, self.root_y], dtype=np.float32)
        turn = np.array([1.0, -1.0], dtype=np.float32) * np.float32(self.height)
        return np.asarray(points * turn + origin, dtype=np.float32)


class WorldToFrame(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where world space lies in a rendered picture.

    Attributes:
        scale: pixels per world unit, > 0.
        origin_x: pixel column of world x = 0.
        origin_y: pixel row of world y = 0.
    """

    scale: float
    origin_x: float
    origin_y: float

    def apply(self, points: Points) -> Points:
        """World space (..., 2) to frame space (..., 2), float32."""
        turn = np.array([self.scale, -self.scale], dtype=np.float32)
        origin = np.array([self.origin_x, self.origin_y], dtype=np.float32)
        return np.asarray(points * turn + origin, dtype=np.float32)
