"""The format is told by the first bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from animator.core.errors import InvalidImage, UnsupportedImage
from animator.core.image_format import ImageFormat, sniff_format


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", ImageFormat.PNG),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", ImageFormat.JPEG),
        (b"RIFF\x10\0\0\0WEBPVP8 ", ImageFormat.WEBP),
        (b"\0\0\0\x1cftypheic\0\0\0\0", ImageFormat.HEIF),
        (b"\0\0\0\x1cftypmif1\0\0\0\0", ImageFormat.HEIF),
        (b"BM\x36\0\0\0", ImageFormat.BMP),
        (b"II*\0\x08\0\0\0", ImageFormat.TIFF),
        (b"MM\0*\0\0\0\x08", ImageFormat.TIFF),
        (b"GIF87a\x01\0", ImageFormat.GIF),
        (b"GIF89a\x01\0", ImageFormat.GIF),
    ],
)
def test_magic_bytes_tell_the_format(data: bytes, expected: ImageFormat) -> None:
    assert sniff_format(data) is expected


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"%PDF-1.7", "PDF document"),
        (b"\xef\xbb\xbf<?xml version='1.0'?>\n<svg/>", "SVG"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "SVG"),
        (b"\0\0\0\x1cftypavif", "AVIF"),
        (b"\0\0\0\x18ftypmp42", "video"),
        (b"\x1aE\xdf\xa3\x01", "video"),
        (b"PK\x03\x04\x14\0", "zip file"),
        (b"hello", "not a picture of a kind"),
        (b"RIFF\x10\0\0\0WAVEfmt ", "not a picture of a kind"),
    ],
)
def test_other_files_are_refused_by_what_they_seem_to_be(data: bytes, words: str) -> None:
    with pytest.raises(UnsupportedImage, match=f"{words}.*Save the drawing as"):
        sniff_format(data)


def test_no_bytes_are_called_empty() -> None:
    with pytest.raises(InvalidImage, match="empty"):
        sniff_format(b"")


@given(st.binary(min_size=1, max_size=64))
def test_any_bytes_give_a_format_or_a_typed_error(data: bytes) -> None:
    try:
        assert sniff_format(data) in ImageFormat
    except UnsupportedImage as error:
        assert error.message.endswith(".")
