"""Stencils: shapes that are given as coverage, traced with our pens on our pages.

Pictograms and sketches go through the very same hands here, figures and things alike: so a model
that is to tell them apart cannot go by the stroke.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from models.training.pictograms import Pictograms
from models.training.synthesis import DEFAULT_SETTINGS, Sample, SynthesisSettings
from models.training.synthesis.body_plans import draw_figure
from models.training.synthesis.camera import develop, light_up
from models.training.synthesis.clutter import choose_clutter, draw_clutter
from models.training.synthesis.dice import Dice
from models.training.synthesis.ink import Inker
from models.training.synthesis.layout import Place, central_place
from models.training.synthesis.noise import Plane, soft_field
from models.training.synthesis.sketch import Hand, Mark, MarkKind, Sketch
from models.training.synthesis.stage import Stage, set_stage

__all__ = ("Stencil", "pictogram", "print_stencil", "sketched")

_SIDE = 220
_MARGIN = 12
_SHIFT = 3
_WIDTHS = (0.008, 0.012, 0.02, 0.03, 0.045)  # of strokes, share of the longer side
_LEAST_INK = 50  # pixels


@dataclass(frozen=True, slots=True, eq=False)
class Stencil:
    """A shape.

    Attributes:
        ink: (h, w) uint8, how much of each pixel is covered, close around the ink.
        name: what it shows.
    """

    ink: NDArray[np.uint8]
    name: str


def pictogram(font: Pictograms, dice: Generator, *, being: bool) -> Stencil | None:
    """Any of a font's pictograms; None when it has no ink."""
    characters = font.beings if being else font.things
    character = characters[int(dice.integers(len(characters)))]
    ink = font.draw(character, int(dice.choice((300, 400, 500))))
    return None if ink is None else Stencil(ink, character)


def sketched(
    seed: int, dice: Generator, settings: SynthesisSettings, *, being: bool
) -> Stencil | None:
    """A figure or a thing of the synthesis in strokes of one width, at times in straight lines."""
    drawer = Dice(seed)
    hand = Hand(drawer, float(dice.choice((0, 0, 0.003, 0.006))), float(dice.choice((0, 0.03))))
    sketch = Sketch(hand, settings.look)
    if being:
        draw_figure(sketch, drawer.weighted(settings.figures))
    else:
        sketch.tags.append(choose_clutter(drawer, settings.things))
        draw_clutter(sketch, sketch.tags[0])
    ink = _trace(sketch, dice)
    rows, columns = np.nonzero(ink > 40)
    if len(rows) < _LEAST_INK:
        return None
    tight = ink[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    return Stencil(tight, sketch.tags[0])


def _trace(sketch: Sketch, dice: Generator) -> NDArray[np.uint8]:
    low, high = sketch.bounds()
    scale = _SIDE / max(float((high - low).max()), 1e-6)
    width, height = (int(value) + 2 * _MARGIN for value in (high - low) * scale)
    board = np.zeros((height, width), np.uint8)
    pen = _SIDE * float(dice.choice(_WIDTHS))
    coarse = _SIDE * float(dice.choice((0, 0, 0.01, 0.02)))
    filled = bool(dice.random() < 0.35)
    for mark in sketch.marks:
        points = ((mark.points - low) * scale + _MARGIN).astype(np.float32)
        if mark.kind is MarkKind.STROKE:
            _stroke(board, mark, points, pen, coarse)
        elif mark.kind is MarkKind.FILL and (filled or np.ptp(points, axis=0).max() < 0.06 * _SIDE):
            cv2.fillPoly(board, [_fixed(points)], 255, cv2.LINE_AA, _SHIFT)
    return board


def _stroke(
    board: NDArray[np.uint8], mark: Mark, points: NDArray[np.float32], pen: float, coarse: float
) -> None:
    if coarse:
        points = np.asarray(cv2.approxPolyDP(points[:, None], coarse, False), np.float32)[:, 0]
    thick = max(1, round(pen * mark.width))
    cv2.polylines(board, [_fixed(points)], False, 255, thick, cv2.LINE_AA, _SHIFT)


def _fixed(points: NDArray[np.float32]) -> NDArray[np.int32]:
    return np.round(points * (1 << _SHIFT)).astype(np.int32)


def print_stencil(seed: int, size: int, stencil: Stencil) -> Sample | None:
    """One page with the shape on it, longer side `size` pixels; None where it does not show.

    The sample has no labelled figures, and the shape's box as its only thing.
    """
    dice, chance = Dice(seed), np.random.default_rng(seed)
    stage = set_stage(dice, DEFAULT_SETTINGS, size)
    pen = stage.new_pen()
    cover, reach = _lay(stage, stencil.ink, central_place(dice), chance)
    alpha = Inker(dice, pen, 3.0, reach).wet(cover, pen)[..., None]
    stage.canvas[:] += alpha * (np.array(pen.colour, np.float32) - stage.canvas)
    rows, columns = np.nonzero(cover > 0.3)
    if len(rows) < _LEAST_INK:
        return None
    if stage.surroundings is not None:
        stage.surroundings.lay_over(stage.canvas)
    if not stage.is_digital:
        light_up(dice, stage.canvas, DEFAULT_SETTINGS)
    image = develop(dice, stage.canvas, DEFAULT_SETTINGS, not stage.is_digital)
    box = np.array((columns.min(), rows[0], columns.max() + 1, rows[-1] + 1), np.float32)
    return Sample(image, (), (stencil.name,), (box,))


def _lay(
    stage: Stage, ink: NDArray[np.uint8], place: Place, chance: Generator
) -> tuple[Plane, float]:
    """Coverage (H, W) of the page, in [0, 1]: the shape turned, stretched and bent; its length."""
    height, width = stage.shape
    scale = min(place.width * width / ink.shape[1], place.height * height / ink.shape[0])
    stretch, angle = float(chance.uniform(0.8, 1.25)), float(chance.normal(0, 0.14))
    cos, sin = np.cos(angle), np.sin(angle)
    turn = np.array(((cos * stretch, -sin), (sin, cos / stretch))) * scale
    middle = np.array((place.x * width, place.y * height))
    shift = middle - turn @ (np.array((ink.shape[1], ink.shape[0])) / 2)
    cover = cv2.warpAffine(ink, np.column_stack((turn, shift)), (width, height))
    reach = max(ink.shape) * scale
    if chance.random() < 0.3 and reach > 80:
        cover = cv2.dilate(cover, np.ones((3, 3), np.uint8))
    if chance.random() < 0.75:
        cover = _bend(stage.dice, np.asarray(cover), float(chance.uniform(0.004, 0.03)) * reach)
    return np.asarray(cover, np.float32) / np.float32(255), reach


def _bend(dice: Dice, cover: NDArray[np.uint8], amount: float) -> NDArray[np.uint8]:
    """Move what is there by about so many pixels, smoothly."""
    height, width = cover.shape
    x, y = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    knots = dice.integer(5, 11)
    along, down = (np.float32(amount) * soft_field(dice, cover.shape, knots) for _ in range(2))
    return np.asarray(cv2.remap(cover, x + along, y + down, cv2.INTER_LINEAR), np.uint8)
