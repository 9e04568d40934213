"""Parts: which ink belongs to the figure, and bridges between what is detached."""

import cv2
import numpy as np
from numpy.typing import NDArray

from animator.vision.belief import Belief

__all__ = ("NEARLY", "choose_ink", "join_parts")

Bits = NDArray[np.bool_]

NEARLY = 0.2
"""Belief from which ink is expected to be the figure's."""

_REACH = 0.12
"""How far ink that hangs together with the figure's may leave the box, share of the side."""

_MINE = 0.6
"""Ink that hangs together is followed to its end when this share of it is in the box."""

_SHORT = 0.08
"""Detached ink shorter than this share of the longer side may be a neighbour's fingers."""

_BELIEVED_SHORT = 0.3
"""Least mean belief in such a short part."""

_SPECK = 0.012
"""Detached ink shorter than this share of the longer side is dirt."""


_BELIEVED = 0.12
"""Least mean belief in a part that belongs: models are surer of areas than of thin strokes."""


def choose_ink(ink: Bits, belief: Belief) -> Bits:
    """Keep the ink that belongs: what hangs together with ink that is believed in.

    ink: (h, w) bool.
    """
    side = max(ink.shape)
    home = ((belief.own >= NEARLY) | belief.box) & ~belief.taken
    if not (ink & home & (belief.own >= NEARLY)).any():
        return np.zeros_like(ink)
    possible = _cut_denied(ink & ~belief.taken, belief.denied, _SHORT * side)
    clipped = _clip_runaways(possible, home, _REACH * side)
    labels, area, length = _measure(clipped)
    own = np.where(belief.taken, 0.0, belief.own)
    believed = np.bincount(labels[clipped], weights=own[clipped], minlength=len(area))
    needed = np.where(length >= _SHORT * side, _BELIEVED, _BELIEVED_SHORT)
    kept = (believed >= needed * area) & (length >= _SPECK * side)
    kept[np.argmax(believed)] = True
    kept[0] = False
    return np.asarray(kept[labels], bool)


def _cut_denied(ink: Bits, denied: Bits, least: float) -> Bits:
    """Take away what is denied, where at least so much of it hangs together, pixels.

    So a house ends where the hand begins that it touches; the tip of a finger is not worth a cut.
    """
    away = ink & denied
    if np.count_nonzero(away) < least:
        return ink
    labels, _, length = _measure(away)
    cut = length >= least
    cut[0] = False
    return np.asarray(ink & ~cut[labels], bool)


def _clip_runaways(ink: Bits, home: Bits, reach: float) -> Bits:
    """Cut the parts that lie mostly away from home to what is within reach of it, pixels."""
    labels, area, _ = _measure(ink)
    at_home = np.bincount(labels[ink & home], minlength=len(area))
    mine = at_home >= _MINE * area
    if mine[1:].all():
        return ink
    away = cv2.distanceTransform((~home).astype(np.uint8), cv2.DIST_L2, 3)
    return np.asarray(ink & (mine[labels] | (away <= reach)), bool)


def _measure(
    bits: Bits,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Label of each pixel (0: no part), and area and length of each part, pixels."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(bits.astype(np.uint8), connectivity=8)
    length = np.maximum(stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT])
    return np.asarray(labels, np.int32), np.asarray(stats[:, cv2.CC_STAT_AREA]), length


def join_parts(body: Bits) -> Bits:
    """Join detached parts by short bridges, each to the nearest of what is joined already."""
    thickness = max(3, round(0.008 * max(body.shape)))
    canvas = body.astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(canvas, connectivity=8)
    if count <= 2:
        return body
    joined = np.asarray(labels == 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA])))
    while joined.sum() < canvas.sum():
        start, end = _nearest_pair(joined, (canvas > 0) & ~joined)
        cv2.line(canvas, start, end, 1, thickness)
        _, labels = cv2.connectedComponents(canvas, connectivity=8)
        joined = np.asarray(labels == labels[start[1], start[0]])
    return canvas > 0


def _nearest_pair(joined: Bits, rest: Bits) -> tuple[tuple[int, int], tuple[int, int]]:
    """The pixels (x, y) of `rest` and of `joined` that are closest to each other."""
    away, nearest = cv2.distanceTransformWithLabels(
        (~joined).astype(np.uint8), cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL
    )
    row, column = np.unravel_index(np.argmin(np.where(rest, away, np.inf)), rest.shape)
    end_row, end_column = np.argwhere(joined & (nearest == nearest[row, column]))[0]
    return (int(column), int(row)), (int(end_column), int(end_row))
