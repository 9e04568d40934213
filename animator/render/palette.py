"""A palette for a clip, and its lookup table: colours to indices in one step."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.spatial import cKDTree

__all__ = ("CLEAR", "Palette", "palette_from_frames")

CLEAR = 255
"""Index that stands for nothing: what lies below shows."""

BITS = 6
"""Bits of each colour channel that the lookup table tells apart."""


class Palette:
    """At most 255 colours and the nearest of them for any colour.

    Attributes:
        colours: (N, 3) uint8 RGB, N <= 255.
    """

    def __init__(self, colours: NDArray[np.uint8]) -> None:
        self.colours = colours
        step = 1 << (8 - BITS)
        levels = np.arange(0, 256, step) + (step - 1) / 2
        cells = np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), axis=-1)
        _, nearest = cKDTree(colours.astype(np.float64)).query(cells.reshape(-1, 3))
        self._nearest = nearest.astype(np.uint8)

    def indices(self, frame: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Nearest colour of every pixel of a frame (H, W, 4); CLEAR where alpha is below half."""
        shrunk = frame[..., :3].astype(np.int32) >> (8 - BITS)
        cell = (shrunk[..., 0] << 2 * BITS) | (shrunk[..., 1] << BITS) | shrunk[..., 2]
        found: NDArray[np.uint8] = self._nearest[cell]
        found[frame[..., 3] < 128] = CLEAR
        return found


def palette_from_frames(frames: Sequence[NDArray[np.uint8]]) -> Palette:
    """Choose colours by the visible pixels of a few frames (H, W, 4), each pixel counting.

    The commonest colour, as a rule the background, is in the palette exactly.
    """
    pixels = np.concatenate([frame[frame[..., 3] >= 128][:, :3] for frame in frames])
    if not len(pixels):
        return Palette(np.zeros((1, 3), np.uint8))
    colours, counts = _count(pixels)
    common = colours[np.argmax(counts)]
    # a flat background would take most of the colours' share: it counts like the rest together
    rest = pixels[(pixels != common).any(axis=1)]
    if not len(rest):
        return Palette(common[None])
    picture = Image.fromarray(rest[:: max(len(rest) // 200_000, 1)][None])
    reduced = picture.quantize(colors=254, method=Image.Quantize.MEDIANCUT, kmeans=1)
    chosen = np.array(reduced.getpalette(), np.uint8).reshape(-1, 3)[: CLEAR - 1]
    return Palette(np.unique(np.concatenate((common[None], chosen)), axis=0))


def _count(pixels: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    packed = pixels.astype(np.int64) @ np.array([65536, 256, 1])
    values, counts = np.unique(packed, return_counts=True)
    colours = np.stack((values >> 16, values >> 8 & 255, values & 255), axis=1)
    return colours.astype(np.uint8), counts.astype(np.int64)
