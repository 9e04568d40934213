"""Bytes in, an upright picture out: formats, limits, orientation, RGB."""

from animator.ingest.character import is_character, read_character
from animator.ingest.decode import decode_image
from animator.ingest.limits import DEFAULT_LIMITS, ImageLimits
from animator.ingest.picture import encode_picture

__all__ = (
    "DEFAULT_LIMITS",
    "ImageLimits",
    "decode_image",
    "encode_picture",
    "is_character",
    "read_character",
)
