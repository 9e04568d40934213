"""From a synthetic picture to what a network trains on: crops as a detector gives, whole pages."""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from models.training.synthesis import LabelledFigure, Sample

__all__ = (
    "DetectorExample",
    "PoseExample",
    "detector_example",
    "jitter_colours",
    "pose_example",
    "thing_example",
)

# COCO's order with left and right exchanged
_MIRRORED = (0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15)


_TURNED = 0.3  # share of crops, and
_PAGES_TURNED = 0.2  # of pages, that are turned by one to three quarters
_SLANTED = 0.03  # share of crops that are turned by any angle up to 115 degrees
_CLEAR = 0.45  # radians off a quarter turn from which on no quarter is the right one


@dataclass(frozen=True, slots=True, eq=False)
class PoseExample:
    """A crop of one figure.

    Attributes:
        image: (S, S, 3) uint8 RGB.
        keypoints: (17, 3) float32 x, y in pixels of the crop, and v: 2 seen, 1 hidden, 0 absent,
            -1 unknown.
        mask: (S, S) bool.
        turn: quarter turns, clockwise, that set the figure upright, 0..3; -1 where none does.
        is_figure: whether the crop holds a figure at all; without one there is no keypoint and no
            mask.
    """

    image: NDArray[np.uint8]
    keypoints: NDArray[np.float32]
    mask: NDArray[np.bool_]
    turn: int
    is_figure: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class DetectorExample:
    """A whole picture.

    Attributes:
        image: (S, S, 3) uint8 RGB.
        boxes: (N, 4) float32 xyxy, pixels.
        masks: (N, S, S) bool.
    """

    image: NDArray[np.uint8]
    boxes: NDArray[np.float32]
    masks: NDArray[np.bool_]


def pose_example(sample: Sample, figure: LabelledFigure, side: int, dice: Generator) -> PoseExample:
    """Cut a figure out as an imperfect detector would, turned, stretched, mirrored, recoloured."""
    box = _jitter_box(figure.box, sample.image.shape[1], sample.image.shape[0], dice)
    angle = _slant(dice)
    matrix = _crop_matrix(box, side, angle, dice)
    crop = _cut(sample.image, box)
    size = (side, side)
    shift = matrix @ np.array([[1, 0, box[0]], [0, 1, box[1]], [0, 0, 1]])
    edge = np.concatenate((crop[0], crop[-1], crop[:, 0], crop[:, -1]))
    paper = tuple(float(c) for c in np.median(edge, axis=0))
    image = cv2.warpAffine(crop, shift, size, borderValue=paper)
    inside = _cut(figure.mask.astype(np.uint8), box)
    mask = cv2.warpAffine(inside, shift, size, flags=cv2.INTER_NEAREST) > 0
    keypoints = _warp_keypoints(figure.keypoints, matrix, side)
    lies = (figure.turn or 0) + round(angle / (np.pi / 2))
    if dice.random() < 0.5:
        image, mask, lies = image[:, ::-1], mask[:, ::-1], -lies
        keypoints = _mirror(keypoints, side)
    if dice.random() < _TURNED:
        turns = int(dice.integers(1, 4))
        image, mask, lies = np.rot90(image, -turns), np.rot90(mask, -turns), lies + turns
        keypoints = _turn(keypoints, turns, side)
    slant = abs(angle - round(angle / (np.pi / 2)) * np.pi / 2)
    return PoseExample(
        image=jitter_colours(np.ascontiguousarray(image), dice),
        keypoints=keypoints,
        mask=np.ascontiguousarray(mask),
        turn=-lies % 4 if figure.turn is not None and slant < _CLEAR else -1,
    )


def thing_example(
    sample: Sample, box: NDArray[np.float32], side: int, dice: Generator
) -> PoseExample:
    """Cut out what is no figure, as `pose_example` does with figures."""
    nothing = LabelledFigure(
        box=box,
        mask=np.zeros(sample.image.shape[:2], bool),
        keypoints=np.zeros((17, 3), np.float32),
        turn=None,
    )
    return replace(pose_example(sample, nothing, side, dice), is_figure=False)


def detector_example(sample: Sample, side: int, dice: Generator) -> DetectorExample:
    """Letterbox a picture, at times shrunk or enlarged, mirrored and recoloured."""
    height, width = sample.image.shape[:2]
    scale = side / max(height, width) * dice.uniform(0.75, 1.0) ** (dice.random() < 0.3)
    inner = np.array([width * scale, height * scale])
    left, top = (side - inner) * (0.5 if dice.random() < 0.7 else dice.random())
    matrix = np.array([[scale, 0, left], [0, scale, top]], dtype=np.float64)
    edge = np.concatenate((sample.image[0], sample.image[-1]))
    paper = tuple(float(c) for c in np.median(edge, axis=0))
    image = np.asarray(
        cv2.warpAffine(sample.image, matrix, (side, side), borderValue=paper), dtype=np.uint8
    )
    masks = [
        cv2.warpAffine(f.mask.astype(np.uint8), matrix, (side, side), flags=cv2.INTER_NEAREST) > 0
        for f in sample.figures
    ]
    if dice.random() < 0.5:
        image, masks = image[:, ::-1], [m[:, ::-1] for m in masks]
    if dice.random() < _PAGES_TURNED:
        turns = int(dice.integers(1, 4))
        image, masks = np.rot90(image, turns), [np.rot90(m, turns) for m in masks]
    masks = [np.ascontiguousarray(mask) for mask in masks if mask.any()]
    image = np.ascontiguousarray(image)
    boxes = np.array([_box_of(mask) for mask in masks], dtype=np.float32).reshape(-1, 4)
    stack = np.stack(masks) if masks else np.zeros((0, side, side), dtype=bool)
    return DetectorExample(image=jitter_colours(image, dice), boxes=boxes, masks=stack)


def jitter_colours(image: NDArray[np.uint8], dice: Generator) -> NDArray[np.uint8]:
    """Other light, cast, contrast and sharpness; (H, W, 3) uint8 in and out."""
    if dice.random() < 0.2:
        return image
    gamma = float(np.exp(dice.normal(0, 0.25)))
    ramp = np.linspace(0, 1, 256) ** gamma
    contrast, lift = dice.uniform(0.7, 1.1), dice.uniform(-0.08, 0.08)
    gains = contrast * (1 + dice.normal(0, 0.05, 3))
    table = np.clip((ramp[:, None] - 0.5) * gains + 0.5 + lift, 0, 1) * 255
    out = np.asarray(cv2.LUT(image, table.astype(np.uint8)[None]), dtype=np.uint8)
    if dice.random() < 0.1:
        grey = np.asarray(cv2.cvtColor(out, cv2.COLOR_RGB2GRAY), dtype=np.uint8)
        out = np.repeat(grey[..., None], 3, axis=2)
    if dice.random() < 0.15:
        out = np.asarray(cv2.GaussianBlur(out, (0, 0), dice.uniform(0.4, 1.2)), dtype=np.uint8)
    if dice.random() < 0.2:
        noise = dice.normal(0, dice.uniform(2, 8), out.shape)
        out = np.clip(out + noise, 0, 255).astype(np.uint8)
    return out


def _jitter_box(
    box: NDArray[np.float32], width: int, height: int, dice: Generator
) -> NDArray[np.int64]:
    longer = max(box[2] - box[0], box[3] - box[1])
    grow = dice.uniform(0.0, 0.2, 4) if dice.random() < 0.8 else dice.uniform(-0.06, 0.5, 4)
    low = np.floor(box[:2] - grow[:2] * longer)
    high = np.ceil(box[2:] + grow[2:] * longer)
    low = np.clip(low, 0, (width - 4, height - 4))
    high = np.clip(high, low + 4, (width, height))
    return np.concatenate((low, high)).astype(np.int64)


def _slant(dice: Generator) -> float:
    """The angle in radians, clockwise, by which a crop is turned beside its quarter turns."""
    if dice.random() < _SLANTED:
        return float(dice.uniform(-2, 2))
    return float(dice.normal(0, np.radians(8))) if dice.random() < 0.6 else 0.0


def _crop_matrix(
    box: NDArray[np.int64], side: int, angle: float, dice: Generator
) -> NDArray[np.float64]:
    """From picture to crop: letterboxed, then turned and stretched a little about the middle."""
    width, height = box[2] - box[0], box[3] - box[1]
    scale = side / max(width, height) * (dice.uniform(0.85, 1.05) if dice.random() < 0.4 else 1.0)
    if abs(angle) > _CLEAR:
        scale *= 0.85
    stretch = np.exp(dice.normal(0, 0.08)) if dice.random() < 0.5 else 1.0
    cos, sin = np.cos(angle) * scale, np.sin(angle) * scale
    turn = np.array([[cos * stretch, -sin], [sin * stretch, cos]])
    middle = np.array([(box[0] + box[2]) / 2, (box[1] + box[3]) / 2])
    return np.column_stack((turn, side / 2 - turn @ middle))


def _cut(image: NDArray[np.uint8], box: NDArray[np.int64]) -> NDArray[np.uint8]:
    return image[box[1] : box[3], box[0] : box[2]]


def _warp_keypoints(
    keypoints: NDArray[np.float32], matrix: NDArray[np.float64], side: int
) -> NDArray[np.float32]:
    out = keypoints.copy()
    out[:, :2] = keypoints[:, :2] @ matrix[:, :2].T + matrix[:, 2]
    inside = ((out[:, :2] >= 0) & (out[:, :2] < side)).all(axis=1)
    out[~inside & (out[:, 2] > 0), 2] = 0
    return out


def _mirror(keypoints: NDArray[np.float32], side: int) -> NDArray[np.float32]:
    out = keypoints[list(_MIRRORED)]
    out[:, 0] = side - out[:, 0]
    return out


def _turn(keypoints: NDArray[np.float32], turns: int, side: int) -> NDArray[np.float32]:
    """Move keypoints along as their crop is turned clockwise by quarters."""
    out = keypoints.copy()
    for _ in range(turns):
        out[:, 0], out[:, 1] = side - out[:, 1], out[:, 0].copy()
    return out


def _box_of(mask: NDArray[np.bool_]) -> tuple[int, int, int, int]:
    columns, rows = np.flatnonzero(mask.any(axis=0)), np.flatnonzero(mask.any(axis=1))
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1
