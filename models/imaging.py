"""Encoded pictures into pixels, for requests that carry a file."""

import io

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

__all__ = ("BadPicture", "decode_rgb")

MAX_BYTES = 50_000_000
MAX_PIXELS = 40_000_000


class BadPicture(ValueError):
    """The body is no picture that this model takes."""


def decode_rgb(body: bytes) -> NDArray[np.uint8]:
    """Decode a picture (PNG, JPEG, WebP, BMP, TIFF), turned upright, to (H, W, 3) uint8 RGB.

    Raises:
        BadPicture: when it is none, or larger than 50 MB or 40 megapixels.
    """
    if len(body) > MAX_BYTES:
        msg = f"the picture has {len(body)} bytes, at most {MAX_BYTES} are taken"
        raise BadPicture(msg)
    width, height = _size(body)
    if width * height > MAX_PIXELS:
        msg = f"the picture has {width} x {height} pixels, at most {MAX_PIXELS} are taken"
        raise BadPicture(msg)
    image = cv2.imdecode(np.frombuffer(body, np.uint8), cv2.IMREAD_COLOR_RGB)
    if image is None:
        msg = "the picture cannot be decoded"
        raise BadPicture(msg)
    return np.asarray(image, dtype=np.uint8)


def _size(body: bytes) -> tuple[int, int]:
    """Width and height from the header, before anything is decoded."""
    try:
        with Image.open(io.BytesIO(body)) as image:
            return image.size
    except (UnidentifiedImageError, OSError, ValueError, Image.DecompressionBombError) as error:
        msg = "the body is not a picture"
        raise BadPicture(msg) from error
