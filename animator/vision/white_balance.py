"""White balance: paint as it would look if the paper that it stands on were white.

Photos of white paper come out grey in a room and brown under a lamp. A figure that is taken off it
brings some of that along inside its lines, and looks dirty on a white ground.
"""

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from animator.core.drawing import Drawing
from animator.core.geometry import Box
from animator.core.mask import Mask
from animator.core.moved_figure import MovedFigure
from animator.vision.paper import estimate_paper, is_light_on_dark
from animator.vision.scaling import shrink

__all__ = ("balance_white", "whiten_paper")

SIDE = 192
"""Paper and paint are looked at on pictures of about this longer side, pixels."""

AROUND = 0.1
"""How much of the page around a figure's box is looked at, share of the box's longer side."""

WHITE = 252.0
"""What paper becomes, 0..255; its grain stays below 255."""

DARKEST = 90.0
"""Ground whose mean level is below is no white paper in a poor light."""

MOST_COLOURED = 0.25
"""Ground whose channels differ by a larger share of the largest is coloured paper: it stays."""

BRIGHT = 98.0
"""Percentile of the levels inside a figure that stands for its brightest paint."""

ROOM = 1.05
"""How far beyond the range, as a factor, that may come: light falls unevenly on paper."""


def whiten_paper(moved: MovedFigure, drawing: Drawing) -> MovedFigure:
    """The figure, its paint as if it had been drawn on white.

    drawing: drawing space, upright, that the figure was cut out of.
    """
    texture = balance_white(moved.rig.texture, drawing, moved.figure.box, moved.mask)
    return replace(moved, rig=replace(moved.rig, texture=texture))


def balance_white(
    texture: NDArray[np.uint8], drawing: Drawing, box: Box, mask: Mask
) -> NDArray[np.uint8]:
    """The texture (h, w, 4) uint8 RGBA of a figure, its channels scaled so that its paper is white.

    Each channel is multiplied by one number, as von Kries (1902) has it, so paint keeps its hue
    against the paper. Coloured and dark grounds, and paper that is white, are left as they are.

    drawing: drawing space, upright, from which the texture comes.
    box, mask: of the figure: drawing space, whole pixels; figure space.
    """
    paper = _paper_around(drawing.image, box, mask)
    if paper is None or not _is_white_in_poor_light(paper):
        return texture
    step = max(max(texture.shape) // SIDE, 1)
    some = texture[::step, ::step]
    paint = some[..., :3][some[..., 3] > 0]
    if not paint.size:
        return texture
    gains = WHITE / paper
    brightest = float((np.percentile(paint, BRIGHT, axis=0) * gains).max())
    gains = np.maximum(gains * min(1.0, ROOM * 255.0 / brightest), 1.0)
    levels = np.minimum(np.arange(256)[:, None] * gains, 255.0)
    table = np.rint(np.hstack((levels, np.arange(256)[:, None]))).astype(np.uint8)
    return np.asarray(cv2.LUT(texture, table[:, None]), np.uint8)


def _paper_around(image: NDArray[np.uint8], box: Box, mask: Mask) -> NDArray[np.float64] | None:
    """Colour (3,) of the paper beside a figure, 0..255; None: there is none, or it is a board."""
    margin = round(AROUND * max(mask.data.shape))
    top, left = max(int(box.y1) - margin, 0), max(int(box.x1) - margin, 0)
    view = image[top : int(box.y2) + margin, left : int(box.x2) + margin]
    cover = np.zeros(view.shape[:2], np.uint8)
    rows, columns = mask.data.shape
    y, x = int(box.y1) - top, int(box.x1) - left
    cover[y : y + rows, x : x + columns] = mask.data * np.uint8(255)
    small = shrink(view, SIDE)
    if is_light_on_dark(small):
        return None
    size = (small.shape[1], small.shape[0])
    beside = cv2.resize(cover, size, interpolation=cv2.INTER_AREA) == 0
    if not beside.any():
        return None
    return np.asarray(np.median(estimate_paper(small)[beside], axis=0), np.float64)


def _is_white_in_poor_light(paper: NDArray[np.float64]) -> bool:
    most, least = float(paper.max()), float(paper.min())
    return least < WHITE and float(paper.mean()) >= DARKEST and most - least <= MOST_COLOURED * most
