"""Scene: what lies where on the page, and the picture that is taken of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from models.training.synthesis.body_plans import draw_figure
from models.training.synthesis.camera import develop, light_up, page_to_picture
from models.training.synthesis.clutter import CLUTTER_KINDS, draw_clutter
from models.training.synthesis.curves import Points
from models.training.synthesis.dice import Dice
from models.training.synthesis.ink import Inker, silhouette
from models.training.synthesis.labels import LabelledFigure, Sample
from models.training.synthesis.noise import Plane
from models.training.synthesis.paper import lay_paper, rule_paper
from models.training.synthesis.pens import Pen, PenKind, sample_pen
from models.training.synthesis.settings import DEFAULT_SETTINGS, PaperKind, SynthesisSettings
from models.training.synthesis.sketch import Hand, Mark, Sketch

__all__ = ("synthesize",)

ASPECTS = {1.0: 4.0, 0.75: 2.5, 1.333: 1.5, 1.5: 1.0, 0.66: 1.0}


@dataclass(frozen=True, slots=True, eq=False)
class _Stage:
    """A page before anything is drawn on it."""

    dice: Dice
    settings: SynthesisSettings
    canvas: Plane
    camera: Points
    page: tuple[int, int]
    stretch: tuple[float, float]
    digital: bool


def synthesize(
    seed: int, size: int = 320, settings: SynthesisSettings = DEFAULT_SETTINGS
) -> Sample:
    """Draw a picture whose longer side has `size` pixels (192..640); the seed decides everything.

    Raises:
        ValueError: when the size is out of range.
    """
    if not 192 <= size <= 640:
        msg = f"size must be 192..640 pixels, got {size}"
        raise ValueError(msg)
    dice = Dice(seed)
    paper = dice.weighted(settings.papers)
    stage, tags = _set_stage(dice, settings, paper, size)
    figures, drawn = _populate(stage)
    tags += drawn
    if not stage.digital:
        tags += light_up(dice, stage.canvas, settings)
    image = develop(dice, stage.canvas, settings, not stage.digital)
    return Sample(image, tuple(figures), (paper.value, *tags))


def _set_stage(
    dice: Dice, settings: SynthesisSettings, paper: PaperKind, size: int
) -> tuple[_Stage, list[str]]:
    tags: list[str] = []
    aspect = dice.weighted(ASPECTS) if dice.chance(0.8) else dice.uniform(0.6, 1.7)
    width, height = round(size * min(1, aspect)), round(size * min(1, 1 / aspect))
    digital = paper is PaperKind.WHITE
    turn = dice.integer(1, 3) if dice.chance(settings.turned) else 0
    slant = 0.0
    if not digital and dice.chance(settings.perspective):
        slant = dice.uniform(0.01, 0.07)
        tags.append("perspective")
    if turn:
        tags.append(f"turned-{90 * turn}")
    camera = page_to_picture(dice, (width, height), turn, slant)
    canvas = lay_paper(dice, paper, (height, width))
    rule_paper(dice, canvas, paper, camera)
    factor = float(np.sqrt(1 + dice.uniform(0, settings.stretch))) ** dice.sign()
    page = (height, width) if turn % 2 else (width, height)
    stretch = (factor, 1 / factor)
    return _Stage(dice, settings, canvas, camera, page, stretch, digital), tags


def _populate(stage: _Stage) -> tuple[list[LabelledFigure], list[str]]:
    dice, settings = stage.dice, stage.settings
    empty = dice.chance(settings.empty)
    pen = _choose_pen(stage)
    tags: list[str] = [pen.kind.value]
    if empty:
        tags.append("empty")
        for _ in range(dice.integer(0, 3)):
            tags.append(_add_clutter(stage, _choose_pen(stage), (0.2, 0.9)))
        return [], tags
    if dice.chance(settings.clutter):
        for _ in range(dice.integer(1, 3)):
            again = pen if dice.chance(0.5) else _choose_pen(stage)
            tags.append(_add_clutter(stage, again, (0.08, 0.3)))
    figures = []
    for place in _places(stage):
        kind = dice.weighted(settings.figures)
        sketch = Sketch(_hand(dice))
        draw_figure(sketch, kind)
        found = _put_figure(stage, sketch, replace(pen), place)
        if found is not None:
            figures.append(found)
            tags.append(kind.value)
    return figures, tags


def _choose_pen(stage: _Stage) -> Pen:
    weights = dict(stage.settings.pens)
    if stage.digital:
        weights = {k: w for k, w in weights.items() if k in (PenKind.DIGITAL, PenKind.BRUSH)}
    else:
        weights.pop(PenKind.DIGITAL, None)
    if sum(weights.values()) <= 0:
        weights = dict(stage.settings.pens)
    return sample_pen(stage.dice, stage.dice.weighted(weights))


def _hand(dice: Dice) -> Hand:
    return Hand(
        dice,
        dice.spread((0.001, 0.004, 0.012)),
        dice.uniform(0, 0.05),
        dice.uniform(0.0, 0.08),
        0.5 if dice.chance(0.06) else 0.03,
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a figure goes: its centre and its height (and widest width), shares of the page."""

    x: float
    y: float
    height: float
    width: float


def _places(stage: _Stage) -> list[_Place]:
    dice, settings = stage.dice, stage.settings
    if dice.chance(settings.several):
        return _row(dice)
    if dice.chance(settings.tiny):
        height = dice.uniform(0.12, 0.3)
        return [_Place(dice.uniform(0.2, 0.8), dice.uniform(0.2, 0.8), height, 0.5)]
    if dice.chance(settings.cropped):
        height = dice.uniform(0.8, 1.2)
        return [_Place(dice.uniform(0.4, 0.6), dice.uniform(0.4, 0.6), height, 1.2)]
    height = dice.spread(settings.height)
    free = max(0.0, 0.98 - height) / 2
    return [_Place(dice.spread((0.3, 0.5, 0.7)), 0.5 + dice.uniform(-free, free), height, 0.95)]


def _row(dice: Dice) -> list[_Place]:
    count = dice.weighted({2: 5, 3: 3, 4: 1, 5: 1})
    slot = 1 / count
    base = dice.uniform(0.5, 0.9)
    places = []
    for i in range(count):
        height = base * dice.uniform(0.5, 1.0)
        low = dice.uniform(height / 2, 1 - height / 2) if dice.chance(0.3) else 0.95 - height / 2
        places.append(_Place((i + 0.5) * slot, low, height, slot * dice.uniform(0.9, 1.15)))
    return places


def _put_figure(
    stage: _Stage, sketch: Sketch, pen: Pen, place: _Place
) -> LabelledFigure | None:
    matrix, reach = _placement(stage, sketch, place, stage.dice.uniform(-1, 1) * stage.settings.tilt)
    marks = _project(sketch.marks, matrix)
    width = max(pen.width * reach, 0.7)
    if pen.kind is PenKind.DIGITAL and stage.dice.chance(0.4):
        width = max(1.0, round(width))
    mask = silhouette(marks, stage.canvas.shape[:2], width)
    box = _box(mask)
    if box is None:
        return None
    Inker(stage.dice, pen, width, reach).draw(stage.canvas, marks)
    joints = _joints(sketch, matrix, stage.canvas.shape[:2])
    return LabelledFigure(box, mask, joints)


def _add_clutter(stage: _Stage, pen: Pen, sizes: tuple[float, float]) -> str:
    dice = stage.dice
    kind = dice.pick(CLUTTER_KINDS)
    sketch = Sketch(_hand(dice))
    draw_clutter(sketch, kind)
    side = dice.uniform(*sizes)
    place = _Place(dice.uniform(0.1, 0.9), dice.uniform(0.1, 0.9), side, side * 2)
    matrix, reach = _placement(stage, sketch, place, dice.normal(6))
    marks = _project(sketch.marks, matrix)
    width = max(pen.width * reach, pen.width * min(stage.page) * 0.5, 0.7)
    Inker(dice, pen, width, reach).draw(stage.canvas, marks)
    return kind


def _placement(
    stage: _Stage, sketch: Sketch, place: _Place, tilt: float
) -> tuple[Points, float]:
    """The map (3, 3) from sketch to picture, and the height of the thing in pixels."""
    low, high = sketch.bounds()
    wide, tall = (high - low) * stage.stretch
    scale = min(place.height * stage.page[1] / max(tall, 1e-6), place.width * stage.page[0] / max(wide, 1e-6))
    cos, sin = np.cos(np.deg2rad(tilt)), np.sin(np.deg2rad(tilt))
    middle = (low + high) / 2
    size = np.diag((scale * stage.stretch[0], scale * stage.stretch[1], 1.0))
    centre = np.array(((1, 0, -middle[0]), (0, 1, -middle[1]), (0, 0, 1)))
    x, y = place.x * stage.page[0], place.y * stage.page[1]
    turn = np.array(((cos, -sin, x), (sin, cos, y), (0, 0, 1)))
    return stage.camera @ turn @ size @ centre, scale * float(max(tall, 0.6 * wide))


def _project(marks: Sequence[Mark], matrix: Points) -> list[Mark]:
    every = np.concatenate([mark.points for mark in marks])
    pixels = cv2.perspectiveTransform(every[None], matrix)[0]
    cuts = np.cumsum([len(mark.points) for mark in marks])[:-1]
    parts = np.split(pixels, cuts)
    return [replace(mark, points=part) for mark, part in zip(marks, parts, strict=True)]


def _joints(sketch: Sketch, matrix: Points, shape: tuple[int, int]) -> NDArray[np.float32]:
    places = cv2.perspectiveTransform(sketch.joints[None, :, :2], matrix)[0]
    seen = sketch.joints[:, 2:].copy()
    inside = ((places >= 0) & (places < (shape[1], shape[0]))).all(axis=1)
    seen[~inside] = 0
    return np.where(seen > 0, np.concatenate((places, seen), axis=1), 0).astype(np.float32)


def _box(mask: NDArray[np.bool_]) -> NDArray[np.float32] | None:
    columns, rows = np.flatnonzero(mask.any(0)), np.flatnonzero(mask.any(1))
    if len(columns) < 4 or len(rows) < 4:
        return None
    return np.array((columns[0], rows[0], columns[-1] + 1, rows[-1] + 1), np.float32)
