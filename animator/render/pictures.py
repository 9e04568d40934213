"""Frames as PNG pictures: all of them in a zip, or one."""

from pathlib import Path
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from animator.render.zipped import add_picture

__all__ = ("PngFramesWriter", "StillWriter")


class PngFramesWriter:
    """A zip of numbered pictures, `00000.png` first; see `FrameWriter`."""

    def __init__(self, path: Path, fps: float) -> None:
        self._path = path
        self._zip: ZipFile | None = None
        self._count = 0

    def write(self, frame: NDArray[np.uint8]) -> None:
        """Add a frame: (H, W, 4) uint8 RGBA, straight alpha."""
        if self._zip is None:
            self._zip = ZipFile(self._path, "w")
        add_picture(self._zip, f"{self._count:05}.png", frame)
        self._count += 1

    def close(self) -> None:
        """Write the zip's directory."""
        if self._zip is not None:
            self._zip.close()

    def abort(self) -> None:
        """Let go of the file, whole or not."""
        self.close()


class StillWriter:
    """A picture of the first frame; see `FrameWriter`. Further frames are left out."""

    def __init__(self, path: Path, fps: float) -> None:
        self._path = path
        self._first: NDArray[np.uint8] | None = None

    def write(self, frame: NDArray[np.uint8]) -> None:
        """Keep the frame if it is the first: (H, W, 4) uint8 RGBA, straight alpha."""
        if self._first is None:
            self._first = frame

    def close(self) -> None:
        """Write the picture."""
        if self._first is not None:
            Image.fromarray(self._first).save(self._path, "PNG")

    def abort(self) -> None:
        """Nothing is open between calls."""
