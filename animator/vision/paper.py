"""The paper under a drawing: its colour at each pixel, and how far each pixel departs from it."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ("Contrast", "measure_contrast")

_SMALL = 192
"""The paper varies slowly: it is estimated on a picture of this longer side, pixels."""

_STROKE = 0.09
"""Widest dark stroke that the near estimate looks through, as a share of the longer side."""

_FILL = 0.45
"""Window of the far estimate, which looks through filled areas, as a share of the longer side."""

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
    if float(np.median(image)) < _DARK_GROUND:
        image = 255 - image
    height, width = image.shape[:2]
    scale = min(1.0, _SMALL / max(height, width))
    size = (max(8, round(width * scale)), max(8, round(height * scale)))
    small = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    near = _enlarge(_near_paper(small), width, height)
    far = _enlarge(_far_paper(small), width, height)
    soft = cv2.GaussianBlur(image, (0, 0), 0.7).astype(np.float32)
    strokes = _extreme(_darkening(soft, near), np.maximum)
    noise = 1.4826 * float(np.median(np.abs(strokes - np.median(strokes))))
    return Contrast(strokes=strokes, fills=_fill_contrast(soft, far), noise=max(noise, 1.0))


def _near_paper(small: NDArray[np.uint8]) -> NDArray[np.uint8]:
    side = _odd(_STROKE * max(small.shape))
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
    calm = cv2.medianBlur(small, 3)
    closed = cv2.morphologyEx(calm, cv2.MORPH_CLOSE, kernel, borderType=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.blur(closed, (5, 5), borderType=cv2.BORDER_REPLICATE), np.uint8)


def _far_paper(small: NDArray[np.uint8]) -> NDArray[np.uint8]:
    side = min(_odd(_FILL * max(small.shape)), 127)
    return np.asarray(cv2.medianBlur(_near_paper(small), side), np.uint8)


def _enlarge(paper: NDArray[np.uint8], width: int, height: int) -> NDArray[np.float32]:
    large = cv2.resize(paper, (width, height), interpolation=cv2.INTER_LINEAR)
    return np.maximum(large.astype(np.float32), 24.0)


def _darkening(image: NDArray[np.float32], paper: NDArray[np.float32]) -> NDArray[np.float32]:
    """(h, w, 3): light that is missing in each channel, 0..255 of what the paper gives."""
    return np.asarray(np.clip((paper - image) / paper, 0.0, 1.0) * 255.0, np.float32)


def _fill_contrast(image: NDArray[np.float32], paper: NDArray[np.float32]) -> NDArray[np.float32]:
    """Colour counts in full; greyness only past what a shadow takes away (about 55 %)."""
    missing = _darkening(image, paper)
    least = _extreme(missing, np.minimum)
    colour = _extreme(missing, np.maximum) - least
    dark = np.clip(least - 140.0, 0.0, None) * 2.0
    return np.asarray(np.maximum(colour, dark), np.float32)


def _extreme(image: NDArray[np.float32], pick: np.ufunc) -> NDArray[np.float32]:
    """The largest or least channel, (h, w); far faster than reducing over the last axis."""
    return np.asarray(pick(pick(image[:, :, 0], image[:, :, 1]), image[:, :, 2]), np.float32)


def _odd(value: float) -> int:
    return max(3, int(value) | 1)
