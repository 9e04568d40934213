"""Synthetic drawings that no training ever sees, kept as annotated real drawings are."""

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from models.training.looking import JOINTS
from models.training.synthesis import (
    DEFAULT_SETTINGS,
    LabelledFigure,
    SynthesisSettings,
    synthesize,
)

__all__ = ("write_held_out",)

_FIRST_SEED = 1  # training begins at a million
_SIDE = 448


def write_held_out(
    folder: Path, count: int, settings: SynthesisSettings = DEFAULT_SETTINGS
) -> None:
    """Draw `count` pictures, longer side 448 pixels, with `annotations.json`, into a folder."""
    images: list[dict[str, Any]] = []
    marks: list[dict[str, Any]] = []
    for number in range(_FIRST_SEED, _FIRST_SEED + count):
        sample = synthesize(number, _SIDE, settings)
        name = f"{number:05d}.png"
        cv2.imwrite(str(folder / name), cv2.cvtColor(sample.image, cv2.COLOR_RGB2BGR))
        images.append({"id": number, "file_name": name, "tags": list(sample.tags)})
        main = max(sample.figures, key=lambda figure: int(figure.mask.sum()), default=None)
        marks += [_mark(figure, number, main is figure) for figure in sample.figures]
    category = {"id": 1, "name": "figure", "keypoints": list(JOINTS)}
    document = {"images": images, "annotations": marks, "categories": [category]}
    (folder / "annotations.json").write_text(json.dumps(document))


def _mark(figure: LabelledFigure, image: int, main: bool) -> dict[str, Any]:
    x1, y1, x2, y2 = figure.box.tolist()
    numbers: list[float] = []
    for places in JOINTS.values():
        points = figure.keypoints[list(places)]
        x, y = points[:, :2].mean(axis=0)
        numbers += [float(x), float(y), int(np.min(points[:, 2]))]
    box = [x1, y1, x2 - x1, y2 - y1]
    return {"image_id": image, "bbox": box, "keypoints": numbers, "main": main}
