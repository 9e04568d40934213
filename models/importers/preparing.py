"""Pictures as the imported networks want them, without torch."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from models.importers.conventions import Conventions, RegionConventions, TopDownConventions

__all__ = ("Planes", "View", "inner_box", "prepare_crop", "prepare_picture")

_MULTIPLE = 32  # of which the sides of the padded picture must be

_PADDING = 1 / 12
"""Space on each side of the figure in a crop, as a share of the crop's longer side: callers add a
tenth of the figure's longer side."""


@dataclass(frozen=True, slots=True, eq=False)
class Planes:
    """A picture for Mask R-CNN and its kin.

    Attributes:
        pixels: (1, 3, H, W) float32, normalised, zero beyond the picture.
        size: (2,) int64, height and width of the picture in it.
        scale: (2,) float32, pixels of the planes per pixel of the picture, x and y.
    """

    pixels: NDArray[np.float32]
    size: NDArray[np.int64]
    scale: NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A crop for a top-down network.

    Attributes:
        pixels: (3, H, W) float32, normalised.
        origin: (2,) float32, where the upper left corner of the view lies in the crop, x and y.
        scale: pixels of the crop per pixel of the view.
    """

    pixels: NDArray[np.float32]
    origin: NDArray[np.float32]
    scale: float


def prepare_picture(image: NDArray[np.uint8], conventions: RegionConventions) -> Planes:
    """Scale, normalise and pad a picture (H, W, 3) uint8 RGB."""
    height, width = image.shape[:2]
    short, long = min(height, width), max(height, width)
    factor = min(conventions.short_side / short, conventions.long_side / long)
    half = 0.0 if conventions.resampling == "float" else 0.5
    new = (max(1, int(width * factor + half)), max(1, int(height * factor + half)))
    small = _normalise(_resize(image, new, conventions.resampling), conventions)
    sides = [-(-side // _MULTIPLE) * _MULTIPLE for side in small.shape[1:]]
    pixels = np.zeros((1, 3, *sides), np.float32)
    pixels[0, :, : new[1], : new[0]] = small
    return Planes(
        pixels=pixels,
        size=np.array([new[1], new[0]], np.int64),
        scale=np.array([new[0] / width, new[1] / height], np.float32),
    )


def prepare_crop(image: NDArray[np.uint8], conventions: TopDownConventions) -> View:
    """Lay the network's view around the figure in a crop (h, w, 3) uint8 RGB.

    The figure is taken to be the crop without the space that callers leave around it. What lies
    beyond the crop is black, as in training.
    """
    height, width = image.shape[:2]
    x1, y1, x2, y2 = inner_box(width, height)
    wide = max(x2 - x1, (y2 - y1) * conventions.input_width / conventions.input_height)
    scale = wide * conventions.box_padding / conventions.input_width
    view = np.array([conventions.input_width, conventions.input_height], np.float32) * scale
    origin = np.array([width, height], np.float32) / 2 - view / 2
    matrix = np.array([[scale, 0, origin[0]], [0, scale, origin[1]]], np.float64)
    pixels = cv2.warpAffine(
        image,
        matrix,
        (conventions.input_width, conventions.input_height),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
    )
    return View(pixels=_normalise(pixels, conventions), origin=origin, scale=float(scale))


def inner_box(width: int, height: int) -> NDArray[np.float32]:
    """Where the figure is expected in a crop: (4,) float32 xyxy, pixels."""
    space = _PADDING * max(width, height)
    x, y = min(space, width / 4), min(space, height / 4)
    return np.array([x, y, width - x, height - y], np.float32)


def _resize(image: NDArray[np.uint8], size: tuple[int, int], how: str) -> NDArray[np.float32]:
    if how == "pillow":
        small = Image.fromarray(image).resize(size, Image.Resampling.BILINEAR)
        return np.asarray(small, dtype=np.float32)
    picture = image.astype(np.float32) if how == "float" else image
    resized = cv2.resize(picture, size, interpolation=cv2.INTER_LINEAR)
    return np.asarray(resized, dtype=np.float32)


def _normalise(image: NDArray[np.generic], conventions: Conventions) -> NDArray[np.float32]:
    """Pixels (H, W, 3) RGB to planes (3, H, W) float32 in the network's order of channels."""
    channels = image if conventions.rgb else image[:, :, ::-1]
    mean, deviation = (np.array(c, np.float32) for c in (conventions.mean, conventions.deviation))
    scaled = (channels.astype(np.float32) - mean) / deviation
    return np.ascontiguousarray(scaled.transpose(2, 0, 1))
