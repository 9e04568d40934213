"""Belief: what both models say of each pixel of a crop, before its ink is looked at."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from animator.core.geometry import Box
from animator.vision.scaling import shrink

__all__ = ("Belief", "Opinion", "believe", "shrink_belief")

_RIVAL = 0.35
"""A rival's mask takes a pixel from there on, where it is surer than the figure's own."""

_ABROAD = 0.1
"""The same, outside the detector's box of the figure."""


@dataclass(frozen=True, slots=True, eq=False)
class Belief:
    """What is believed of the pixels of a crop, figure space.

    Attributes:
        own: (h, w) float32 in [0, 1], how likely the pixel is the figure's; coarse.
        box: (h, w) bool, inside the figure's box: outside it, `own` says little.
        taken: (h, w) bool, the pixel is another figure's.
    """

    own: NDArray[np.float32]
    box: NDArray[np.bool_]
    taken: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Opinion:
    """What one model says of one figure.

    Attributes:
        box: drawing space.
        mask: (m, n) float32 in [0, 1], probability over the box.
        weight: how much it counts beside others, > 0.
    """

    box: Box
    mask: NDArray[np.float32]
    weight: float = 1.0


def believe(crop: Box, box: Box, opinions: Sequence[Opinion], rivals: Sequence[Opinion]) -> Belief:
    """Belief over a crop.

    crop: whole pixels, drawing space.
    box: where the figure is taken to be, drawing space.
    opinions: on the figure, the detector's first; the weighted mean of those that see a pixel
        counts.
    rivals: on other figures.
    """
    spread = np.stack([_spread(opinion, crop) for opinion in opinions])
    weights = np.array([opinion.weight for opinion in opinions])[:, None, None]
    heard = (~np.isnan(spread) * weights).sum(axis=0)
    own = (np.nansum(spread * weights, axis=0) / np.maximum(heard, 1e-6)).astype(np.float32)
    whole = Opinion(box=box, mask=np.ones((1, 1), np.float32))
    taken = np.zeros(own.shape, bool)
    for rival in rivals:
        theirs = _spread(rival, crop)
        taken |= np.where(np.isnan(spread[0]), theirs > _ABROAD, (theirs > _RIVAL) & (theirs > own))
    return Belief(own=own, box=_spread(whole, crop) > 0, taken=taken)


def shrink_belief(belief: Belief, side: int) -> Belief:
    """Scale a belief so that its longer side is at most `side` pixels."""
    return Belief(
        own=shrink(belief.own, side),
        box=shrink(belief.box.astype(np.float32), side) >= 0.5,
        taken=shrink(belief.taken.astype(np.float32), side) >= 0.5,
    )


def _spread(opinion: Opinion, crop: Box) -> NDArray[np.float32]:
    """Bring an opinion to the pixels of a crop, (h, w) float32; NaN outside its box."""
    box, (rows, columns) = opinion.box, opinion.mask.shape
    height, width = round(crop.height), round(crop.width)
    x = (np.arange(width) + 0.5 + crop.x1 - box.x1) * (columns / box.width)
    y = (np.arange(height) + 0.5 + crop.y1 - box.y1) * (rows / box.height)
    inside = ((y > 0) & (y < rows))[:, None] & ((x > 0) & (x < columns))[None, :]
    # remap counts from the centre of the first cell, which is here behind a rim of one cell
    across, down = np.meshgrid(np.clip(x, 0, columns) + 0.5, np.clip(y, 0, rows) + 0.5)
    spread = cv2.remap(
        np.pad(opinion.mask, 1, mode="edge"),
        across.astype(np.float32),
        down.astype(np.float32),
        interpolation=cv2.INTER_LINEAR,
    )
    return np.where(inside, spread, np.float32(np.nan))
