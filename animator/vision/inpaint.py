"""The drawing's paper without some of its figures: light, grain and ruling go on where they were.

What is smooth (light, shadow, colour) is continued from the edge of the gap inwards; what is fine
(grain, ruled lines) is taken from elsewhere on the page.
"""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from animator.core.drawing import Drawing
from animator.core.geometry import Box
from animator.core.mask import Mask
from animator.vision.grain import borrow_grain
from animator.vision.paper import measure_contrast
from animator.vision.ruling import erase_ruling
from animator.vision.scaling import shrink

__all__ = ("remove_figures",)

EDGE = cv2.BORDER_REPLICATE

Bits = NDArray[np.bool_]
Values = NDArray[np.float32]

SIDE = 1024
"""Gaps are filled on a picture of at most this longer side, pixels: frames show no more."""

RIM = 0.008
"""How far ink runs beyond a figure's outline, share of the longer side; at least two pixels."""

NEAR = 0.03
"""Marks that lie wholly so near to a figure are its remains, share of the longer side."""

HALO = 0.015
"""How far cameras smear a figure's colour over the paper, share of the longer side."""

INK = 10.0
"""Contrast from which a pixel counts as ink and not as paper, levels; more on noisy paper."""

INK_COUNTS = 0.02
"""Weight of ink, where paper has 1, for the colour of the gap: colour all around still fills it."""

WINDOW, ONE_SIDED, LINE = 15, 6.0, 30.0
"""Detail, of which at most `LINE` levels count, is no paper's where its mean over a window of this
side, pixels, is `ONE_SIDED` levels from nothing: a ruled line is too thin for that."""

STRIP = 256
"""Rows of a photo that are filled at a time."""

BAND = 0.06
"""How far around a gap colour is taken to continue it, share of the longer side."""

WIDE = 0.12
"""Side of the window in which it is told what is ground, share of the longer side."""

CALM = 6.0
"""Standard deviation of the blur that tells light from grain, pixels."""


def remove_figures(drawing: Drawing, figures: Sequence[tuple[Box, Mask]]) -> NDArray[np.uint8]:
    """The drawing (H, W, 3) uint8 RGB with paper in the place of figures.

    figures: box (drawing space, whole pixels) and mask of each that is to go.
    """
    cover = np.zeros((drawing.height, drawing.width), np.uint8)
    for box, mask in figures:
        rows = slice(int(box.y1), int(box.y1) + mask.data.shape[0])
        columns = slice(int(box.x1), int(box.x1) + mask.data.shape[1])
        cover[rows, columns] |= mask.data.astype(np.uint8)
    if not cover.any():
        return drawing.image
    small = shrink(drawing.image, SIDE)
    size = (small.shape[1], small.shape[0])
    figure = cv2.resize(cover * np.uint8(255), size, interpolation=cv2.INTER_AREA) > 0
    ink = _ink(small, np.asarray(figure))
    gap = _with_halo(small, _gap(np.asarray(figure), ink), ink)
    return _paste(drawing.image, _fill(small, gap, ink), gap)


def _ink(image: NDArray[np.uint8], figure: Bits) -> Bits:
    """What is drawn on the paper (h, w); ruled lines belong to the paper."""
    contrast = measure_contrast(image)
    least = max(INK, 4.0 * contrast.noise)
    ink = (contrast.strokes > least) | (contrast.fills > 3.0 * least)
    marks = contrast.strokes > 0.5 * least
    drawn = erase_ruling(ink, marks, figure)
    return drawn & ~_fills(drawn, figure)


def _fills(drawn: Bits, figure: Bits) -> Bits:
    """Where most of what surrounds a pixel is drawn on: that is the ground there."""
    side = max(round(WIDE * max(drawn.shape)), 3)
    beside = (~figure).astype(np.float32)
    share = cv2.blur(drawn * beside, (side, side))
    return np.asarray(share > 0.5 * cv2.blur(beside, (side, side)))


def _gap(figure: Bits, ink: Bits) -> Bits:
    """Where paper is to come: the figure, its rim, and what would remain of it beside that."""
    side = max(figure.shape)
    rim = _widen(figure, max(round(RIM * side), 2))
    near = _widen(figure, max(round(NEAR * side), 4))
    beside = (ink & ~rim).astype(np.uint8)
    count, labels = cv2.connectedComponents(beside)
    runs_on = np.zeros(count, bool)
    runs_on[labels[~near]] = True
    runs_on[0] = True
    return np.asarray(rim | _widen(~runs_on[labels], 2))


def _with_halo(image: NDArray[np.uint8], gap: Bits, ink: Bits) -> Bits:
    """The gap and what is stained around it: blurred ink, light rims of sharpened photos."""
    side = max(gap.shape)
    around = _widen(gap, max(round(HALO * side), 3))
    paper = ~around & ~_widen(ink, 2)
    if not paper.any():
        return gap
    calm = _continue(image.astype(np.float32), (~around & ~ink).astype(np.float32))
    stain = np.abs(image - calm).max(axis=2)
    limit = max(float(np.percentile(stain[paper], 97)), 3.0)
    return gap | (around & _widen(stain > limit, 1))


def _fill(image: NDArray[np.uint8], gap: Bits, ink: Bits) -> Values:
    """The picture (h, w, 3) with its gap filled."""
    weight = np.where(_widen(ink, 2), np.float32(INK_COUNTS), np.float32(1.0))
    colour = image.astype(np.float32)
    weight[gap] = 0.0
    grain = colour - _calm(colour, weight)
    distance = cv2.distanceTransform((~gap).astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_3)
    calm = _continue(colour, np.where(distance < BAND * max(gap.shape), weight, np.float32(0.0)))
    usable = ~(gap | _widen(ink, 3) | _widen(_is_edge(grain), WINDOW))
    return np.where(gap[..., None], calm + borrow_grain(grain, gap, usable), colour)


def _is_edge(grain: Values) -> Bits:
    """Where detail (h, w, 3) is all dark or all light: at a page's edge, a fold, a hard shadow."""
    level = np.clip(grain.mean(axis=2), -LINE, LINE)
    mean = np.asarray(cv2.blur(level, (WINDOW, WINDOW)))
    return np.asarray(np.abs(mean) > ONE_SIDED)


def _calm(colour: Values, weight: Values) -> Values:
    """Each pixel's surroundings, (h, w, 3)."""
    laid = cv2.GaussianBlur(colour * weight[..., None], (0, 0), CALM)
    return np.asarray(laid / (cv2.GaussianBlur(weight, (0, 0), CALM)[..., None] + 1e-6))


def _continue(colour: Values, weight: Values) -> Values:
    """Smooth colour everywhere: (h, w, 3); near pixels count most, far ones where none are near.

    Weighted means on ever coarser grids, each filling what the finer one left open (pull-push,
    Gortler et al. 1996).
    """
    laid = np.dstack((colour * weight[..., None], weight))
    here = np.asarray(cv2.GaussianBlur(laid, (0, 0), CALM))
    if min(weight.shape) > 8:
        size = ((weight.shape[1] + 1) // 2, (weight.shape[0] + 1) // 2)
        half = np.asarray(cv2.resize(laid, size, interpolation=cv2.INTER_AREA), np.float32)
        mean = half[..., :3] / np.maximum(half[..., 3:], 1e-9)
        below = _continue(np.asarray(mean, np.float32), half[..., 3])
    else:
        total = laid.sum(axis=(0, 1))
        below = np.tile(total[:3] / max(total[3], 1e-9), (*weight.shape, 1)).astype(np.float32)
    far = np.asarray(cv2.resize(below, weight.shape[::-1], interpolation=cv2.INTER_LINEAR))
    sure = np.minimum(here[..., 3:], 1.0)
    return np.asarray(here[..., :3] + (1.0 - sure) * far, np.float32)


def _paste(image: NDArray[np.uint8], filled: Values, gap: Bits) -> NDArray[np.uint8]:
    """The picture with the filled gap laid over it softly, strip by strip: photos are large."""
    soft = cv2.GaussianBlur(_widen(gap, 1) * np.float32(1), (0, 0), 1.0)
    laid = np.asarray(np.dstack((filled, soft)), np.float32)
    found = image.copy()
    for top in range(0, len(image), STRIP):
        strip = found[top : top + STRIP]
        large = _enlarge(laid, image.shape[:2], top, len(strip))
        touched = large[..., 3] > 1 / 255
        part = large[touched][:, 3:]
        mixed = large[touched][:, :3] * part + strip[touched] * (1.0 - part)
        strip[touched] = np.clip(np.rint(mixed), 0, 255).astype(np.uint8)
    return found


def _enlarge(laid: Values, shape: tuple[int, ...], top: int, rows: int) -> Values:
    """Some rows of a picture (h, w, 4), enlarged to a shape (H, W): (rows, W, 4)."""
    down, across = shape[0] / laid.shape[0], shape[1] / laid.shape[1]
    # a pixel's centre lies half a pixel from its corner, before and after
    move = np.array(((across, 0, across / 2 - 0.5), (0, down, down / 2 - 0.5 - top)))
    size = (shape[1], rows)
    large = cv2.warpAffine(laid, move, size, flags=cv2.INTER_LINEAR, borderMode=EDGE)
    return np.asarray(large, np.float32)


def _widen(bits: Bits, radius: int) -> Bits:
    side = 2 * radius + 1
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
    return np.asarray(cv2.dilate(bits.astype(np.uint8), disc)) > 0
