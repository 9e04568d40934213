"""Noise: tiles made once, from which every picture cuts its grain, mottle and sensor noise."""

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from models.training.synthesis.dice import Dice

Plane = NDArray[np.float32]

__all__ = ("Plane", "cut_noise", "soft_field")

_SIDE = 1536


def cut_noise(dice: Dice, shape: tuple[int, int], scale: float) -> Plane:
    """Noise (H, W) float32 of mean 0 and deviation 1, with grains of about `scale` pixels."""
    tile = _tile(max(1, round(scale)))
    y, x = (dice.integer(0, _SIDE - side) for side in shape)
    cut = tile[y : y + shape[0], x : x + shape[1]]
    return cut[::-1] if dice.chance(0.5) else cut


def soft_field(dice: Dice, shape: tuple[int, int], knots: int) -> Plane:
    """A smooth random surface (H, W) float32 of mean about 0, with `knots` hills a side."""
    grid = dice.array.normal(0, 1, (knots, knots)).astype(np.float32)
    return np.asarray(cv2.resize(grid, shape[::-1], interpolation=cv2.INTER_CUBIC), np.float32)


@lru_cache(maxsize=8)
def _tile(grain: int) -> Plane:
    noise = np.random.default_rng(grain).standard_normal((_SIDE, _SIDE), np.float32)
    if grain > 1:
        noise = np.asarray(cv2.GaussianBlur(noise, (0, 0), grain * 0.45), np.float32)
    tile = (noise - noise.mean()) / noise.std()
    tile.setflags(write=False)
    return np.asarray(tile, np.float32)
