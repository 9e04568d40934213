"""Bytes to Drawing, with Pillow and libheif behind it."""

import hashlib
import warnings
from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import ExifTags, Image

from animator.core.drawing import Drawing
from animator.core.errors import ImageTooLarge, InvalidImage
from animator.core.image_format import ImageFormat, sniff_format
from animator.ingest.limits import DEFAULT_LIMITS, ImageLimits, check_bytes, check_size

__all__ = ("BROKEN", "decode_image")

_UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
"""EXIF orientation (CIPA DC-008, tag 0x0112) to the turn that sets a picture upright."""

BROKEN = "The picture cannot be read: the file is damaged or incomplete. Save or send it again."

_BOMB = "The picture has far more pixels than are read. Save it smaller and try again."


def decode_image(data: bytes, limits: ImageLimits = DEFAULT_LIMITS) -> Drawing:
    """Read a picture: the first frame, upright, in RGB, with white behind what is transparent.

    The format is told by the bytes; bytes and pixels are checked before anything is decoded.

    Raises:
        UnsupportedImage: when the bytes are of no format that is read.
        ImageTooLarge: when a limit is exceeded.
        InvalidImage: when the bytes are empty, damaged or incomplete.
    """
    check_bytes(len(data), limits)
    image_format = sniff_format(data)
    with warnings.catch_warnings():
        # Pillow warns of odd metadata and of large pictures; both are dealt with here.
        warnings.simplefilter("ignore")
        try:
            with _open(data, image_format) as image:
                check_size(image.width, image.height, limits)
                image.load()
                upright = _set_upright(image)
                pixels = _to_rgb(upright)
        except InvalidImage:
            raise
        except Image.DecompressionBombError as error:
            raise ImageTooLarge(_BOMB) from error
        except Exception as error:
            # A decoder fails on damaged bytes with any exception there is (OSError, SyntaxError,
            # struct.error, ZeroDivisionError ...); to the user they are one and the same.
            raise InvalidImage(BROKEN) from error
    return Drawing(id=hashlib.sha256(data).hexdigest(), image=pixels)


def _open(data: bytes, image_format: ImageFormat) -> Image.Image:
    """Read the header only."""
    if image_format is ImageFormat.HEIF:
        # few pictures come from phones that need its library
        from pi_heif import HeifImageFile

        return HeifImageFile(BytesIO(data))  # type: ignore[no-any-return]
    return Image.open(BytesIO(data), formats=(image_format.value.upper(),))


def _set_upright(image: Image.Image) -> Image.Image:
    """Turn a picture as its EXIF tag says; damaged EXIF counts as none."""
    try:
        orientation = image.getexif().get(ExifTags.Base.Orientation, 1)
    except Exception:  # damaged EXIF raises whatever the parser happens to trip over
        return image
    turn = _UPRIGHT.get(orientation) if isinstance(orientation, int) else None
    return image if turn is None else image.transpose(turn)


def _to_rgb(image: Image.Image) -> NDArray[np.uint8]:
    """Any mode to (H, W, 3) uint8 RGB."""
    if image.mode.startswith(("I", "F")):
        grey = _to_eight_bits(np.asarray(image))
        return np.repeat(grey[:, :, None], 3, axis=2)
    if image.has_transparency_data:
        layer = image.convert("RGBA")
        paper = Image.new("RGBA", layer.size, (255, 255, 255, 255))
        return np.array(Image.alpha_composite(paper, layer).convert("RGB"))
    return np.array(image.convert("RGB"))


def _to_eight_bits(grey: NDArray[np.generic]) -> NDArray[np.uint8]:
    """Deep grey (H, W) to uint8: 16 bits keep their scale, other ranges are stretched."""
    values = np.nan_to_num(grey.astype(np.float32))
    low, high = float(values.min()), float(values.max())
    if grey.dtype.itemsize == 2 or (low >= 0 and 255 < high <= 65535):
        low, high = 0.0, 65535.0
    elif low >= 0 and high <= 255:
        low, high = 0.0, 255.0
    scaled = (values - low) * (255.0 / max(high - low, 1e-6))
    eight: NDArray[np.uint8] = np.clip(np.rint(scaled), 0, 255).astype(np.uint8)
    return eight
