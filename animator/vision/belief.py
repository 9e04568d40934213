"""Belief: how likely each pixel of a crop is the figure's, from what both models say."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from animator.core.geometry import Box
from animator.vision.detect import FoundFigure

__all__ = ("Opinion", "believe", "opinion_of")

_IN_BOX = 0.15
"""Belief in a pixel that no mask speaks for, inside the detector's box."""

_NEAR_BOX = 0.05
"""The same, outside it."""

_RIVAL = 0.35
"""A rival's mask takes a pixel from there on, where it is surer than the figure's own."""

Opinion = tuple[Box, NDArray[np.float32]]
"""A box in drawing space, and a probability (m, n) float32 over it."""


def opinion_of(found: FoundFigure) -> Opinion:
    """What the detector says of a figure."""
    return found.detection.box, found.mask


def believe(
    crop: Box, opinions: Sequence[Opinion], rivals: Sequence[Opinion]
) -> NDArray[np.float32]:
    """Belief over a crop, (h, w) float32, figure space of the crop.

    crop: whole pixels, drawing space.
    opinions: on the figure; the first is the detector's. Where several speak, the mean counts.
    rivals: on other figures; what is theirs gets belief 0.
    """
    own = np.mean([_spread(opinion, crop) for opinion in opinions], axis=0)
    box = opinions[0][0]
    inside = _spread((box, np.ones((1, 1), np.float32)), crop) > 0
    belief = np.maximum(own, np.where(inside, _IN_BOX, _NEAR_BOX))
    for rival in rivals:
        theirs = _spread(rival, crop)
        belief[(theirs > _RIVAL) & (theirs > own)] = 0.0
    return belief.astype(np.float32)


def _spread(opinion: Opinion, crop: Box) -> NDArray[np.float32]:
    """Bring an opinion to the pixels of a crop; 0 outside its box."""
    box, mask = opinion
    height, width = round(crop.height), round(crop.width)
    rows, columns = mask.shape
    x = (np.arange(width) + 0.5 + crop.x1 - box.x1) * (columns / box.width) - 0.5
    y = (np.arange(height) + 0.5 + crop.y1 - box.y1) * (rows / box.height) - 0.5
    spread = cv2.remap(
        np.pad(mask, 1, mode="edge"),
        np.broadcast_to(np.clip(x, -0.5, columns - 0.5) + 1, (height, width)).astype(np.float32),
        np.broadcast_to(np.clip(y, -0.5, rows - 0.5)[:, None] + 1, (height, width)).astype(
            np.float32
        ),
        interpolation=cv2.INTER_LINEAR,
    )
    inside = ((x >= -0.5) & (x <= columns - 0.5))[None, :] & ((y >= -0.5) & (y <= rows - 0.5))[
        :, None
    ]
    return np.where(inside, spread, 0.0).astype(np.float32)
