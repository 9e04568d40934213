"""Bytes become upright RGB pictures, or a typed error with advice."""

import hashlib
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from animator.core.errors import ImageTooLarge, InvalidImage, UnsupportedImage
from animator.ingest import ImageLimits, decode_image
from tests import support_bad_images as bad


def two_tone() -> Image.Image:
    """Left half red, right half white, 64 x 48."""
    image = Image.new("RGB", (64, 48), (255, 255, 255))
    image.paste((255, 0, 0), (0, 0, 32, 48))
    return image


def encoded(image: Image.Image, image_format: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, image_format, **options)
    return buffer.getvalue()


@pytest.mark.parametrize("image_format", ["PNG", "JPEG", "WEBP", "BMP", "TIFF", "GIF"])
@pytest.mark.parametrize("mode", ["RGB", "L", "P", "1"])
def test_each_format_and_mode_is_read(image_format: str, mode: str) -> None:
    stored = "L" if mode in ("P", "1") and image_format in ("JPEG", "WEBP") else mode
    pixels = decode_image(encoded(two_tone().convert(stored), image_format)).image
    assert pixels.shape == (48, 64, 3)
    assert pixels.dtype == np.uint8
    assert pixels[24, 60].min() >= 250
    assert pixels[24, 4:28, 1].mean() < 130


def test_heic_is_turned_as_its_container_says_and_only_once() -> None:
    pixels = decode_image(bad.HEIC_TURNED).image
    assert pixels.shape == (64, 48, 3)
    assert pixels[4, 44, 1] < 60
    assert pixels[4, 4].min() > 200
    assert pixels[60, 44].min() > 200


@pytest.mark.parametrize(
    ("orientation", "row", "column"),
    [
        (1, 8, 8),
        (2, 8, -8),
        (3, -8, -8),
        (4, -8, 8),
        (5, 8, 8),
        (6, 8, -8),
        (7, -8, -8),
        (8, -8, 8),
    ],
)
def test_exif_orientation_is_undone(orientation: int, row: int, column: int) -> None:
    pixels = decode_image(bad.rotated_jpeg(orientation)).image
    assert pixels.shape == ((64, 96, 3) if orientation < 5 else (96, 64, 3))
    assert pixels[row, column, 0] > 240
    assert pixels[row, column, 1] < 20


def test_orientation_out_of_range_counts_as_upright() -> None:
    assert decode_image(bad.rotated_jpeg(77)).image.shape == (64, 96, 3)


def test_corrupt_exif_counts_as_upright() -> None:
    assert decode_image(bad.corrupt_exif_jpeg()).image.shape == (64, 96, 3)


def test_exif_that_is_no_exif_counts_as_upright() -> None:
    data = encoded(two_tone(), "PNG", exif=b"Exif\0\0garbage, not a TIFF header")
    assert decode_image(data).image.shape == (48, 64, 3)


def test_transparent_pixels_become_white() -> None:
    pixels = decode_image(bad.alpha_png()).image
    assert pixels[0, 0].tolist() == [0, 0, 255]
    assert pixels[0, 63].tolist() == [255, 255, 255]


def test_half_transparent_black_becomes_grey() -> None:
    data = encoded(Image.new("RGBA", (32, 32), (0, 0, 0, 51)), "PNG")
    assert decode_image(data).image[0, 0].tolist() == [204, 204, 204]


def test_transparent_palette_entry_becomes_white() -> None:
    image = Image.new("P", (32, 32), 1)
    image.putpalette([0, 0, 0, 200, 0, 0])
    assert decode_image(encoded(image, "PNG", transparency=1)).image[5, 5].tolist() == [255] * 3


def test_sixteen_bits_are_scaled_not_cut() -> None:
    row = decode_image(bad.sixteen_bit_png()).image[0, :, 0]
    assert row[0] == 0
    assert row[-1] == 255
    assert abs(int(row[32]) - 130) <= 1
    assert (np.diff(row.astype(int)) >= 4).all()


def test_deep_tiff_ranges_are_stretched() -> None:
    floats = Image.fromarray(np.linspace(-1.0, 1.0, 1024, dtype=np.float32).reshape(32, 32))
    pixels = decode_image(encoded(floats, "TIFF")).image
    assert (pixels[0, 0, 0], pixels[-1, -1, 0]) == (0, 255)
    integers = Image.fromarray(np.full((32, 32), 32768, np.int32))
    assert decode_image(encoded(integers, "TIFF")).image[0, 0].tolist() == [128] * 3
    low = Image.fromarray(np.full((32, 32), 7, np.int32))
    assert decode_image(encoded(low, "TIFF")).image[0, 0].tolist() == [7] * 3


def test_cmyk_becomes_rgb() -> None:
    red, green, blue = decode_image(bad.cmyk_jpeg()).image[10, 10].tolist()
    assert abs(red - 127) < 6
    assert green > 245
    assert blue > 245


def test_first_frame_of_an_animation_is_taken() -> None:
    assert decode_image(bad.animated_gif()).image[10, 10].tolist() == [255, 0, 0]


def test_id_is_the_hash_of_the_bytes() -> None:
    data = encoded(two_tone(), "PNG")
    assert decode_image(data).id == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("name", bad.REFUSED)
def test_bad_picture_is_refused_with_its_code(name: str) -> None:
    data, code = bad.REFUSED[name]
    with pytest.raises(InvalidImage) as caught:
        decode_image(data)
    assert caught.value.code == code
    assert caught.value.message.endswith(".")


@pytest.mark.parametrize("name", bad.READABLE)
def test_odd_picture_is_read(name: str) -> None:
    assert decode_image(bad.READABLE[name]).image.shape[2] == 3


def test_bytes_are_checked_first() -> None:
    with pytest.raises(ImageTooLarge):
        decode_image(bad.TEXT, ImageLimits(max_bytes=10))


def test_format_is_told_by_the_bytes_alone() -> None:
    with pytest.raises(UnsupportedImage, match="PDF"):
        decode_image(bad.PDF)


@given(cut=st.integers(1, 4000), noise=st.binary(max_size=64))
def test_damaged_bytes_end_in_a_picture_or_an_invalid_image(cut: int, noise: bytes) -> None:
    data = encoded(two_tone(), "PNG")
    cut = min(cut, len(data))
    try:
        decode_image(data[:cut] + noise + data[cut + len(noise) :])
    except InvalidImage as error:
        assert error.message
