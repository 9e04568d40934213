"""A drawing as bytes: as every browser shows it, or to the last bit."""

from io import BytesIO

from PIL import Image

from animator.core.drawing import Drawing

__all__ = ("encode_lossless", "encode_picture")

_QUALITY = 88


def encode_picture(drawing: Drawing) -> bytes:
    """The upright picture as JPEG, in its own size."""
    buffer = BytesIO()
    Image.fromarray(drawing.image).save(buffer, "JPEG", quality=_QUALITY)
    return buffer.getvalue()


def encode_lossless(drawing: Drawing) -> bytes:
    """The upright picture as PNG, quickly rather than small."""
    buffer = BytesIO()
    Image.fromarray(drawing.image).save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()
