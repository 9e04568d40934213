"""Belief: what both models say of each pixel of a crop, before its ink is looked at."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from animator.core.geometry import Box

__all__ = ("Belief", "Opinion", "believe", "resize_belief")

_RIVAL = 0.35
"""A rival's mask takes a pixel from there on, where it is surer than the figure's own."""

_ABROAD = 0.1
"""The same, outside the detector's box of the figure."""

_DENIED = 0.05
"""Belief under which a sharp opinion denies."""

_NEAR = 0.02
"""How far around a place it must be so low, share of the longer side: outlines are off by that."""

_GRID = 320
"""Longer side of the grid; the models' masks are coarser still."""


@dataclass(frozen=True, slots=True, eq=False)
class Belief:
    """What is believed of a crop, on a grid that covers it exactly.

    Attributes:
        own: (m, n) float32 in [0, 1], how likely the place is the figure's; coarse.
        box: (m, n) bool, inside the figure's box: outside it, `own` says little.
        taken: (m, n) bool, the place is another figure's.
        denied: (m, n) bool, a model that sees well says of the place and of all around it that it
            is not the figure's.
    """

    own: NDArray[np.float32]
    box: NDArray[np.bool_]
    taken: NDArray[np.bool_]
    denied: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Opinion:
    """What one model says of one figure.

    Attributes:
        box: drawing space.
        mask: (m, n) float32 in [0, 1], probability over the box.
        weight: how much it counts beside others, > 0.
        is_sharp: whether it sees strokes well enough to deny them.
    """

    box: Box
    mask: NDArray[np.float32]
    weight: float = 1.0
    is_sharp: bool = False


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
    denied = np.zeros(own.shape, bool)
    for opinion, said in zip(opinions, spread, strict=True):
        if opinion.is_sharp:
            denied |= _denies(said)
    return Belief(own=own, box=_spread(whole, crop) > 0, taken=taken, denied=denied)


def resize_belief(belief: Belief, shape: tuple[int, ...]) -> Belief:
    """The same belief on another grid over the same crop, (h, w)."""
    size = (shape[1], shape[0])
    return Belief(
        own=np.asarray(cv2.resize(belief.own, size, interpolation=cv2.INTER_LINEAR), np.float32),
        box=cv2.resize(belief.box.astype(np.float32), size) >= 0.5,
        taken=cv2.resize(belief.taken.astype(np.float32), size) >= 0.5,
        denied=cv2.resize(belief.denied.astype(np.float32), size) >= 0.5,
    )


def _denies(said: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Where an opinion (m, n), NaN where it sees nothing, holds nothing near for the figure's."""
    reach = round(_NEAR * max(said.shape))
    near = cv2.dilate(np.nan_to_num(said, nan=1.0), np.ones((2 * reach + 1,) * 2, np.uint8))
    return np.asarray(near < _DENIED, bool)


def _spread(opinion: Opinion, crop: Box) -> NDArray[np.float32]:
    """Bring an opinion to the grid over a crop, (m, n) float32; NaN outside its box."""
    box, (rows, columns) = opinion.box, opinion.mask.shape
    step = max(max(crop.width, crop.height) / _GRID, 1.0)
    width, height = max(round(crop.width / step), 1), max(round(crop.height / step), 1)
    across = (np.arange(width) + 0.5) * (crop.width / width) + crop.x1
    down = (np.arange(height) + 0.5) * (crop.height / height) + crop.y1
    x = (across - box.x1) * (columns / box.width)
    y = (down - box.y1) * (rows / box.height)
    inside = ((y > 0) & (y < rows))[:, None] & ((x > 0) & (x < columns))[None, :]
    # remap counts from the centre of the first cell, which is here behind a rim of one cell
    at_x, at_y = np.meshgrid(np.clip(x, 0, columns) + 0.5, np.clip(y, 0, rows) + 0.5)
    spread = cv2.remap(
        np.pad(opinion.mask, 1, mode="edge"),
        at_x.astype(np.float32),
        at_y.astype(np.float32),
        interpolation=cv2.INTER_LINEAR,
    )
    return np.where(inside, spread, np.float32(np.nan))
