"""A sprite sheet: all frames in one picture, and where each lies, in a zip.

`sheet.json` is the atlas format that game engines share (TexturePacker's and Aseprite's "hash").
"""

import math
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import msgspec
import numpy as np
from numpy.typing import NDArray

import animator
from animator.core.errors import EncodingFailed
from animator.render.zipped import add_file, add_picture

__all__ = ("SheetWriter",)

MAX_SIDE = 4096
"""Longest side of a sheet, pixels: what all graphics cards take. It bounds the memory, too."""

SHEET = "sheet.png"


class SheetWriter:
    """A sprite sheet; see `FrameWriter`.

    Raises:
        EncodingFailed: by `write`, when the frames do not fit into a sheet.
    """

    def __init__(self, path: Path, fps: float) -> None:
        self._path = path
        self._fps = fps
        self._frames: list[NDArray[np.uint8]] = []

    def write(self, frame: NDArray[np.uint8]) -> None:
        """Add a frame: (H, W, 4) uint8 RGBA, straight alpha."""
        height, width = frame.shape[:2]
        room = (MAX_SIDE // height) * (MAX_SIDE // width)
        if len(self._frames) == room:
            msg = (
                f"A sprite sheet of {MAX_SIDE} x {MAX_SIDE} pixels holds {room} frames of "
                f"{width} x {height}, and this clip has more. Choose a smaller side."
            )
            raise EncodingFailed(msg)
        self._frames.append(frame)

    def close(self) -> None:
        """Lay out the frames and write the zip."""
        if not self._frames:
            return
        height, width = self._frames[0].shape[:2]
        columns = _columns(len(self._frames), width, height)
        rows = math.ceil(len(self._frames) / columns)
        sheet = np.zeros((rows * height, columns * width, 4), np.uint8)
        corners = []
        for i, frame in enumerate(self._frames):
            x, y = i % columns * width, i // columns * height
            sheet[y : y + height, x : x + width] = frame
            corners.append((x, y))
        atlas = msgspec.json.encode(self._atlas(corners, sheet.shape[1], sheet.shape[0]))
        with ZipFile(self._path, "w") as folder:
            add_picture(folder, SHEET, sheet)
            add_file(folder, "sheet.json", msgspec.json.format(atlas), ZIP_DEFLATED)

    def abort(self) -> None:
        """Nothing is open between calls."""

    def _atlas(
        self, corners: list[tuple[int, int]], sheet_width: int, sheet_height: int
    ) -> dict[str, object]:
        height, width = self._frames[0].shape[:2]
        names = [f"{i:05}.png" for i in range(len(corners))]
        frames = {
            name: {
                "frame": {"x": x, "y": y, "w": width, "h": height},
                "rotated": False,
                "trimmed": False,
                "spriteSourceSize": {"x": 0, "y": 0, "w": width, "h": height},
                "sourceSize": {"w": width, "h": height},
                "duration": self._tick(i + 1) - self._tick(i),
            }
            for i, (name, (x, y)) in enumerate(zip(names, corners, strict=True))
        }
        meta = {
            "app": "Animator",
            "version": animator.__version__,
            "image": SHEET,
            "format": "RGBA8888",
            "size": {"w": sheet_width, "h": sheet_height},
            "scale": "1",
        }
        return {"frames": frames, "animations": {"clip": names}, "meta": meta}

    def _tick(self, frame: int) -> int:
        """When a frame begins, milliseconds."""
        return round(1000 * frame / self._fps)


def _columns(count: int, width: int, height: int) -> int:
    """How many frames lie side by side, so that the sheet is about square and fits."""
    square = math.ceil(math.sqrt(count * height / width))
    fewest = math.ceil(count / (MAX_SIDE // height))
    return min(max(square, fewest), count, MAX_SIDE // width)
