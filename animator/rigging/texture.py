"""The figure's paint with a soft edge, and no paper showing at it."""

import cv2
import numpy as np
from numpy.typing import NDArray

from animator.rigging.lab import lab_from_rgb

__all__ = ("cut_texture",)

Plane = NDArray[np.uint8]

RIM = 0.012
"""How deep paper may reach in from the mask's edge and still be cut off, of the longer side;
at least four pixels."""

PAPERLIKE = 10.0
"""Colours this close to the paper around are paper: distance in CIE L*a*b* times `LAB_SCALE`."""

LAB_SCALE = np.array([2.55, 1.0, 1.0], np.float32)
"""Lightness counts more than hue where paper is told from paint."""

PASS = 1
"""Radius of the smallest hole in a line through which paper inside counts as outside, pixels."""

MOST_CUT = 0.85
"""A figure that would lose more than this as paper is left whole: its paint is like the paper."""

BLEND = 0.003
"""How far ink and paper blend at the edge of a line, of the longer side, beyond one pixel."""

SMOOTHNESS = 1.0
SOFTNESS = 0.6
"""Standard deviations of the blurs that round the outline and antialias it, pixels."""


def cut_texture(image: NDArray[np.uint8], mask: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Paint (h, w, 4) uint8 RGBA, straight alpha, from an image (h, w, 3) and its mask (h, w).

    Paper between the mask's edge and the ink is cut off, the edge is antialiased, and the colour
    under it is that of the ink inside, so nothing light shines at the rim. Paper inside stays.
    """
    solid = _trim_paper(image, mask.astype(np.uint8))
    colour = _spread(image, _core(solid))
    alpha = cv2.GaussianBlur(solid * np.float32(255), (0, 0), SOFTNESS)
    return np.dstack((colour, np.rint(alpha).astype(np.uint8)))


def _trim_paper(image: NDArray[np.uint8], solid: Plane) -> Plane:
    """The mask (h, w) without the paper that touches its edge, its outline rounded."""
    rim = max(round(RIM * max(solid.shape)), 4)
    beyond = (solid == 0) & (_away(solid) <= rim)
    if not beyond.any():
        return solid
    depth = cv2.distanceTransform(np.pad(solid, 1), cv2.DIST_L2, 5)[1:-1, 1:-1]
    loose = _is_paper(image, beyond, (solid > 0) & (depth <= rim), 8 * rim)
    kept = np.where(_reach(loose | (solid == 0), solid == 0) & loose, 0, solid)
    if kept.sum() < (1 - MOST_CUT) * solid.sum():
        return solid
    rounded = cv2.GaussianBlur(kept * np.float32(1), (0, 0), SMOOTHNESS) > 0.4
    return rounded.astype(np.uint8)


def _reach(free: NDArray[np.bool_], start: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """What of a free area (h, w) a small disc can sweep that comes from the start.

    The disc does not pass the holes of a faint line, so the paper behind the line stays.
    """
    brush = _disc(PASS)
    padded = np.pad(free.astype(np.uint8), PASS, constant_values=1)
    centres = cv2.erode(padded, brush)[PASS:-PASS, PASS:-PASS]
    _, labels = cv2.connectedComponents(np.asarray(centres, np.uint8), connectivity=4)
    from_start = np.zeros(labels.max() + 1, dtype=bool)
    from_start[labels[start]] = True
    from_start[0] = False
    return np.asarray(cv2.dilate(from_start[labels].astype(np.uint8), brush) > 0) & free


def _core(solid: Plane) -> Plane:
    """Pixels (h, w) of pure paint: off the edge or, far from any such, on a line's middle."""
    blend = BLEND * max(solid.shape) + 1
    depth = cv2.distanceTransform(np.pad(solid, 1), cv2.DIST_L2, 5)[1:-1, 1:-1]
    core = (depth > blend).astype(np.uint8)
    middle = (depth >= cv2.dilate(depth, np.ones((3, 3), np.uint8))) & (solid > 0)
    lonely = middle & (_away(core) > round(2 * blend))
    return np.where(lonely, 1, core).astype(np.uint8)


def _is_paper(
    image: NDArray[np.uint8], beyond: NDArray[np.bool_], asked: NDArray[np.bool_], radius: int
) -> NDArray[np.bool_]:
    """Which of the pixels asked for (h, w) look like those beyond the mask's edge, near each."""
    places = beyond | asked
    lab = lab_from_rgb(image[places][None])[0] * LAB_SCALE
    is_beyond = beyond[places]
    around = np.zeros(image.shape, np.float32)
    around[beyond] = lab[is_beyond]
    size = (2 * radius + 1, 2 * radius + 1)
    mean = lab[is_beyond].mean(axis=0)
    total = np.asarray(cv2.blur(around, size))[places] + 1e-4 * mean
    share = np.asarray(cv2.blur(beyond.astype(np.float32), size))[places] + 1e-4
    gap = np.sqrt(((lab - total / share[:, None]) ** 2).sum(axis=1))
    noise = 3 * float(np.median(gap[is_beyond]))
    found = np.zeros(beyond.shape, np.bool_)
    found[places] = gap < max(noise, PAPERLIKE)
    return found & asked


def _spread(image: NDArray[np.uint8], source: Plane) -> NDArray[np.uint8]:
    """Every pixel takes the colour of the nearest source pixel."""
    _, labels = cv2.distanceTransformWithLabels(
        1 - source, cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL
    )
    colours = np.zeros((labels.max() + 1, 3), np.uint8)
    colours[labels[source > 0]] = image[source > 0]
    return np.asarray(colours[labels])


def _away(source: Plane) -> NDArray[np.float32]:
    """Distance (h, w) of each pixel from the nearest one of a set; infinite from none."""
    if not source.any():
        return np.full(source.shape, np.inf, np.float32)
    return np.asarray(cv2.distanceTransform(1 - source, cv2.DIST_L2, 5), np.float32)


def _disc(radius: int) -> Plane:
    side = 2 * radius + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)), np.uint8)
