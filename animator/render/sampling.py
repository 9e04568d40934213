"""Textures made ready for sampling: premultiplied, and as fine as the frame needs."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ("Paint", "Places", "paint_from_texture", "room_for", "sample")

Places = NDArray[np.complex64]
"""Points of a paint as x + iy, in rows of `ROW`; the centre of pixel i is at i."""

ROW = 256
"""Sampled points are laid out in rows of this length: OpenCV's maps may not be too wide."""


@dataclass(frozen=True, slots=True, eq=False)
class Paint:
    """A texture for drawing at one scale.

    Attributes:
        data: (m, n, 4) uint8 RGBA, premultiplied alpha.
        scale: its pixels per pixel of the figure's texture, (x, y).
    """

    data: NDArray[np.uint8]
    scale: tuple[float, float]


def paint_from_texture(texture: NDArray[np.uint8], pixels_per_texel: float) -> Paint:
    """Premultiply a straight RGBA texture (h, w, 4) and shrink it to the frame's scale.

    pixels_per_texel: frame pixels that one pixel of the texture covers, > 0. Shrinking first
    averages what would else be skipped, so thin lines neither break nor flicker.
    """
    alpha = texture[..., 3:].astype(np.float32) / 255
    premultiplied: NDArray[np.float32] = np.dstack(
        (texture[..., :3] * alpha, texture[..., 3].astype(np.float32))
    )
    height, width = texture.shape[:2]
    shrink = min(pixels_per_texel, 1.0)
    size = (max(round(width * shrink), 1), max(round(height * shrink), 1))
    if size != (width, height):
        premultiplied = np.asarray(
            cv2.resize(premultiplied, size, interpolation=cv2.INTER_AREA), np.float32
        )
    return Paint(
        data=np.rint(premultiplied).astype(np.uint8),
        scale=(size[0] / width, size[1] / height),
    )


def room_for(count: int) -> Places:
    """Room for so many places: (R, ROW), those beyond the last are 0."""
    places = np.empty((max(-(-count // ROW), 1), ROW), np.complex64)
    places.ravel()[count:] = 0
    return places


def sample(paint: Paint, places: Places) -> NDArray[np.uint32]:
    """Bilinear samples of a paint at places (R, ROW); 0 outside it.

    Returns (R * ROW,) uint32: the four bytes of each colour as one number.
    """
    found = cv2.remap(  # type: ignore[call-overload]
        paint.data,
        places.view(np.float32).reshape(*places.shape, 2),
        None,  # the first map holds x and y
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=(0, 0, 0, 0),
    )
    return np.asarray(found.view(np.uint32).ravel())
