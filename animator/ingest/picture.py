"""A drawing as bytes that every browser shows."""

from io import BytesIO

from PIL import Image

from animator.core.drawing import Drawing

__all__ = ("encode_picture",)

_QUALITY = 88


def encode_picture(drawing: Drawing) -> bytes:
    """The upright picture as JPEG, in its own size."""
    buffer = BytesIO()
    Image.fromarray(drawing.image).save(buffer, "JPEG", quality=_QUALITY)
    return buffer.getvalue()
