"""Several files in one: a zip whose bytes depend on nothing but what is in it."""

from io import BytesIO
from zipfile import ZIP_STORED, ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray
from PIL import Image

__all__ = ("add_file", "add_picture")


def add_file(folder: ZipFile, name: str, data: bytes, kind: int = ZIP_STORED) -> None:
    """Add a file, with no time of its own; kind: how it is packed, as `zipfile` says it."""
    folder.writestr(ZipInfo(name), data, compress_type=kind)


def add_picture(folder: ZipFile, name: str, pixels: NDArray[np.uint8]) -> None:
    """Add pixels (h, w), (h, w, 3) or (h, w, 4) uint8 as a PNG."""
    data = BytesIO()
    Image.fromarray(pixels).save(data, "PNG")
    add_file(folder, name, data.getvalue())
