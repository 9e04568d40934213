"""Letterbox: a picture of any size into a square, and points of the square back."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ("Letterbox", "letterbox_for")


@dataclass(frozen=True, slots=True)
class Letterbox:
    """Scales a picture to fit a square and centres it there.

    Attributes:
        side: of the square, pixels.
        scale: pixels of the square per pixel of the picture, > 0.
        left: where the picture begins in the square, pixels.
        top: where the picture begins in the square, pixels.
        width: of the picture in the square, pixels, >= 1.
        height: of the picture in the square, pixels, >= 1.
    """

    side: int
    scale: tuple[float, float]
    left: int
    top: int
    width: int
    height: int

    def apply(self, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Scale and centre an image (H, W, 3) uint8 into (side, side, 3); the rest is paper.

        The margin gets the median colour of the picture's edge, so that no false outline appears.
        """
        shrinks = self.scale[0] < 1
        how = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
        small = cv2.resize(image, (self.width, self.height), interpolation=how)
        edge = np.concatenate((small[0], small[-1], small[:, 0], small[:, -1]))
        square = np.empty((self.side, self.side, 3), dtype=np.uint8)
        square[:] = np.median(edge, axis=0).astype(np.uint8)
        square[self.top : self.top + self.height, self.left : self.left + self.width] = small
        return square

    def invert(self, points: NDArray[np.float32]) -> NDArray[np.float32]:
        """Points (..., 2) float32 of the square back into pixels of the picture."""
        origin = np.array([self.left, self.top], dtype=np.float32)
        return np.asarray((points - origin) / np.array(self.scale, np.float32), dtype=np.float32)


def letterbox_for(width: int, height: int, side: int) -> Letterbox:
    """The letterbox of a picture of width x height pixels (>= 1) in a square of `side` pixels."""
    scale = side / max(width, height)
    inner = (max(1, round(width * scale)), max(1, round(height * scale)))
    return Letterbox(
        side=side,
        scale=(inner[0] / width, inner[1] / height),
        left=(side - inner[0]) // 2,
        top=(side - inner[1]) // 2,
        width=inner[0],
        height=inner[1],
    )
