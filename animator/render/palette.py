"""The colours of a clip, and their lookup table: from colours to indices in one step."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.spatial import cKDTree

__all__ = (
    "CLEAR",
    "COLOURS",
    "Palette",
    "index_frame",
    "palette_from_colours",
    "palette_from_frames",
)

CLEAR = 255
"""Index that stands for nothing: what lies below shows."""

BITS = 6
"""Bits of each colour channel that the lookup table tells apart; `index_frame` is made for six."""

ALIKE = 8
"""Colours whose channels differ by no more than this may stand for one another, of 255."""

COLOURS = 128
"""Colours chosen for a clip: more make the file larger than they make it better."""

SAMPLES = 40_000
"""Pixels that are looked at when colours are chosen, about."""


@dataclass(frozen=True, slots=True, eq=False)
class Palette:
    """At most 255 colours, and the nearest of them for any colour.

    Attributes:
        colours: (N, 3) uint8 RGB, N <= 255.
        nearest: (2 * 64 * 64 * 64,) uint8, index of the colour nearest to each cell of the RGB cube
            in its second half; CLEAR in its first, for pixels whose alpha is below half.
        alike: (256, 256) bool, which indices may stand for one another where the picture moves.
    """

    colours: NDArray[np.uint8]
    nearest: NDArray[np.uint8]
    alike: NDArray[np.bool_]


def palette_from_colours(colours: NDArray[np.uint8], background: int) -> Palette:
    """Build the tables of some colours (N, 3).

    background: index of a colour that nothing else may stand for, lest traces stay on it.
    """
    step = 1 << (8 - BITS)
    levels = np.arange(0, 256, step) + (step - 1) / 2
    cells = np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), axis=-1)
    _, found = cKDTree(colours.astype(np.float64)).query(cells)
    cube = found.astype(np.uint8)
    cube[tuple(colours[background] >> (8 - BITS))] = background
    nearest = np.concatenate((np.full(cube.size, CLEAR, np.uint8), cube.ravel()))
    shown = np.zeros((256, 3), np.int16)
    shown[: len(colours)] = colours
    alike = np.abs(shown[:, None] - shown).max(axis=2) <= ALIKE
    alike[background] = alike[:, background] = False
    np.fill_diagonal(alike, True)
    return Palette(colours=colours, nearest=nearest, alike=alike)


def palette_from_frames(frames: Sequence[NDArray[np.uint8]], count: int = COLOURS) -> Palette:
    """Choose at most so many colours by the visible pixels of a few frames (H, W, 4).

    The commonest colour, as a rule the background, is among them exactly; so that it does not
    crowd out the others it does not count when they are chosen.
    """
    pixels = np.concatenate([frame[frame[..., 3] >= 128][:, :3] for frame in frames])
    if not len(pixels):
        return palette_from_colours(np.zeros((1, 3), np.uint8), 0)
    common = _commonest(pixels)
    rest = pixels[(pixels != common).any(axis=1)]
    if not len(rest):
        return palette_from_colours(common[None], 0)
    picture = Image.fromarray(rest[:: max(len(rest) // SAMPLES, 1)][None])
    reduced = picture.quantize(count - 1, method=Image.Quantize.MEDIANCUT, kmeans=1)
    chosen = np.array(reduced.getpalette(), np.uint8).reshape(-1, 3)[: count - 1]
    others = np.unique(chosen[(chosen != common).any(axis=1)], axis=0)
    return palette_from_colours(np.concatenate((common[None], others)), 0)


def index_frame(palette: Palette, frame: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Nearest colour of every pixel of a frame (H, W, 4); CLEAR where alpha is below half."""
    # One look at all four bytes of a pixel takes a fifth of the time of one at each of them.
    packed = np.ascontiguousarray(frame).view("<u4")[..., 0]
    cell = (packed & 0xFC) << 10
    cell |= (packed & 0xFC00) >> 4
    cell |= (packed & 0xFC0000) >> 18
    cell |= (packed >> 31) << 18
    return np.asarray(palette.nearest.take(cell), np.uint8)


def _commonest(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    packed = pixels.astype(np.int64) @ np.array([65536, 256, 1])
    values, counts = np.unique(packed, return_counts=True)
    value = int(values[np.argmax(counts)])
    return np.array([value >> 16, value >> 8 & 255, value & 255], np.uint8)
