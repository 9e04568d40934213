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

_IN, _OUT = np.float32(1.05), np.float32(0.95)
"""Least excess of what was taken for the figure, and most of what was not."""


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
    ink = find_ink(contrast, belief.own)
    bits = erase_ruling(ink.bits, find_marks(contrast), belief.own >= NEARLY)
    bits = choose_ink(bits, belief)
    if not bits.any():
        msg = (
            "No outline of the figure was found. Draw over it with a darker pen, or take the photo "
            "in brighter light."
        )
        raise EmptyMask(msg)
    body = join_parts(fill_rooms(bits, belief))
    return Mask(_enlarge(body, ink.excess, figure.image.shape[:2]))


def _enlarge(
    body: NDArray[np.bool_], excess: NDArray[np.float32], shape: tuple[int, ...]
) -> NDArray[np.bool_]:
    """Bring the silhouette to the crop's size; its edge runs where the ink's does.

    excess: the ink's, on the same grid as the body.
    """
    if body.shape == shape:
        return body
    near = cv2.dilate(body.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    rim = np.where(near, np.minimum(excess, _OUT), np.float32(0.0))
    field = np.where(body, np.clip(excess, _IN, 2.0), rim)
    inner = cv2.erode(body.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    field[inner] = 2.0
    # hundredths: a large photo's mask takes a quarter of the memory and time
    small = np.rint(100.0 * field).astype(np.uint8)
    large = cv2.resize(small, (shape[1], shape[0]), interpolation=cv2.INTER_LINEAR)
    return np.asarray(large >= 100, bool)
