"""A figure at the resolution at which it is rigged: large ones are shrunk, small ones enlarged."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from animator.core.drawing import Figure
from animator.core.mask import Mask

__all__ = ("LONGEST", "Canvas", "canvas_of")

LONGEST = 2048
"""Longer side of a canvas at most, pixels: twice what the largest frame shows."""

SHORTEST = 500
"""Longer side of a canvas at least, about, pixels: a figure is enlarged to it by a whole number, so
that a line of a pixel at its rim survives when the paper beside it is cut off."""

MOST = 3
"""A figure is enlarged by no more than this."""


@dataclass(frozen=True, slots=True, eq=False)
class Canvas:
    """Picture and mask of a figure, in canvas pixels.

    Attributes:
        image: (m, n, 3) uint8 RGB.
        mask: (m, n) bool.
        scale: canvas pixels per pixel of figure space, (x, y), > 0.
    """

    image: NDArray[np.uint8]
    mask: NDArray[np.bool_]
    scale: tuple[float, float]

    def from_figure(self, points: NDArray[np.float32]) -> NDArray[np.float32]:
        """Figure space (..., 2) to canvas pixels, float32."""
        return np.asarray(points * np.array(self.scale, np.float32))

    def to_figure(self, points: NDArray[np.floating]) -> NDArray[np.float32]:
        """Canvas pixels (..., 2) to figure space, float32."""
        return np.asarray(points / np.array(self.scale), np.float32)


def canvas_of(figure: Figure, mask: Mask) -> Canvas:
    """The figure as it is, shrunk to LONGEST pixels, or enlarged to about SHORTEST."""
    height, width = mask.data.shape
    longest = max(height, width)
    shrink = LONGEST / longest
    if longest < SHORTEST:
        return _enlarge(figure, mask, min(-(-SHORTEST // longest), MOST))
    if shrink >= 1:
        return Canvas(figure.image, mask.data, (1.0, 1.0))
    size = (max(round(width * shrink), 1), max(round(height * shrink), 1))
    # a boolean's byte is 0 or 1; half of a shrunk pixel must be covered, as of any other
    shares = cv2.resize(
        mask.data.view(np.uint8) * np.uint8(255), size, interpolation=cv2.INTER_AREA
    )
    image = cv2.resize(figure.image, size, interpolation=cv2.INTER_AREA)
    return Canvas(np.asarray(image, np.uint8), shares > 127, (size[0] / width, size[1] / height))


def _enlarge(figure: Figure, mask: Mask, times: int) -> Canvas:
    height, width = mask.data.shape
    size = (width * times, height * times)
    image = cv2.resize(figure.image, size, interpolation=cv2.INTER_CUBIC)
    shares = cv2.resize(
        mask.data.view(np.uint8) * np.uint8(255), size, interpolation=cv2.INTER_LINEAR
    )
    return Canvas(np.asarray(image, np.uint8), shares > 127, (float(times), float(times)))
