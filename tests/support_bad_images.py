"""Byte strings of pictures that are broken, hostile or odd; shared by the tests of all doors."""

import base64
import io
import random
import struct
import zlib

import numpy as np
from numpy.typing import NDArray
from PIL import Image


def _chunk(name: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(name + data)
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", checksum)


def png_header(width: int, height: int) -> bytes:
    """A PNG whose header claims a size, with one short data chunk."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", header)
        + _chunk(b"IDAT", zlib.compress(b"\0" * 100))
        + _chunk(b"IEND", b"")
    )


def decompression_bomb(side: int = 20_000) -> bytes:
    """A valid one-bit PNG of a few kilobytes that unpacks to side x side pixels."""
    header = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    row = b"\0" * (1 + side // 8)
    packer = zlib.compressobj(9)
    data = b"".join(packer.compress(row) for _ in range(side)) + packer.flush()
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", header)
        + _chunk(b"IDAT", data)
        + _chunk(b"IEND", b"")
    )


def text_chunk_bomb() -> bytes:
    """A small PNG with a compressed text chunk that unpacks to 64 MB."""
    text = b"Comment\0\0" + zlib.compress(b"a" * (64 * 1024 * 1024), 9)
    good = encode(blank_page(64, 64), "PNG")
    return good[:33] + _chunk(b"zTXt", text) + good[33:]


def truncated_jpeg() -> bytes:
    """The first half of a JPEG."""
    data = encode(scribble(200, 160), "JPEG")
    return data[: len(data) // 2]


def animated_gif() -> bytes:
    """A GIF of three frames; the first is all red."""
    colours = ((255, 0, 0), (0, 255, 0), (0, 0, 255))
    frames = [Image.new("RGB", (64, 48), colour) for colour in colours]
    buffer = io.BytesIO()
    frames[0].save(buffer, "GIF", save_all=True, append_images=frames[1:], duration=100)
    return buffer.getvalue()


def cmyk_jpeg() -> bytes:
    """A JPEG in CMYK, of half cyan ink."""
    buffer = io.BytesIO()
    Image.new("CMYK", (64, 48), (128, 0, 0, 0)).save(buffer, "JPEG", quality=95)
    return buffer.getvalue()


def sixteen_bit_png() -> bytes:
    """A grey PNG of 16 bits a pixel: a ramp from black to white, 64 x 48."""
    ramp = np.tile(np.linspace(0, 65535, 64).astype(np.uint16), (48, 1))
    buffer = io.BytesIO()
    Image.fromarray(ramp).save(buffer, "PNG")
    return buffer.getvalue()


def alpha_png() -> bytes:
    """A PNG whose left half is opaque blue, and whose right half is transparent black."""
    pixels = np.zeros((48, 64, 4), np.uint8)
    pixels[:, :32] = (0, 0, 255, 255)
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()


def rotated_jpeg(orientation: int = 6) -> bytes:
    """A JPEG stored sideways: 96 x 64 with an EXIF orientation; red marks its stored top-left."""
    pixels = np.full((64, 96, 3), 255, np.uint8)
    pixels[:24, :24] = (255, 0, 0)
    exif = Image.Exif()
    exif[0x0112] = orientation
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "JPEG", quality=95, exif=exif)
    return buffer.getvalue()


def corrupt_exif_jpeg() -> bytes:
    """A good JPEG whose EXIF block is noise behind a valid marker."""
    noise = b"Exif\0\0II*\0" + bytes(range(200, 256)) * 4
    buffer = io.BytesIO()
    Image.fromarray(scribble(96, 64)).save(buffer, "JPEG", exif=noise)
    return buffer.getvalue()


def blank_page(width: int = 320, height: int = 240) -> NDArray[np.uint8]:
    """White paper with nothing on it, (H, W, 3)."""
    return np.full((height, width, 3), 255, np.uint8)


def black_page(width: int = 320, height: int = 240) -> NDArray[np.uint8]:
    """A photo with the cap on, (H, W, 3)."""
    return np.zeros((height, width, 3), np.uint8)


def scribble(width: int, height: int) -> NDArray[np.uint8]:
    """Noise, which compresses badly, (H, W, 3)."""
    return np.random.default_rng(1).integers(0, 256, (height, width, 3), dtype=np.uint8)


def encode(image: NDArray[np.uint8], image_format: str) -> bytes:
    """An image (H, W, 3) as bytes of a format Pillow knows by this name."""
    buffer = io.BytesIO()
    Image.fromarray(image).save(buffer, image_format)
    return buffer.getvalue()


def one_pixel() -> bytes:
    """A PNG of 1 x 1."""
    return encode(blank_page(1, 1), "PNG")


def huge_aspect() -> bytes:
    """A PNG of 4000 x 20."""
    return encode(blank_page(4000, 20), "PNG")


PDF = b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n%%EOF\n"
SVG = b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>\n'
TEXT = b"Dear grandma,\nthis is not a drawing.\n"

REFUSED: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "invalid_image"),
    "text": (TEXT, "unsupported_image"),
    "pdf": (PDF, "unsupported_image"),
    "svg": (SVG, "unsupported_image"),
    "truncated-jpeg": (truncated_jpeg(), "invalid_image"),
    "huge-png-header": (png_header(30_000, 30_000), "image_too_large"),
    "decompression-bomb": (decompression_bomb(), "image_too_large"),
    "text-chunk-bomb": (text_chunk_bomb(), "invalid_image"),
    "one-pixel": (one_pixel(), "image_too_large"),
    "huge-aspect": (huge_aspect(), "image_too_large"),
}
"""By name: bytes that must be refused when decoded, and the code of the error."""

READABLE: dict[str, bytes] = {
    "animated-gif": animated_gif(),
    "cmyk-jpeg": cmyk_jpeg(),
    "sixteen-bit-png": sixteen_bit_png(),
    "alpha-png": alpha_png(),
    "exif-rotated": rotated_jpeg(),
    "corrupt-exif": corrupt_exif_jpeg(),
    "blank-page": encode(blank_page(), "PNG"),
    "black-page": encode(black_page(), "PNG"),
}
"""By name: odd pictures that must be read; none holds a figure."""

HEIC_TURNED = base64.b64decode(
    "AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAchtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABw"
    "aWN0AAAAAAAAAAAAAAAAAAAAADRpbG9jAAAAAERAAAIAAQAAAAAB7AABAAAAAAAAADUAAgAAAAAC"
    "IQABAAAAAAAAACQAAAA4aWluZgAAAAAAAgAAABVpbmZlAgAAAAABAABodmMxAAAAABVpbmZlAgAA"
    "AQACAABFeGlmAAAAAA5waXRtAAAAAAABAAABB2lwcnAAAADmaXBjbwAAAHZodmNDAQNwAAAAkAAA"
    "AAAAHvAA/P34+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQGEAAQAqQgEBA3AAAAMA"
    "kAAAAwAAAwAeoCCBBZbq5Ka5uAhoMCAAAAMDIAAAAwAhYgABAAZEAcFzwIkAAAATY29scm5jbHgA"
    "AQANAAaAAAAAFGlzcGUAAAAAAAAAQAAAAEAAAAAoY2xhcAAAAEAAAAABAAAAMAAAAAEAAAAAAAAA"
    "Av////AAAAACAAAAEHBpeGkAAAAAAwgICAAAAAlpcm90AwAAABlpcG1hAAAAAAAAAAEAAQaBAgMF"
    "hIYAAAAaaXJlZgAAAAAAAAAOY2RzYwACAAEAAQAAAGFtZGF0AAAAMSgBr1j5FOf/v31/fwqG3My8"
    "cw1C3Q8ApVn3Sa2plOwfrj96Jjjk2u/rNtnKMeKVRPoAAAAGRXhpZgAATU0AKgAAAAgAAQESAAMA"
    "AAABAAYAAAAAAAA="
)
"""Made with libheif: 64 x 48 stored, its top-left quarter red, to be turned by 90 degrees."""


def damage(data: bytes, seed: int) -> bytes:
    """Some bytes behind the first box are others."""
    draw, damaged = random.Random(seed), bytearray(data)
    for _ in range(draw.randint(1, 8)):
        damaged[draw.randrange(16, len(damaged))] = draw.randrange(256)
    return bytes(damaged)


ENDS_LIBHEIF = damage(HEIC_TURNED, 523)
"""libheif 1.23 ends its process over it."""
