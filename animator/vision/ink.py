"""Ink: which pixels the drawer's tool touched."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from animator.vision.paper import Contrast

__all__ = ("Ink", "find_ink", "find_marks")

Bits = NDArray[np.bool_]

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
    fill_level = max(2.0 * strong, 28.0)
    strong_bits = (strokes > strong) | (fills > 1.5 * fill_level)
    excess = np.maximum(strokes * np.float32(1.0 / weak), fills * np.float32(1.0 / fill_level))
    return Ink(bits=_touching(excess > 1.0, strong_bits), excess=excess)


def find_marks(contrast: Contrast) -> Bits:
    """Everything that departs from the paper at all, ruled lines among it: (h, w) bool."""
    return np.asarray(contrast.strokes > _floor(contrast), bool)


def _floor(contrast: Contrast) -> float:
    return max(_FAINTEST, 3.0 * contrast.noise)


def _levels(contrast: Contrast, own: NDArray[np.float32]) -> tuple[float, float]:
    floor = _floor(contrast)
    marks = contrast.strokes[(contrast.strokes > 1.6 * floor) & (own >= 0.3)]
    typical = float(np.percentile(marks, 60)) if marks.size > 50 else 2.0 * floor
    strong = max(1.6 * floor, 0.42 * typical)
    weak = max(floor, 0.24 * typical)
    return strong, weak


def _touching(weak: Bits, strong: Bits) -> Bits:
    """The connected parts of `weak` that hold a pixel of `strong`."""
    count, labels = cv2.connectedComponents(weak.astype(np.uint8), connectivity=8)
    kept = np.zeros(count, bool)
    kept[labels[strong]] = True
    kept[0] = False
    return np.asarray(kept[labels], bool)
