"""Ink: which pixels the drawer's tool touched."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from animator.vision.paper import Contrast

__all__ = ("Ink", "find_ink", "find_marks")

Bits = NDArray[np.bool_]
Values = NDArray[np.float32]

_BELIEVED = 0.3
"""Belief from which marks tell how strong the figure's ink is."""

_BLOCK = 8
"""Side of the cells in which the ink's strength is told, pixels."""

_AROUND = 0.06
"""Side of the window around a pixel whose strongest mark counts, share of the longer side."""

_PEAK = 1.0
"""Typical strength of a stroke as a share of its strongest mark."""

_FAINTEST = 9.0
"""Contrast below which nothing counts as ink, levels: faint pencil is at 13 and more."""


@dataclass(frozen=True, slots=True, eq=False)
class Ink:
    """What the drawer's tool touched.

    Attributes:
        bits: (h, w) bool.
        excess: (h, w) float32, contrast as a multiple of the least that counts as ink; the edge of
            a stroke runs where it is 1, also between the pixels.
    """

    bits: Bits
    excess: NDArray[np.float32]


def find_ink(contrast: Contrast, own: NDArray[np.float32]) -> Ink:
    """Threshold with hysteresis.

    contrast: of the picture against its paper.
    own: (h, w) float32 in [0, 1], how likely each pixel is the figure's; the strength of the
        figure's ink is measured where it is high.

    Weak pixels count where they touch strong ones (Canny 1986); both levels follow the strength of
    the figure's ink and the paper's noise.
    """
    strokes, fills = contrast.strokes, contrast.fills
    strong, weak = _levels(contrast, own)
    fill_level = np.maximum(2.0 * strong, np.float32(28.0))
    strong_bits = (strokes > strong) | (fills > 1.5 * fill_level)
    excess = np.maximum(strokes / weak, fills / fill_level)
    return Ink(bits=_touching(excess > 1.0, strong_bits), excess=excess)


def find_marks(contrast: Contrast) -> Bits:
    """Everything that departs from the paper at all, ruled lines among it: (h, w) bool."""
    return np.asarray(contrast.strokes > _floor(contrast), bool)


def _floor(contrast: Contrast) -> float:
    return max(_FAINTEST, 3.0 * contrast.noise)


def _levels(contrast: Contrast, own: Values) -> tuple[Values, Values]:
    """Contrast from which a pixel is ink for sure, and from which it may be; each (h, w)."""
    floor = _floor(contrast)
    believed = own >= _BELIEVED
    marks = contrast.strokes[(contrast.strokes > 1.6 * floor) & believed]
    typical = float(np.percentile(marks, 60)) if marks.size > 50 else 2.0 * floor
    strength = _strength_around(contrast.strokes, believed, typical)
    return np.maximum(0.42 * strength, 1.6 * floor), np.maximum(0.24 * strength, floor)


def _strength_around(strokes: Values, believed: Bits, typical: float) -> Values:
    """How strong the figure's ink is near each pixel, (h, w): at most what is typical of it."""
    height, width = strokes.shape
    small = (max(width // _BLOCK, 1), max(height // _BLOCK, 1))
    block = np.ones((_BLOCK, _BLOCK), np.uint8)
    peaks = cv2.resize(cv2.dilate(np.where(believed, strokes, 0), block), small, None, 0, 0, 0)
    window = round(_AROUND * max(small)) | 1
    peaks = cv2.dilate(peaks, np.ones((window, window), np.uint8))
    calm = cv2.blur(np.where(peaks > 0, np.minimum(_PEAK * peaks, typical), typical), (3, 3))
    return np.asarray(cv2.resize(calm, (width, height)), np.float32)


def _touching(weak: Bits, strong: Bits) -> Bits:
    """The connected parts of `weak` that hold a pixel of `strong`."""
    count, labels = cv2.connectedComponents(weak.astype(np.uint8), connectivity=8)
    kept = np.zeros(count, bool)
    kept[labels[strong]] = True
    kept[0] = False
    return np.asarray(kept[labels], bool)
