"""Rooms: what the ink encloses, wholly or but for a gap in the outline."""

import cv2
import numpy as np
from numpy.typing import NDArray

from animator.vision.belief import Belief

__all__ = ("fill_rooms",)

Bits = NDArray[np.bool_]
Values = NDArray[np.float64]
Labels = NDArray[np.int32]

_DOORS = (0.0, 0.01, 0.02, 0.035, 0.055)
"""Half widths of gaps in an outline that are tried, as shares of the longer side."""

_ENCLOSED = 0.6
"""Mean belief from which an enclosed room is filled: what limbs enclose is believed in by half."""

_BELIEVED = 0.68
"""The same, of a room with a door, which is more often a space between limbs."""

_LARGE = 0.1
"""A room larger than this share of the picture is hardly enclosed by limbs: `_LIKELY` is enough."""

_LIKELY = 0.4
"""Mean belief from which a large room is filled."""

_SEEN = 0.7
"""Share of an enclosed room in the figure's box from which the models' word counts."""

_SMALL = 0.01
"""An enclosed room smaller than this share of the picture is always filled."""

_AJAR = 0.2
"""Share of a room's rim that may be door, where the room is hardly wider than its door."""

_CERTAIN = 0.8
"""Belief from which a broad region is filled though no ink encloses it."""

_BROAD = 0.04
"""Radius that such a region must hold, as a share of the longer side."""

_CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], np.uint8)
_SQUARE = np.ones((3, 3), np.uint8)


def fill_rooms(ink: Bits, belief: Belief) -> Bits:
    """Fill what belongs to the figure inside its outline, also where the outline has a gap.

    ink: (h, w) bool.

    A room is what the outside cannot reach through gaps narrower than a door. It is filled where
    it is believed in; so the space between arm and hip stays open. The corner between two strokes
    is no room, for most of its rim is door.
    """
    body = ink.copy()
    for door in _DOORS:
        radius = round(door * max(ink.shape))
        outside = _outside(body, radius)
        rooms = ~body & ~outside
        count, labels = _label(rooms)
        if count == 1:
            continue
        area = np.bincount(labels.ravel(), minlength=count) / ink.size
        believed = _mean(belief.own, labels, count)
        needed = _BELIEVED if radius else _ENCLOSED
        kept = believed > np.where(area > _LARGE, _LIKELY, needed)
        if radius == 0:
            kept |= (area < _SMALL) | (_mean(belief.box, labels, count) < _SEEN)
        else:
            wide = _depth(rooms, labels, count) > 2.0 * radius
            kept &= wide | (_open_share(rooms, outside, labels, count) < _AJAR)
        kept[0] = False
        body |= kept[labels]
    return body | _certain_regions(body, belief)


def _certain_regions(body: Bits, belief: Belief) -> Bits:
    """Broad regions that the models are certain of, such as a head whose outline is too faint."""
    radius = round(_BROAD * max(body.shape))
    certain = (belief.own >= _CERTAIN) & ~belief.taken
    broad, missing = _open(certain, radius), _open(certain & ~body, radius)
    _, labels = _label(broad)
    return np.asarray(broad & np.isin(labels, labels[missing]), bool)


def _outside(body: Bits, radius: int) -> Bits:
    """What is reached from the border through gaps wider than 2 x radius, (h, w) bool."""
    free = ~np.pad(body, radius + 1)
    _, labels = _label(~_grow(~free, radius))
    reached = labels == labels[0, 0]
    for step in range(radius):
        # a square every third step makes the growing front nearly round
        reached = _dilate(reached, _CROSS if step % 3 else _SQUARE) & free
    inner = slice(radius + 1, -(radius + 1))
    return np.asarray(reached[inner, inner], bool)


def _label(bits: Bits) -> tuple[int, Labels]:
    """Number of parts with the rest, and the part of each pixel; 0 is the rest."""
    count, labels = cv2.connectedComponents(bits.astype(np.uint8), connectivity=4)
    return count, np.asarray(labels, np.int32)


def _grow(bits: Bits, radius: int) -> Bits:
    """All within a distance of what is true: dilation by a disk, at the same cost for any size."""
    away = cv2.distanceTransform((~bits).astype(np.uint8), cv2.DIST_L2, 5)
    return np.asarray(away <= radius, bool)


def _open(bits: Bits, radius: int) -> Bits:
    return _grow(~_grow(~bits, radius), radius)


def _dilate(bits: Bits, kernel: NDArray[np.uint8]) -> Bits:
    return np.asarray(cv2.dilate(bits.astype(np.uint8), kernel), bool)


def _mean(values: NDArray[np.generic], labels: Labels, count: int) -> Values:
    area = np.maximum(np.bincount(labels.ravel(), minlength=count), 1)
    sums = np.bincount(labels.ravel(), weights=values.ravel(), minlength=count)
    return np.asarray(sums / area, np.float64)


def _depth(rooms: Bits, labels: Labels, count: int) -> Values:
    """Radius of the largest disk in each room, pixels."""
    away = cv2.distanceTransform(rooms.astype(np.uint8), cv2.DIST_L2, 3)
    depth = np.zeros(count)
    np.maximum.at(depth, labels[rooms], away[rooms])
    return depth


def _open_share(rooms: Bits, outside: Bits, labels: Labels, count: int) -> Values:
    """Share of each room's rim that is door."""
    rim = rooms & _dilate(~rooms, _SQUARE)
    door = rim & _dilate(outside, _SQUARE)
    whole = np.maximum(np.bincount(labels[rim], minlength=count), 1)
    return np.asarray(np.bincount(labels[door], minlength=count) / whole, np.float64)
