"""Premultiplied colours: laid over a canvas in the order in which they lie, and made straight."""

import numpy as np
from numpy.typing import NDArray

__all__ = ("blend", "lay_on_white", "straighten")

Packed = NDArray[np.uint32]
"""Premultiplied colours of four bytes as numbers: red in the lowest byte, alpha on top."""

SOLID, THINNEST = np.uint32(0xFF000000), np.uint32(0x01000000)
"""The least numbers of a colour that hides what is behind it, and of one that can be seen."""

WHITE = np.uint32(0xFFFFFFFF)


def blend(canvas: NDArray[np.uint8], pixels: NDArray[np.int64], colours: Packed) -> None:
    """Lay colours (N,) over pixels (N,) of a canvas (H, W, 4), premultiplied, one after the other.

    pixels: places on the flattened canvas; what comes later lies in front.
    """
    below = canvas.reshape(-1, 4).view(np.uint32)[:, 0]
    at_thin = pixels.take(np.flatnonzero(colours < SOLID))
    before = below.take(at_thin)
    # nearly all pixels have solid paint only, and what is laid last hides the rest
    below[pixels] = colours
    below[at_thin] = before
    has_thin = np.zeros(len(below), np.bool_)
    has_thin[at_thin] = True
    rest = np.flatnonzero(has_thin.take(pixels))
    _pile(below, pixels.take(rest), colours.take(rest))


def _pile(below: Packed, pixels: NDArray[np.int64], colours: Packed) -> None:
    """Lay colours (N,) over pixels (N,), also where thin ones lie over others."""
    solid, thin = np.flatnonzero(colours >= SOLID), _thin(colours)
    at_solid, at_thin = pixels.take(solid), pixels.take(thin)
    below[at_solid] = colours.take(solid)
    latest = np.empty(len(below), np.int64)
    latest[at_thin] = -1
    latest[at_solid] = solid
    seen = latest.take(at_thin) < thin
    at_thin, thin = at_thin[seen], thin[seen]
    while len(thin):
        # of several on one pixel the one behind goes first
        latest[at_thin[::-1]] = thin[::-1]
        behind = latest.take(at_thin) == thin
        _mix(below, at_thin[behind], colours.take(thin[behind]))
        at_thin, thin = at_thin[~behind], thin[~behind]


def straighten(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Turn premultiplied colours (h, w, 4) to straight ones, in place."""
    colours = picture.reshape(-1, 4).view(np.uint32)[:, 0]
    thin = _thin(colours)
    part = colours.take(thin).view(np.uint8).reshape(-1, 4)
    alpha = part[:, 3:].astype(np.uint16)
    levels = part[:, :3] * np.uint16(255)
    levels += alpha // 2
    levels //= alpha
    part[:, :3] = np.minimum(levels, 255)
    colours[thin] = part.view(np.uint32)[:, 0]
    return picture


def lay_on_white(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A picture (h, w, 4) of straight colours on white, opaque."""
    picture = np.ascontiguousarray(picture)
    colours = picture.reshape(-1, 4).view(np.uint32)[:, 0]
    if colours.min() >= SOLID:
        return picture
    laid = np.where(colours >= SOLID, colours, WHITE)
    thin = _thin(colours)
    part = colours.take(thin).view(np.uint8).reshape(-1, 4).astype(np.uint16)
    alpha = part[:, 3:].copy()
    part *= alpha
    part += np.uint16(255) * (np.uint16(255) - alpha) + np.uint16(127)
    part //= np.uint16(255)
    part[:, 3] = 255
    laid[thin] = part.astype(np.uint8).view(np.uint32)[:, 0]
    return laid.view(np.uint8).reshape(picture.shape)


def _thin(colours: Packed) -> NDArray[np.int64]:
    """Where colours are neither clear nor solid; clear ones go around to large numbers here."""
    return np.flatnonzero(colours - THINNEST < SOLID - THINNEST)


def _mix(below: Packed, pixels: NDArray[np.int64], colours: Packed) -> None:
    """Lay thin colours (N,) over pixels (N,), no two of them the same."""
    paint = colours.view(np.uint8).reshape(-1, 4)
    left = np.uint16(255) - paint[:, 3:]
    mixed = below.take(pixels).view(np.uint8).reshape(-1, 4) * left
    mixed += np.uint16(127)
    mixed //= np.uint16(255)
    mixed += paint
    below[pixels] = mixed.astype(np.uint8).view(np.uint32)[:, 0]
