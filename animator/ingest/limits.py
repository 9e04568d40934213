"""Limits on pictures, checked on the bytes and the header before a pixel is decoded."""

import msgspec

from animator.core.errors import ImageTooLarge

__all__ = ("DEFAULT_LIMITS", "ImageLimits", "check_bytes", "check_size")


class ImageLimits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is refused.

    Attributes:
        max_bytes: of the file, > 0.
        max_pixels: width times height, > 0.
        max_aspect: longer side over shorter side, >= 1.
        min_side: shorter side, pixels, > 0.
    """

    max_bytes: int = 50 * 1024 * 1024
    max_pixels: int = 50_000_000
    max_aspect: float = 10.0
    min_side: int = 16


DEFAULT_LIMITS = ImageLimits()


def check_bytes(count: int, limits: ImageLimits) -> None:
    """Refuse a file that is too long.

    Raises:
        ImageTooLarge: when it has more bytes than allowed.
    """
    if count > limits.max_bytes:
        msg = (
            f"The file has {count / 1e6:.0f} MB; at most {limits.max_bytes / 1e6:.0f} MB are read. "
            "Save the picture smaller, for example as JPEG."
        )
        raise ImageTooLarge(msg)


def check_size(width: int, height: int, limits: ImageLimits) -> None:
    """Refuse a picture that is too large, too small or too narrow.

    Raises:
        ImageTooLarge: when a side, the pixels or the aspect exceed the limits.
    """
    short, long = sorted((width, height))
    if short < limits.min_side:
        msg = (
            f"The picture is {width} x {height} pixels; each side needs at least "
            f"{limits.min_side}. Use a larger picture of the drawing."
        )
        raise ImageTooLarge(msg)
    if width * height > limits.max_pixels:
        msg = (
            f"The picture is {width} x {height} pixels; at most "
            f"{limits.max_pixels / 1e6:.0f} million are read. Save it smaller and try again."
        )
        raise ImageTooLarge(msg)
    if long > limits.max_aspect * short:
        msg = (
            f"The picture is {width} x {height} pixels, far longer than wide or far wider than "
            "long. Cut it closer to the drawing and try again."
        )
        raise ImageTooLarge(msg)
