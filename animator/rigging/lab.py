"""Colours as eyes tell them apart: CIE L*a*b* (1976), under daylight D65.

OpenCV's own way fills tables for a tenth of a second when a process first asks for it.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ("lab_from_rgb",)

LEVELS = np.arange(256) / 255
LINEAR = np.where(LEVELS <= 0.04045, LEVELS / 12.92, ((LEVELS + 0.055) / 1.055) ** 2.4)
"""Light of each level of a channel, 0..1 (sRGB, IEC 61966-2-1)."""

TO_XYZ = np.array([(0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505)])
"""Light of red, green and blue to X, Y and Z (ibid.)."""

DARK = (6 / 29) ** 3
"""Share of white's light up to which lightness grows in a straight line."""


def lab_from_rgb(image: NDArray[np.uint8]) -> NDArray[np.float32]:
    """L* (0..100), a* and b* (h, w, 3) float32 of an image (h, w, 3) uint8 RGB."""
    to_white = (TO_XYZ / TO_XYZ.sum(axis=1, keepdims=True)).astype(np.float32)
    light = cv2.transform(LINEAR.astype(np.float32)[image], to_white)
    x, y, z = np.moveaxis(_lightness(np.asarray(light, np.float32)), -1, 0)
    return np.stack((116 * y - 16, 500 * (x - y), 200 * (y - z)), axis=-1)


def _lightness(light: NDArray[np.float32]) -> NDArray[np.float32]:
    """How light a share of white's light looks: its cube root, but where it is dark."""
    root = cv2.pow(np.maximum(light, np.float32(DARK)), 1 / 3)
    straight = light / np.float32(3 * (6 / 29) ** 2) + np.float32(4 / 29)
    return np.asarray(np.where(light > DARK, root, straight), np.float32)
