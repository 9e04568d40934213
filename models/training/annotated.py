"""Annotated real drawings, as COCO-style files keep them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from animator.core.geometry import Box
from models.training.scoring import TrueFigure

__all__ = ("AnnotatedDrawing", "read_annotated")

_SEEN = 2
_REPEATED = "hip"  # the same point as `root`


@dataclass(frozen=True, slots=True)
class AnnotatedDrawing:
    """A picture with its true figures.

    Attributes:
        file: of the picture.
        tags: its style.
        figures: none for a picture without a figure.
    """

    file: Path
    tags: tuple[str, ...]
    figures: tuple[TrueFigure, ...]

    def read(self) -> NDArray[np.uint8]:
        """The picture (H, W, 3) uint8 RGB, turned upright.

        Raises:
            FileNotFoundError: when it is not there.
        """
        image = cv2.imread(str(self.file), cv2.IMREAD_COLOR_RGB)
        if image is None:
            raise FileNotFoundError(self.file)
        return np.asarray(image, dtype=np.uint8)


def read_annotated(folder: Path) -> Iterator[AnnotatedDrawing]:
    """All annotated pictures of a folder with an `annotations.json`."""
    document = json.loads((folder / "annotations.json").read_text())
    names = document["categories"][0]["keypoints"]
    for image in document["images"]:
        if image.get("annotated") == "none":
            continue
        marks = [a for a in document["annotations"] if a["image_id"] == image["id"]]
        yield AnnotatedDrawing(
            file=folder / image["file_name"],
            tags=tuple(image["tags"]),
            figures=tuple(_figure(mark, names) for mark in marks),
        )


def _figure(mark: dict[str, Any], names: list[str]) -> TrueFigure:
    x, y, width, height = mark["bbox"]
    numbers = mark.get("keypoints") or [] if mark.get("main") else []
    points = zip(names, numbers[0::3], numbers[1::3], numbers[2::3], strict=False)
    joints = {n: (px, py) for n, px, py, v in points if v == _SEEN and n != _REPEATED}
    return TrueFigure(box=Box(x, y, x + width, y + height), joints=joints)
