"""Lines of ink inside a figure: what separates a limb from the body it is drawn on."""

import cv2
import numpy as np
from numpy.typing import NDArray

from animator.rigging.silhouette import MARGIN, Silhouette

__all__ = ("find_ink", "hindrance")

LINE = 13
"""Lines narrower than this are found, pixels of the meshing grid."""

HINDRANCE = 25.0
"""How much slower the blackest line is crossed than paper."""


def find_ink(image: NDArray[np.uint8], silhouette: Silhouette) -> NDArray[np.float32]:
    """How much darker than what is around it each pixel is: (m, n) float32, 0 to 1.

    image: (h, w, 3) uint8 RGB, the canvas.
    """
    x, y, width, height = silhouette.box
    rows, columns = (side - 2 * MARGIN for side in silhouette.solid.shape)
    way = cv2.INTER_AREA if columns < width else cv2.INTER_LINEAR
    part = cv2.resize(image[y : y + height, x : x + width], (columns, rows), interpolation=way)
    grey = cv2.cvtColor(part, cv2.COLOR_RGB2GRAY)
    brush = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (LINE, LINE))
    dark = cv2.morphologyEx(grey, cv2.MORPH_BLACKHAT, brush).astype(np.float32) / 255
    return np.pad(dark, MARGIN)


def hindrance(ink: NDArray[np.float32]) -> NDArray[np.float32]:
    """The cost of a step on each pixel, >= 1."""
    return np.asarray(1 + HINDRANCE * ink, np.float32)
