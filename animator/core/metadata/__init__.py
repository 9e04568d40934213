"""What a picture's file tells beside the picture: where, when and by whose camera it was taken.

    bytes as they came → bytes that show the same picture and tell nothing else

What is kept is named, not what is dropped: only the parts that a decoder needs, and by which side
the picture stands upright. Nothing is decoded, so no pixel changes.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from animator.core.image_format import ImageFormat, sniff_format
from animator.core.metadata.gif import strip_gif
from animator.core.metadata.heif import strip_heif
from animator.core.metadata.jpeg import strip_jpeg
from animator.core.metadata.parts import CannotStrip
from animator.core.metadata.png import strip_png
from animator.core.metadata.webp import strip_webp

__all__ = ("strip_metadata",)


def strip_metadata(data: bytes) -> bytes | None:
    """The same picture without anything else that its file told.

    Args:
        data: a picture of a format that is read.

    Returns:
        The same bytes where there was nothing to take away. None where it cannot be taken away
        without decoding the picture: then whoever decodes it writes it anew.
    """
    strip = _STRIPPERS.get(sniff_format(data))
    if strip is None:
        return None
    try:
        return strip(data)
    except CannotStrip:
        return None


def _keep(data: bytes) -> bytes:
    """A BMP has room for pixels only."""
    return data


_STRIPPERS: Mapping[ImageFormat, Callable[[bytes], bytes]] = MappingProxyType(
    {
        ImageFormat.BMP: _keep,
        ImageFormat.GIF: strip_gif,
        ImageFormat.HEIF: strip_heif,
        ImageFormat.JPEG: strip_jpeg,
        ImageFormat.PNG: strip_png,
        ImageFormat.WEBP: strip_webp,
    }
)
