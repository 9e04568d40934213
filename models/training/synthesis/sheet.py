"""Contact sheets: many synthetic pictures at once, with their labels drawn over."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from models.training.synthesis.labels import COCO_KEYPOINTS, LabelledFigure, Sample

__all__ = ("contact_sheet", "overlay")

BONES = (
    ("nose", "shoulder", ""),
    ("shoulder", "elbow", "arm"),
    ("elbow", "wrist", "arm"),
    ("shoulder", "hip", "trunk"),
    ("hip", "knee", "leg"),
    ("knee", "ankle", "leg"),
)
RIGHT, LEFT, IMPLIED = (230, 60, 40), (40, 90, 230), (200, 60, 200)


def overlay(sample: Sample) -> NDArray[np.uint8]:
    """The picture with its masks, boxes and joints: (H, W, 3) uint8; right red, left blue."""
    image = sample.image.copy()
    for figure in sample.figures:
        tinted = image[figure.mask] * 0.7 + np.array((60, 200, 90)) * 0.3
        image[figure.mask] = tinted.astype(np.uint8)
        x1, y1, x2, y2 = (int(v) for v in figure.box)
        cv2.rectangle(image, (x1, y1), (x2 - 1, y2 - 1), (0, 150, 0), 1)
        _draw_joints(image, figure)
    return image


def contact_sheet(samples: Sequence[Sample], columns: int, labels: bool) -> NDArray[np.uint8]:
    """All pictures in rows of `columns` on grey, with or without their labels drawn over."""
    cell = max(max(sample.image.shape) for sample in samples) + 4
    rows = -(-len(samples) // columns)
    sheet = np.full((rows * cell, columns * cell, 3), 90, np.uint8)
    for i, sample in enumerate(samples):
        image = overlay(sample) if labels else sample.image
        y, x = i // columns * cell + 2, i % columns * cell + 2
        sheet[y : y + image.shape[0], x : x + image.shape[1]] = image
    return sheet


def _draw_joints(image: NDArray[np.uint8], figure: LabelledFigure) -> None:
    place = dict(zip(COCO_KEYPOINTS, figure.keypoints, strict=True))
    for side, colour in (("right", RIGHT), ("left", LEFT)):
        for first, second, _ in BONES:
            a = place[first if first == "nose" else f"{side}_{first}"]
            b = place[f"{side}_{second}"]
            if a[2] and b[2]:
                cv2.line(image, _pixel(a), _pixel(b), colour, 1, cv2.LINE_AA)
    for name, joint in place.items():
        if joint[2]:
            colour = LEFT if "left" in name else RIGHT
            cv2.circle(image, _pixel(joint), 2, colour if joint[2] == 2 else IMPLIED, -1)


def _pixel(joint: NDArray[np.float32]) -> tuple[int, int]:
    return int(joint[0]), int(joint[1])
