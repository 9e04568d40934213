"""Files of others in, nouns out: upright pictures, characters, scenes."""

from animator.ingest.apart import decode_apart
from animator.ingest.character import is_character, read_character
from animator.ingest.decode import decode_image
from animator.ingest.limits import DEFAULT_LIMITS, ImageLimits
from animator.ingest.picture import encode_lossless, encode_picture
from animator.ingest.scene_file import read_scene

__all__ = (
    "DEFAULT_LIMITS",
    "ImageLimits",
    "decode_apart",
    "decode_image",
    "encode_lossless",
    "encode_picture",
    "is_character",
    "read_character",
    "read_scene",
)
