import io

import numpy as np
import pytest
from PIL import Image

from models import imaging
from models.imaging import BadPicture, decode_rgb


def encoded(image: Image.Image, kind: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def test_png_comes_back_as_rgb() -> None:
    pixels = decode_rgb(encoded(Image.new("RGB", (3, 2), (255, 128, 0)), "PNG"))
    assert pixels.shape == (2, 3, 3)
    assert pixels[0, 0].tolist() == [255, 128, 0]


def test_picture_is_turned_upright() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was held sideways
    body = encoded(Image.new("RGB", (8, 4)), "JPEG", exif=exif)
    assert decode_rgb(body).shape == (8, 4, 3)


@pytest.mark.parametrize("body", [b"", b"hello", b"\x89PNG\r\n\x1a\n"], ids=str)
def test_what_is_no_picture_is_refused(body: bytes) -> None:
    with pytest.raises(BadPicture, match="not a picture"):
        decode_rgb(body)


def test_cut_off_picture_is_refused() -> None:
    body = encoded(Image.effect_noise((64, 64), 80).convert("RGB"), "PNG")
    with pytest.raises(BadPicture):
        decode_rgb(body[:60])


def test_too_many_pixels_are_refused_from_the_header(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imaging, "MAX_PIXELS", 99)
    with pytest.raises(BadPicture, match="10 x 10 pixels, at most 99"):
        decode_rgb(encoded(Image.new("RGB", (10, 10)), "PNG"))


def test_too_many_bytes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imaging, "MAX_BYTES", 5)
    with pytest.raises(BadPicture, match="6 bytes, at most 5"):
        decode_rgb(b"123456")


def test_pixels_are_bytes() -> None:
    assert decode_rgb(encoded(Image.new("L", (4, 4), 7), "BMP")).dtype == np.uint8
