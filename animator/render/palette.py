"""The colours of a clip, and their lookup table: from colours to indices in one step."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

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

UNKNOWN = 254
"""Mark of cells of the RGB cube that no pixel has had yet: a drawing has few of them."""

BITS = 6
"""Bits of each colour channel that the lookup table tells apart; `index_frame` is made for six."""

ALIKE = 8
"""Colours whose channels differ by no more than this may stand for one another, of 255."""

COLOURS = 128
"""Colours chosen for a clip: more make the file larger than they make it better."""

LOOKED_AT = 160_000
"""Pixels among which the commonest colour is looked for, about."""

SAMPLES = 16_000
"""Pixels by which the other colours are chosen, about."""

AT_ONCE = 8192
"""Cells of the RGB cube whose nearest colours are found together; they fit a processor's cache."""


@dataclass(frozen=True, slots=True, eq=False)
class Palette:
    """At most 254 colours, and the nearest of them for any colour.

    Attributes:
        colours: (N, 3) uint8 RGB, N <= 254.
        nearest: (2 * 64 * 64 * 64,) uint8, index of the colour nearest to each cell of the RGB cube
            in its second half, UNKNOWN until `index_frame` meets it; CLEAR in its first, for pixels
            whose alpha is below half.
        alike: (256, 256) bool, which indices may stand for one another where the picture moves.
    """

    colours: NDArray[np.uint8]
    nearest: NDArray[np.uint8]
    alike: NDArray[np.bool_]


def palette_from_colours(colours: NDArray[np.uint8], background: int) -> Palette:
    """Build the tables of some colours (N, 3).

    background: index of a colour that nothing else may stand for, lest traces stay on it.
    """
    cube = np.full((1 << BITS,) * 3, UNKNOWN, np.uint8)
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
    # an odd step does not meet the same columns in every row
    step = max(sum(frame[..., 0].size for frame in frames) // LOOKED_AT, 1) | 1
    seen = np.concatenate([_packed(frame).ravel()[::step] for frame in frames])
    seen = seen[seen >> 31 == 1]
    if not len(seen):
        return palette_from_colours(np.zeros((1, 3), np.uint8), 0)
    values, counts = np.unique(seen, return_counts=True)
    common = values[np.argmax(counts)]
    rest = seen[seen != common]
    if not len(rest):
        return palette_from_colours(_colours(common[None]), 0)
    picture = Image.fromarray(_colours(rest[:: max(len(rest) // SAMPLES, 1)])[None])
    reduced = picture.quantize(count - 1, method=Image.Quantize.MEDIANCUT, kmeans=1)
    chosen = np.array(reduced.getpalette(), np.uint8).reshape(-1, 3)[: count - 1]
    first = _colours(common[None])
    others = np.unique(chosen[(chosen != first).any(axis=1)], axis=0)
    return palette_from_colours(np.concatenate((first, others)), 0)


def index_frame(palette: Palette, frame: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Nearest colour of every pixel of a frame (H, W, 4); CLEAR where alpha is below half."""
    # One look at all four bytes of a pixel takes a fifth of the time of one at each of them.
    packed = _packed(frame)
    cell = (packed & 0xFC) << 10
    cell |= (packed & 0xFC00) >> 4
    cell |= (packed & 0xFC0000) >> 18
    cell |= (packed >> 31) << 18
    found = palette.nearest.take(cell)
    new = found == UNKNOWN
    if new.any():
        _learn(palette, np.unique(cell[new]))
        found = palette.nearest.take(cell)
    return np.asarray(found, np.uint8)


def _learn(palette: Palette, cells: NDArray[np.uint32]) -> None:
    """Find the colours nearest to some cells (M,), numbers of places in the palette's table."""
    step = 1 << (8 - BITS)
    channels = [cells >> shift & (1 << BITS) - 1 for shift in (2 * BITS, BITS, 0)]
    middles = np.stack(channels, axis=1).astype(np.float32) * step + (step - 1) / 2
    palette.nearest[cells] = _nearest(middles.astype(np.float32), palette.colours)


def _nearest(places: NDArray[np.float32], colours: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The nearest of some colours (N, 3) for places (M, 3) in the RGB cube: (M,) indices."""
    # |place - colour|^2 is least where place . colour - |colour|^2 / 2 is most
    known = colours.astype(np.float32)
    half = (known**2).sum(axis=1) / 2
    found = np.empty(len(places), np.uint8)
    for start in range(0, len(places), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        found[part] = (places[part] @ known.T - half).argmax(axis=1)
    return found


def _packed(frame: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """The pixels (H, W) of a frame (H, W, 4) as numbers: red in the lowest byte, alpha on top."""
    return np.ascontiguousarray(frame).view("<u4")[..., 0]


def _colours(packed: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """RGB (N, 3) of packed pixels (N,)."""
    levels = np.ascontiguousarray(packed).view(np.uint8).reshape(-1, 4)
    return np.ascontiguousarray(levels[:, :3])
