"""Labels: what is known exactly about a synthetic picture."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from animator.core.keypoints import COCO_KEYPOINTS

__all__ = ("COCO_KEYPOINTS", "LabelledFigure", "Sample")


@dataclass(frozen=True, slots=True, eq=False)
class LabelledFigure:
    """One figure of a picture.

    Attributes:
        box: (4,) float32 xyxy, pixels, tight around the mask.
        mask: (H, W) bool, the figure's silhouette: outlined parts filled, strokes with their width.
        keypoints: (17, 3) float32 x, y in pixels and v: 2 seen, 1 hidden or implied, 0 absent,
            -1 unknown, as some are in real drawings.
        turn: quarter turns, clockwise, by which it lies turned with its page, 0..3; None where one
            cannot tell, for it lies on an upright page.
    """

    box: NDArray[np.float32]
    mask: NDArray[np.bool_]
    keypoints: NDArray[np.float32]
    turn: int | None = 0


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A synthetic picture with everything in it that counts.

    Attributes:
        image: (H, W, 3) uint8 RGB.
        figures: every human-like figure; empty for a page without one.
        tags: the factors that were used, such as "stick" or "lined".
        things: boxes (4,) float32 xyxy, pixels, of what was drawn on a page without a figure.
    """

    image: NDArray[np.uint8]
    figures: tuple[LabelledFigure, ...]
    tags: tuple[str, ...]
    things: tuple[NDArray[np.float32], ...] = ()
