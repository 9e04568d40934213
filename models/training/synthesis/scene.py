"""Scene: figures and clutter on a stage, and the picture that is taken of them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from models.training.synthesis.body_plans import draw_figure
from models.training.synthesis.camera import develop, light_up
from models.training.synthesis.clutter import choose_clutter, draw_clutter
from models.training.synthesis.curves import Points
from models.training.synthesis.dice import Dice
from models.training.synthesis.ink import Inker, blots, silhouette
from models.training.synthesis.labels import LabelledFigure, Sample
from models.training.synthesis.layout import Place, central_place, free_place, place_figures
from models.training.synthesis.noise import Plane
from models.training.synthesis.pens import Pen, PenKind
from models.training.synthesis.settings import DEFAULT_SETTINGS, SynthesisSettings, ThingKind
from models.training.synthesis.sketch import Mark, Sketch
from models.training.synthesis.stage import Stage, set_stage

__all__ = ("synthesize",)

Box = tuple[float, float, float, float]
_LEAST_SEEN = 0.2
"""Of a figure behind others a larger share must show for it to count."""

_FEWEST_JOINTS = 4
"""A figure of which fewer joints are in the picture gets no label and is not drawn."""

_SMALLEST_SIDE = 6
"""A figure with a shorter visible side, in pixels, gets no label and is not drawn."""


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
    stage = set_stage(dice, settings, size)
    if not stage.is_digital and dice.chance(settings.show_through):
        _show_through(stage)
    figures = _populate(stage)
    if stage.surroundings is not None:
        stage.surroundings.lay_over(stage.canvas)
    if not stage.is_digital:
        stage.tags.extend(light_up(dice, stage.canvas, settings))
    image = develop(dice, stage.canvas, settings, not stage.is_digital)
    things = () if figures else tuple(stage.things)
    return Sample(image, tuple(figures), tuple(stage.tags), things)


def _populate(stage: Stage) -> list[LabelledFigure]:
    """Draw everything on the page and label the figures."""
    dice, settings = stage.dice, stage.settings
    pen = stage.new_pen()
    stage.tags.append(pen.kind.value)
    if dice.chance(settings.empty):
        stage.tags.append("empty")
        _fill_empty_page(stage, pen)
        return []
    places = place_figures(dice, settings)
    stage.tags.append(places[0].tag)
    taken = [_reserved(place) for place in places]
    if dice.chance(settings.clutter):
        for _ in range(dice.integer(1, 4)):
            place = free_place(dice, taken, dice.uniform(0.08, 0.3))
            _add_clutter(stage, pen, place, settings.beside)
    return _draw_figures(stage, pen, places)


def _fill_empty_page(stage: Stage, pen: Pen) -> None:
    """One thing that fills the page, several, or nothing at all."""
    dice, settings = stage.dice, stage.settings
    count = dice.weighted({0: 1, 1: 4, 2: 3, 3: 1, 5: 1})
    if dice.chance(settings.filling):
        stage.tags.append("filling")
        _add_clutter(stage, pen, central_place(dice), settings.things)
        count = dice.weighted({0: 5, 1: 2, 2: 1})
    for _ in range(count):
        place = free_place(dice, [], dice.spread((0.12, 0.4, 0.9)))
        _add_clutter(stage, pen, place, settings.things)


def _draw_figures(stage: Stage, pen: Pen, places: Sequence[Place]) -> list[LabelledFigure]:
    dice = stage.dice
    crowd = places[0].tag == "crowd"
    opaque = dice.chance(0.75) if crowd else stage.is_digital and dice.chance(0.5)
    bare = stage.canvas.copy()
    kind = dice.weighted(stage.settings.figures)
    figures: list[LabelledFigure] = []
    for place in places:
        sketch = stage.new_sketch()
        draw_figure(sketch, kind)
        stage.tags.extend(sketch.tags)
        found = _put_figure(stage, sketch, pen, place, bare if opaque else None)
        if found is not None:
            figures = [_behind(f, found) for f in figures] if opaque else figures
            figures.append(found)
        if dice.chance(0.1 if crowd else 0.5):
            kind = dice.weighted(stage.settings.figures)
        if dice.chance(0.2):
            pen = stage.new_pen()
    return [f for f in figures if len(f.box)]


def _put_figure(
    stage: Stage, sketch: Sketch, pen: Pen, place: Place, under: Plane | None
) -> LabelledFigure | None:
    """Draw a figure; `under` is the page that it hides what is behind it with."""
    tilt = stage.dice.uniform(-1, 1) * stage.settings.tilt + 90 * place.turn
    matrix, reach = _placement(stage, sketch, place, tilt)
    marks = _project(sketch.marks, matrix)
    width = _stroke_width(stage, pen, reach)
    marks += blots(stage.dice, pen, marks, width)
    mask = silhouette(marks, stage.shape, width)
    area = mask
    if stage.surroundings is not None:
        mask = mask & ~stage.surroundings.hidden
    box, joints = _box(mask), _joints(sketch, matrix, stage)
    if box is None or np.count_nonzero(joints[:, 2]) < _FEWEST_JOINTS:
        return None
    if under is not None:
        stage.canvas[area] = under[area]
    Inker(stage.dice, pen, width, reach, stage.stretch).draw(stage.canvas, marks)
    turn = None if place.turn else stage.turn
    return LabelledFigure(box, mask, joints, turn)


def _behind(figure: LabelledFigure, front: LabelledFigure) -> LabelledFigure:
    mask = figure.mask & ~front.mask
    box = _box(mask) if mask.sum() > _LEAST_SEEN * figure.mask.sum() else None
    return replace(figure, box=np.zeros(0, np.float32) if box is None else box, mask=mask)


def _add_clutter(
    stage: Stage, pen: Pen, place: Place | None, weights: Mapping[ThingKind, float]
) -> None:
    """Draw one thing from these groups, with this pen or another, where there is room."""
    if place is None:
        return
    name = choose_clutter(stage.dice, weights)
    stage.tags.append(name)
    box = _ink_clutter(stage, pen if stage.dice.chance(0.6) else stage.new_pen(), name, place)
    if box is not None:
        stage.things.append(box)


def _show_through(stage: Stage) -> None:
    """Faint strokes of the back of the page."""
    dice = stage.dice
    stage.tags.append("show-through")
    pen = stage.new_pen()
    faint = replace(pen, opacity=dice.uniform(0.03, 0.1), overlap=1.0, fade=0.3)
    for _ in range(dice.integer(1, 3)):
        place = free_place(dice, [], dice.uniform(0.3, 0.9))
        if place is not None:
            _ink_clutter(stage, faint, choose_clutter(dice, stage.settings.things), place)


def _ink_clutter(stage: Stage, pen: Pen, name: str, place: Place) -> NDArray[np.float32] | None:
    """Draw a thing; the box that it takes of the picture, if any."""
    sketch = stage.new_sketch()
    draw_clutter(sketch, name)
    matrix, reach = _placement(stage, sketch, place, stage.dice.normal(6))
    width = _stroke_width(stage, pen, max(reach, 0.5 * min(stage.page)))
    marks = _project(sketch.marks, matrix)
    marks += blots(stage.dice, pen, marks, width)
    Inker(stage.dice, pen, width, reach, stage.stretch).draw(stage.canvas, marks)
    return _extent(marks, stage.shape)


def _extent(marks: Sequence[Mark], shape: tuple[int, int]) -> NDArray[np.float32] | None:
    """The box around marks, within the picture."""
    every = np.concatenate([mark.points for mark in marks])
    limits = (shape[1], shape[0])
    low, high = np.clip(every.min(0), 0, limits), np.clip(every.max(0), 0, limits)
    seen = bool((high - low).min() >= _SMALLEST_SIDE)
    return np.concatenate((low, high)).astype(np.float32) if seen else None


def _stroke_width(stage: Stage, pen: Pen, reach: float) -> float:
    """Width of a stroke in pixels; editors draw whole ones."""
    width = max(pen.width * reach, 0.7)
    whole = pen.kind is PenKind.DIGITAL and stage.dice.chance(0.4)
    return float(max(1, round(width))) if whole else width


def _placement(stage: Stage, sketch: Sketch, place: Place, tilt: float) -> tuple[Points, float]:
    """The map (3, 3) from sketch to picture, and the height of the thing in pixels."""
    low, high = sketch.bounds()
    turn = np.deg2rad(tilt)
    cos, sin = np.cos(turn), np.sin(turn)
    flat = np.array(((cos, -sin), (sin, cos))) * np.array(stage.stretch)[:, None]
    outer = np.array(((low[0], low[1]), (low[0], high[1]), (high[0], low[1]), (high[0], high[1])))
    corners = outer @ flat.T
    size = np.maximum(np.ptp(corners, axis=0), 1e-6)
    page = np.array(stage.page)
    scale = float(np.min((place.width, place.height) * page / size))
    half = size * scale / 2
    centre = np.array((place.x, place.y)) * page
    if place.inside:
        centre = np.clip(centre, np.minimum(half, page / 2), np.maximum(page - half, page / 2))
    matrix = np.eye(3)
    matrix[:2, :2] = flat * scale
    matrix[:2, 2] = centre - (corners.min(0) + corners.max(0)) / 2 * scale
    return stage.camera @ matrix, scale * float(max(size[1], 0.6 * size[0]))


def _project(marks: Sequence[Mark], matrix: Points) -> list[Mark]:
    every = np.concatenate([mark.points for mark in marks])
    pixels = cv2.perspectiveTransform(every[None], matrix)[0]
    cuts = np.cumsum([len(mark.points) for mark in marks])[:-1]
    parts = np.split(pixels, cuts)
    return [replace(mark, points=part) for mark, part in zip(marks, parts, strict=True)]


def _joints(sketch: Sketch, matrix: Points, stage: Stage) -> NDArray[np.float32]:
    places = cv2.perspectiveTransform(sketch.joints[None, :, :2], matrix)[0]
    seen = sketch.joints[:, 2].copy()
    height, width = stage.shape
    inside = ((places >= 0) & (places < (width, height))).all(axis=1)
    seen[~inside] = 0
    if stage.surroundings is not None:
        at = places[inside].astype(int)
        covered = stage.surroundings.hidden[at[:, 1], at[:, 0]]
        seen[inside] = np.where(covered, np.minimum(seen[inside], 1), seen[inside])
    joints = np.concatenate((places, seen[:, None]), axis=1)
    return np.where(seen[:, None] > 0, joints, 0).astype(np.float32)


def _box(mask: NDArray[np.bool_]) -> NDArray[np.float32] | None:
    columns, rows = np.flatnonzero(mask.any(0)), np.flatnonzero(mask.any(1))
    if len(columns) < _SMALLEST_SIDE or len(rows) < _SMALLEST_SIDE:
        return None
    return np.array((columns[0], rows[0], columns[-1] + 1, rows[-1] + 1), np.float32)


def _reserved(place: Place) -> Box:
    half_width, half_height = min(place.width, place.height) / 2, place.height / 2
    return (
        place.x - half_width,
        place.y - half_height,
        place.x + half_width,
        place.y + half_height,
    )
