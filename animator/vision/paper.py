"""The paper under a drawing: its colour at each pixel, and how far each pixel departs from it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from animator.vision.scaling import shrink

__all__ = ("Contrast", "estimate_paper", "is_light_on_dark", "measure_contrast")

_SMALL = 192
"""The paper varies slowly: it is estimated on a picture of this longer side, pixels."""

_STROKE = 0.09
"""Widest dark stroke that the near estimate looks through, as a share of the longer side."""

_FILL = 0.45
"""Window of the far estimate, which looks through filled areas, as a share of the longer side."""

_DARKEST = np.uint8(24)
"""Paper is taken to be no darker than this level."""

_HALO = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (5, 5))
"""Covers the bright rims that cameras draw around strokes, which are brighter than the paper."""

_DARK_GROUND = 90
"""Median level under which a picture counts as light on dark and is inverted."""


@dataclass(frozen=True, slots=True, eq=False)
class Contrast:
    """How much darker or more coloured than the paper each pixel is, 0 (paper) to 255.

    Attributes:
        strokes: (h, w) float32, against the near paper: thin marks; light and shadow fall out.
        fills: (h, w) float32, against the far paper: areas, by colour or great darkness.
        noise: the paper's own spread in `strokes`, levels.
    """

    strokes: NDArray[np.float32]
    fills: NDArray[np.float32]
    noise: float


def measure_contrast(image: NDArray[np.uint8]) -> Contrast:
    """Divide a picture (h, w, 3) uint8 RGB by the paper under it.

    The near estimate is a grey closing per channel (Serra 1982), which keeps the edges of shadows
    where they are; the far one a wide median.
    """
    small = shrink(image, _SMALL)
    if is_light_on_dark(small):
        image, small = 255 - image, 255 - small
    planes = _split(cv2.GaussianBlur(image, (0, 0), 0.7))
    near = estimate_paper(small)
    low, _ = _light(planes, near)
    strokes = 255.0 - low
    some = strokes[::2, ::2]
    noise = 1.4826 * float(np.median(np.abs(some - np.median(some))))
    fills = _fill_contrast(*_light(planes, _far_paper(near)))
    return Contrast(strokes=strokes, fills=fills, noise=max(noise, 1.0))


def is_light_on_dark(small: NDArray[np.uint8]) -> bool:
    """Whether what is drawn is lighter than a dark ground; an underexposed page is dark, too."""
    darkest, ground, lightest = np.percentile(small, (1, 50, 99))
    return bool(ground < _DARK_GROUND and lightest - ground >= ground - darkest)


def estimate_paper(small: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The paper (h, w, 3) that lines are drawn on, seen through them.

    small: (h, w, 3) uint8 RGB, dark on light, of about 200 pixels.
    """
    side = _odd(_STROKE * max(small.shape))
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
    calm = cv2.morphologyEx(cv2.medianBlur(small, 3), cv2.MORPH_OPEN, _HALO)
    closed = cv2.morphologyEx(calm, cv2.MORPH_CLOSE, kernel, borderType=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.blur(closed, (5, 5), borderType=cv2.BORDER_REPLICATE), np.uint8)


def _far_paper(near: NDArray[np.uint8]) -> NDArray[np.uint8]:
    side = min(_odd(_FILL * max(near.shape)), 127)
    return np.asarray(cv2.medianBlur(near, side), np.uint8)


def _light(
    planes: Sequence[NDArray[np.uint8]], paper: NDArray[np.uint8]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Light that comes from each pixel, 0..255 of what the paper gives: least and most, (h, w).

    planes: three of (h, w) uint8: red, green, blue.
    paper: (m, n, 3) uint8, the paper under them, on any grid.
    """
    size = (planes[0].shape[1], planes[0].shape[0])
    shares = []
    for plane, below in zip(planes, _split(np.maximum(paper, _DARKEST)), strict=True):
        large = cv2.resize(below, size, interpolation=cv2.INTER_LINEAR)
        # sixteenths of a level: whole numbers are small, and quick to work with
        shares.append(
            cv2.divide(plane.astype(np.uint16), large.astype(np.uint16), scale=16.0 * 255.0)
        )
    low = np.minimum(np.minimum(shares[0], shares[1]), shares[2])
    high = np.maximum(np.maximum(shares[0], shares[1]), shares[2])
    return _levels(low), _levels(high)


def _split(image: NDArray[Any]) -> list[NDArray[np.uint8]]:
    return [np.asarray(plane, np.uint8) for plane in cv2.split(image)]


def _levels(sixteenths: NDArray[np.uint16]) -> NDArray[np.float32]:
    """Levels up to 255 as numbers (h, w)."""
    return np.minimum(sixteenths, 16 * 255) * np.float32(1.0 / 16.0)


def _fill_contrast(low: NDArray[np.float32], high: NDArray[np.float32]) -> NDArray[np.float32]:
    """Colour counts in full; greyness only past what a shadow takes away (about 55 %)."""
    dark = np.maximum(115.0 - high, 0.0) * 2.0
    return np.asarray(np.maximum(high - low, dark), np.float32)


def _odd(value: float) -> int:
    return max(3, int(value) | 1)
