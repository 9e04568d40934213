"""Pictures at the size that a step works on."""

from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ("halve", "shrink")

Scalar = TypeVar("Scalar", np.uint8, np.float32)


def shrink(image: NDArray[Scalar], side: int) -> NDArray[Scalar]:
    """Scale an image (h, w) or (h, w, 3) so that its longer side is at most `side` pixels.

    Whole blocks are averaged, and what is left, less than a half, is interpolated: nearly as good
    as averaging over fractions of pixels, and ten times as fast.
    """
    height, width = image.shape[:2]
    scale = side / max(height, width)
    if scale >= 1.0:
        return image
    block = int(1.0 / scale)
    if block > 1 and min(height, width) >= block:
        size = (width // block, height // block)
        even = image[: size[1] * block, : size[0] * block]
        image = cv2.resize(even, size, interpolation=cv2.INTER_AREA)  # type: ignore[assignment]
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    return cv2.resize(image, size, interpolation=cv2.INTER_LINEAR)  # type: ignore[return-value]


def halve(bits: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Half the grid of (h, w) bool, rounded up: a cell is true where any of its four pixels is."""
    height, width = bits.shape
    even = np.pad(bits, ((0, height % 2), (0, width % 2)))
    rows = even[0::2] | even[1::2]
    return np.asarray(rows[:, 0::2] | rows[:, 1::2], bool)
