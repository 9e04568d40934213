"""Rooms: what the ink encloses, wholly or but for a gap in the outline."""

import cv2
import numpy as np
from numpy.typing import NDArray

from animator.vision.belief import Belief, resize_belief
from animator.vision.scaling import halve

__all__ = ("fill_rooms",)

Bits = NDArray[np.bool_]
Values = NDArray[np.float64]
Labels = NDArray[np.int32]

_DOORS = (0.01, 0.02, 0.035, 0.055)
"""Half widths of gaps in an outline that are tried, as shares of the longer side."""

_ENCLOSED = 0.6
"""Mean belief from which an enclosed room is filled: what limbs enclose is believed in by half."""

_BELIEVED = 0.66
"""The same, of a room with a door, which is more often a space between limbs."""

_OPEN = 0.5
"""How much more is needed of a room whose rim is nothing but door, and in proportion of others."""

_AJAR = 0.2
"""Share of its rim that may be door; of a corner between two strokes it is more."""

_CORNER = 0.0015
"""Such a corner is smaller than this share of the picture."""

_LARGE = 0.1
"""A larger enclosed room, as a share of the picture, is hardly between limbs: see `_LIKELY`."""

_LIKELY = 0.4
"""Mean belief from which a large room is filled."""

_SEEN = 0.7
"""Share of an enclosed room in the figure's box from which the models' word counts."""

_SMALL = 0.01
"""An enclosed room smaller than this share of the picture is always filled."""

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
    is no room, for most of its rim is door. Rooms without a door are found pixel by pixel, all
    others on half the grid, where a door is still some pixels wide.
    """
    body = ink | _enclosed_rooms(ink, belief)
    half = halve(body)
    coarse = resize_belief(belief, half.shape)
    # a cell that holds ink hides the pixel between the ink and the room
    rooms = _dilate(_enlarge(_rooms_with_doors(half, coarse), ink.shape), _SQUARE)
    return body | rooms | _enlarge(_certain_regions(half, coarse), ink.shape)


def _enclosed_rooms(ink: Bits, belief: Belief) -> Bits:
    """What is behind ink on all sides, and believed in."""
    count, labels = _label(np.pad(~ink, 1, constant_values=True))
    outside, labels = labels[0, 0], labels[1:-1, 1:-1]
    rooms = ~ink & (labels != outside)
    area, believed = _means(belief.own, rooms, labels, count)
    _, seen = _means(belief.box, rooms, labels, count)
    area /= ink.size
    kept = believed > np.where(area > _LARGE, _LIKELY, _ENCLOSED)
    kept |= (area < _SMALL) | (seen < _SEEN)
    kept[[0, outside]] = False
    return np.asarray(kept[labels], bool)


def _rooms_with_doors(ink: Bits, belief: Belief) -> Bits:
    """What can be entered through a gap of the outline only, and is believed in."""
    body = ink.copy()
    for door in _DOORS:
        radius = round(door * max(ink.shape))
        outside = _outside(body, radius)
        rooms = ~body & ~outside
        count, labels = _label(rooms)
        if count == 1:
            continue
        area, believed = _means(belief.own, rooms, labels, count)
        door_share = _open_share(rooms, outside, labels, count)
        kept = believed > _BELIEVED + _OPEN * door_share
        kept &= (door_share < _AJAR) | (area > _CORNER * ink.size)
        kept[0] = False
        body |= kept[labels]
    return body & ~ink


def _certain_regions(body: Bits, belief: Belief) -> Bits:
    """Broad regions that the models are certain of, such as a head whose outline is too faint."""
    radius = round(_BROAD * max(body.shape))
    certain = (belief.own >= _CERTAIN) & ~belief.taken
    missing = _open(certain & ~body, radius)
    if not missing.any():
        return missing
    broad = _open(certain, radius)
    _, labels = _label(broad)
    return np.asarray(broad & np.isin(labels, labels[missing]), bool)


def _enlarge(bits: Bits, shape: tuple[int, ...]) -> Bits:
    size = (shape[1], shape[0])
    return cv2.resize(bits.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST) > 0


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


def _means(
    values: NDArray[np.generic], rooms: Bits, labels: Labels, count: int
) -> tuple[Values, Values]:
    """Area of each room, pixels, and the mean of some values in it."""
    inside = labels[rooms]
    area = np.bincount(inside, minlength=count).astype(np.float64)
    sums = np.bincount(inside, weights=values[rooms], minlength=count)
    return area, np.asarray(sums / np.maximum(area, 1), np.float64)


def _open_share(rooms: Bits, outside: Bits, labels: Labels, count: int) -> Values:
    """Share of each room's rim that is door."""
    rim = rooms & _dilate(~rooms, _SQUARE)
    door = rim & _dilate(outside, _SQUARE)
    whole = np.maximum(np.bincount(labels[rim], minlength=count), 1)
    return np.asarray(np.bincount(labels[door], minlength=count) / whole, np.float64)
