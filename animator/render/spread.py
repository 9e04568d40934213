"""Colour under clear pixels, for codecs that halve the colours or mix near ones."""

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ("spread_paint",)

REACH = 5
"""Side of the square over which paint reaches under clear pixels."""


def spread_paint(frame: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The frame (H, W, 4) with the colour of near paint under its clear pixels; alpha as it was.

    So nothing of the black under clear pixels is mixed into the figure's edge.
    """
    clear = frame[..., 3] == 0
    if not clear.any():
        return np.ascontiguousarray(frame)
    weight = frame[..., 3:].astype(np.float32)
    laid = np.dstack((frame[..., :3] * weight, weight))
    sums = cv2.blur(laid, (REACH, REACH))
    near = clear & (sums[..., 3] > 0.5 / REACH**2)
    spread = frame.copy()
    spread[near, :3] = np.rint(sums[near, :3] / sums[near, 3:]).astype(np.uint8)
    return spread
