"""What a file tells beside its picture goes; the picture stays as it is, to the last bit."""

import io
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image, ImageCms
from PIL.PngImagePlugin import PngInfo

from animator.core.errors import AnimatorError
from animator.core.metadata import strip_metadata
from animator.ingest import decode_image
from tests.support_bad_images import HEIC_TURNED as HEIC

SECRET = "where-we-live"
PLACES = {1: "N", 2: (52.0, 31.0, 12.0), 3: "E", 4: (13.0, 24.0, 18.0)}
XMP = f'<x:xmpmeta><rdf:Description note="{SECRET}" {{}}/></x:xmpmeta>'
TURNS = range(1, 9)

Make = Callable[[int], bytes]


def picture() -> Image.Image:
    """Left half red, right half white with a blue corner, 64 x 48."""
    image = Image.new("RGB", (64, 48), (255, 255, 255))
    image.paste((255, 0, 0), (0, 0, 32, 48))
    image.paste((0, 0, 255), (50, 0, 64, 10))
    return image


def exif(turn: int) -> Image.Exif:
    found = Image.Exif()
    found[0x0112] = turn
    found[0x010F] = SECRET
    found[0x8825] = PLACES
    return found


def xmp(turn: int) -> bytes:
    return XMP.format(f'tiff:Orientation="{turn}"').encode()


def profile() -> bytes:
    return ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes() + SECRET.encode()


def saved(kind: str, image: Image.Image | None = None, **options: Any) -> bytes:
    buffer = io.BytesIO()
    (image or picture()).save(buffer, kind, **options)
    return buffer.getvalue()


def jpeg(turn: int) -> bytes:
    told: dict[str, Any] = {
        "exif": exif(turn),
        "comment": SECRET,
        "icc_profile": profile(),
        "xmp": xmp(turn),
    }
    return saved("JPEG", **told) + b"film after the picture " + SECRET.encode()


def progressive_jpeg(turn: int) -> bytes:
    image = picture().convert("CMYK")
    return saved("JPEG", image, exif=exif(turn), progressive=True, quality=95)


def jpeg_with_xmp(turn: int) -> bytes:
    return saved("JPEG", xmp=xmp(turn))


def png(turn: int) -> bytes:
    text = PngInfo()
    text.add_text("Comment", SECRET)
    text.add_text("Author", SECRET, zip=True)
    text.add_itxt("XML:com.adobe.xmp", xmp(turn).decode())
    return saved("PNG", exif=exif(turn), pnginfo=text, icc_profile=profile()) + SECRET.encode()


def png_with_packed_xmp(turn: int) -> bytes:
    text = PngInfo()
    text.add_itxt("XML:com.adobe.xmp", xmp(turn).decode(), zip=True)
    return saved("PNG", pnginfo=text)


def png_with_exif_in_text() -> bytes:
    body = b"tEXtRaw profile type exif\0x"
    chunk = (len(body) - 4).to_bytes(4, "big") + body + zlib.crc32(body).to_bytes(4, "big")
    plain = saved("PNG")
    return plain[:33] + chunk + plain[33:]


def clear_png(turn: int) -> bytes:
    image = picture().quantize(8)
    return saved("PNG", image, exif=exif(turn), transparency=0)


def webp(turn: int) -> bytes:
    told: dict[str, Any] = {
        "exif": exif(turn).tobytes(),
        "xmp": xmp(turn),
        "icc_profile": profile(),
    }
    return saved("WEBP", lossless=True, **told)


def moving_webp(turn: int) -> bytes:
    more = [Image.new("RGB", (64, 48), "green")]
    return saved("WEBP", save_all=True, append_images=more, exif=exif(turn).tobytes())


def gif(_: int) -> bytes:
    more = [Image.new("RGB", (64, 48), "green")]
    return saved("GIF", save_all=True, append_images=more, loop=0, comment=SECRET)


def bmp(_: int) -> bytes:
    return saved("BMP")


def pixels(data: bytes) -> NDArray[np.uint8]:
    return decode_image(data).image


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize(
    "make",
    [
        jpeg,
        progressive_jpeg,
        jpeg_with_xmp,
        png,
        png_with_packed_xmp,
        clear_png,
        webp,
        moving_webp,
        gif,
        bmp,
    ],
)
def test_only_the_picture_and_its_orientation_stay(make: Make, turn: int) -> None:
    data = make(turn)
    stripped = strip_metadata(data)
    assert stripped is not None
    np.testing.assert_array_equal(pixels(stripped), pixels(data))
    assert SECRET.encode() not in stripped
    with Image.open(io.BytesIO(stripped)) as image:
        assert set(image.getexif()) <= {0x0112}
        assert not image.getexif().get_ifd(0x8825)
    assert strip_metadata(stripped) == stripped


def test_marks_are_in_the_files_at_all() -> None:
    """Else the test above would find nothing in any case."""
    for make in (jpeg, webp, gif):
        assert SECRET.encode() in make(6)
    with Image.open(io.BytesIO(png(6))) as image:
        assert image.getexif().get_ifd(0x8825)
        assert image.info["Comment"] == SECRET


def test_heic_keeps_its_length_and_tells_nothing() -> None:
    data = HEIC.replace(b"\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06", b"where-we-l")
    assert data != HEIC
    stripped = strip_metadata(data)
    assert stripped is not None
    assert (len(stripped), b"where-we-l" in stripped) == (len(data), False)
    np.testing.assert_array_equal(pixels(stripped), pixels(data))
    assert strip_metadata(stripped) == stripped


def test_unknown_box_of_heic_is_emptied() -> None:
    box = b"\0\0\0\x20uuid" + SECRET.encode().ljust(24)
    stripped = strip_metadata(HEIC + box)
    assert stripped is not None
    assert stripped[len(HEIC) :] == b"\0\0\0\x20free" + bytes(24)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(saved("TIFF"), id="tiff"),
        pytest.param(jpeg(1)[:400], id="half a jpeg"),
        pytest.param(png(1)[:60], id="half a png"),
        pytest.param(webp(1)[:40] + b"\xff\xff\xff\xff", id="half a webp"),
        pytest.param(gif(1)[:30], id="half a gif"),
        pytest.param(HEIC[:100], id="half a heic"),
        pytest.param(HEIC + b"\0\0\0\x08moov", id="film"),
        pytest.param(png_with_exif_in_text(), id="exif in text"),
    ],
)
def test_what_cannot_be_taken_away_is_told(data: bytes) -> None:
    assert strip_metadata(data) is None


WHOLE = [
    saved("JPEG"),
    saved("JPEG", picture().convert("CMYK"), progressive=True),
    saved("PNG"),
    saved("PNG", picture().quantize(8), transparency=0),
    saved("WEBP"),
    saved("WEBP", save_all=True, append_images=[Image.new("RGB", (64, 48), "green")]),
    gif(1),
]


def damage(data: st.DataObject, whole: bytes) -> bytes:
    damaged = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(12, len(whole) - 1))] = data.draw(st.integers(0, 255))
    return bytes(damaged)


@given(st.sampled_from(WHOLE), st.data())
def test_damaged_file_breaks_nothing_and_shows_the_same(whole: bytes, data: st.DataObject) -> None:
    damaged = damage(data, whole)
    stripped = strip_metadata(damaged)
    try:
        expected = pixels(damaged)
    except AnimatorError:
        return
    if stripped is not None:
        np.testing.assert_array_equal(pixels(stripped), expected)


@given(st.data())
def test_damaged_heic_breaks_nothing(data: st.DataObject) -> None:
    """Its decoder is not asked: libheif 1.23 ends the process over some of them."""
    damaged = damage(data, HEIC)
    stripped = strip_metadata(damaged)
    assert stripped is None or len(stripped) == len(damaged)
