"""The outline of a figure: the ink itself, chosen and completed by what the models believe."""

import cv2
import numpy as np
from numpy.typing import NDArray

from animator.core.drawing import Figure
from animator.core.errors import EmptyMask
from animator.core.mask import Mask
from animator.vision.belief import Belief, resize_belief
from animator.vision.ink import find_ink, find_marks
from animator.vision.paper import measure_contrast
from animator.vision.parts import NEARLY, choose_ink, join_parts
from animator.vision.rooms import fill_rooms
from animator.vision.ruling import erase_ruling
from animator.vision.scaling import shrink

__all__ = ("segment",)

_WORK_SIDE = 640
"""Outlines are found on a picture of at most this longer side, pixels."""

_MARGIN = 0.004
"""Paper that is left around the ink, as a share of the longer side."""


def segment(figure: Figure, belief: Belief) -> Mask:
    """Find the silhouette: gaps of the outline closed, the inside filled, parts joined.

    figure: a crop with some space around the figure.
    belief: of the same crop; it may be coarse, the ink makes the outline crisp.

    Raises:
        EmptyMask: when no ink belongs to the figure.
    """
    image = shrink(figure.image, _WORK_SIDE)
    belief = resize_belief(belief, image.shape)
    contrast = measure_contrast(image)
    ink = erase_ruling(find_ink(contrast, belief.own), find_marks(contrast), belief.own >= NEARLY)
    ink = choose_ink(ink, belief)
    if not ink.any():
        msg = (
            "No outline of the figure was found. Draw over it with a darker pen, or take the photo "
            "in brighter light."
        )
        raise EmptyMask(msg)
    body = join_parts(fill_rooms(ink, belief))
    return Mask(_finish(body, figure.image.shape[:2]))


def _finish(body: NDArray[np.bool_], shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Give the outline a small margin, round it, and bring it to the crop's size."""
    margin = max(2, round(_MARGIN * max(body.shape)))
    disk = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * margin + 1, 2 * margin + 1))
    grown = cv2.dilate(body.astype(np.uint8), disk)
    soft = cv2.GaussianBlur(grown.astype(np.float32), (0, 0), 1.0)
    large = cv2.resize(soft, (shape[1], shape[0]), interpolation=cv2.INTER_LINEAR)
    return np.asarray(large >= 0.5, bool)
