"""What kind of picture some bytes are, told by their first bytes and never by a file's name."""

from enum import StrEnum

from animator.core.errors import InvalidImage, UnsupportedImage

__all__ = ("ImageFormat", "sniff_format")


class ImageFormat(StrEnum):
    """The formats that are read."""

    PNG = "png"
    JPEG = "jpeg"
    WEBP = "webp"
    HEIF = "heif"
    BMP = "bmp"
    TIFF = "tiff"
    GIF = "gif"


_READABLE = "PNG, JPEG, WebP, HEIC, BMP, TIFF or GIF"

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", ImageFormat.PNG),
    (b"\xff\xd8\xff", ImageFormat.JPEG),
    (b"GIF87a", ImageFormat.GIF),
    (b"GIF89a", ImageFormat.GIF),
    (b"II*\x00", ImageFormat.TIFF),
    (b"MM\x00*", ImageFormat.TIFF),
    (b"BM", ImageFormat.BMP),
)

_HEIF_BRANDS = frozenset(
    (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", b"mif1", b"msf1")
)
"""Major brands of HEIF files (ISO/IEC 23008-12)."""


def sniff_format(data: bytes) -> ImageFormat:
    """Tell the format from the magic bytes; the first 1024 bytes are enough.

    Raises:
        InvalidImage: when there are no bytes.
        UnsupportedImage: when the bytes are of no format that is read; the sentence says what they
            seem to be and what to do.
    """
    if not data:
        msg = "The file is empty. Choose the picture again, or take a new photo."
        raise InvalidImage(msg)
    for magic, image_format in _MAGIC:
        if data.startswith(magic):
            return image_format
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return ImageFormat.WEBP
    if data[4:8] == b"ftyp" and data[8:12] in _HEIF_BRANDS:
        return ImageFormat.HEIF
    msg = f"{_guess(data)} Save the drawing as {_READABLE} and try again."
    raise UnsupportedImage(msg)


def _guess(data: bytes) -> str:
    """A sentence about what the bytes seem to be."""
    start = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith(b"%pdf"):
        return "This is a PDF document, not a picture."
    if start.startswith(b"<svg") or (start.startswith(b"<?xml") and b"<svg" in start):
        return "This is an SVG drawing, which is not read."
    if data[4:8] == b"ftyp" and data[8:12] in (b"avif", b"avis"):
        return "This is an AVIF picture, which is not read."
    if data[4:8] == b"ftyp" or data[:4] == b"\x1aE\xdf\xa3":
        return "This is a video, not a picture."
    if data[:4] == b"PK\x03\x04":
        return "This is a zip file or an office document, not a picture."
    return "This file is not a picture of a kind that is read."
