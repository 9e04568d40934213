"""Heavens: suns, moons and clouds with faces, and other heads that have no body."""

import numpy as np

from models.training.synthesis.curves import (
    Points,
    arc,
    dense,
    direction,
    ellipse,
    point,
    polyline,
    rotate,
)
from models.training.synthesis.hair import draw_ears, draw_hair, draw_headgear
from models.training.synthesis.heads import draw_face, head_outline
from models.training.synthesis.palette import any_colour
from models.training.synthesis.scenery import draw_area
from models.training.synthesis.skeletons import Skeleton
from models.training.synthesis.sketch import FillStyle, Sketch

__all__ = (
    "draw_animal_head",
    "draw_corner_sun",
    "draw_faced_moon",
    "draw_faced_sun",
    "draw_faced_thing",
    "draw_portrait",
    "draw_smiley",
)


def draw_faced_sun(sketch: Sketch) -> None:
    """A sun with rays and a face."""
    dice = sketch.hand.dice
    radius = dice.uniform(0.2, 0.34)
    if dice.chance(0.5):
        yellow = (245, 205, 50) if dice.chance(0.7) else any_colour(dice)
        sketch.fill(ellipse(point(0, 0), radius, radius), yellow, dice.pick(tuple(FillStyle)))
    sketch.outline(ellipse(point(0, 0), radius, radius))
    _rays(sketch, radius, 0.0, 2 * np.pi)
    draw_face(sketch, _head(radius, radius), None)


def draw_corner_sun(sketch: Sketch) -> None:
    """A quarter or a half of a sun, as it sits in a corner of the page."""
    dice = sketch.hand.dice
    radius, start = dice.uniform(0.3, 0.5), dice.pick((0.0, np.pi / 2, np.pi, 3 * np.pi / 2))
    stop = start + (np.pi / 2 if dice.chance(0.7) else np.pi)
    bow = arc(point(0, 0), (radius, radius), start, stop)
    if dice.chance(0.6):
        wedge = np.concatenate((bow, polyline(((0, 0),))))
        sketch.fill(wedge, (245, 205, 50), dice.pick(tuple(FillStyle)))
    sketch.line(bow)
    _rays(sketch, radius, start, stop)


def draw_faced_moon(sketch: Sketch) -> None:
    """A crescent, at times with an eye and a smile."""
    dice = sketch.hand.dice
    outer = arc(point(0, 0), (0.45, 0.45), 0.2, np.pi - 0.2)
    inner = arc(point(0, 0), (dice.uniform(0.12, 0.28), 0.43), np.pi - 0.2, 0.2)
    draw_area(sketch, rotate(np.concatenate((outer, inner)), dice.uniform(-3, 3), point(0, 0)))
    if dice.chance(0.5):
        sketch.dot(point(0.3, -0.1), 0.02)


def draw_faced_thing(sketch: Sketch) -> None:
    """A cloud, an apple, a pumpkin or a flower with a face."""
    dice = sketch.hand.dice
    count, bump = dice.integer(5, 11), dice.pick((0.0, 0.05, 0.1))
    turn = np.linspace(0, 2 * np.pi, 66, endpoint=False)
    reach = 0.38 + bump * np.abs(np.sin(turn * count / 2))
    wide = dice.uniform(0.9, 1.4)
    draw_area(sketch, np.stack((wide * reach * np.sin(turn), reach * np.cos(turn)), 1), 0.5)
    if dice.chance(0.4):
        sketch.line(polyline(((0, -0.36), (dice.normal(0.04), -0.5))))
    if dice.chance(0.25):
        sketch.line(polyline(((0, 0.4), (dice.normal(0.04), 1.0))))
    draw_face(sketch, _head(0.3, 0.3), None)


def draw_smiley(sketch: Sketch) -> None:
    """One outline, two eyes, a mouth, in few strokes."""
    dice = sketch.hand.dice
    head = _head(dice.uniform(0.3, 0.6), 0.5)
    sketch.outline(head_outline(sketch, head))
    draw_face(sketch, head, None)


def draw_portrait(sketch: Sketch) -> None:
    """A head with hair or a hat, at times with a neck, and no body."""
    dice = sketch.hand.dice
    head = _head(dice.uniform(0.28, 0.45), 0.4)
    draw_area(sketch, head_outline(sketch, head), 0.3)
    draw_face(sketch, head, None)
    if dice.chance(0.8):
        draw_hair(sketch, head)
    if dice.chance(0.3):
        draw_headgear(sketch, head)
    if dice.chance(0.3):
        for side in (-1.0, 1.0):
            sketch.line(polyline(((side * 0.1, 0.38), (side * 0.12, 0.55))))


def draw_animal_head(sketch: Sketch) -> None:
    """The head of a cat, a bear or a rabbit."""
    dice = sketch.hand.dice
    head = _head(dice.uniform(0.3, 0.45), 0.35)
    colour = any_colour(dice) if dice.chance(0.4) else None
    draw_ears(sketch, head, colour)
    draw_area(sketch, head_outline(sketch, head), 0.3)
    draw_face(sketch, head, None)
    if dice.chance(0.5):
        for side in (-1.0, 1.0):
            for lift in (-0.05, 0.0, 0.05):
                sketch.line(polyline(((side * 0.12, 0.1), (side * 0.4, 0.1 + lift))))


def _rays(sketch: Sketch, radius: float, start: float, stop: float) -> None:
    dice = sketch.hand.dice
    count = max(3, round(dice.integer(7, 16) * (stop - start) / (2 * np.pi)))
    kind = dice.pick(("lines", "lines", "spikes", "waves"))
    for turn in np.linspace(start, stop, count, endpoint=stop - start < 6):
        way = direction(float(turn) + dice.normal(0.05))
        reach = radius * dice.uniform(1.5, 2.0)
        if kind == "spikes":
            sides = [direction(float(turn) + bend) * radius for bend in (-0.16, 0.16)]
            draw_area(sketch, dense((sides[0], way * reach, sides[1])), 0.3)
        elif kind == "waves":
            along = np.linspace(radius * 1.15, reach, 7)[:, None]
            sway = np.where(np.arange(7) % 2, 0.02, -0.02)[:, None]
            sketch.line(way * along + point(-way[1], way[0]) * sway)
        else:
            sketch.line(polyline((way * radius * dice.uniform(1.0, 1.2), way * reach)))


def _head(half_width: float, half_height: float) -> Skeleton:
    zero: Points = point(0, 0)
    none = np.zeros((2, 2))
    radii = (half_width, half_height)
    return Skeleton(zero, radii, 0.0, none, none, (None, None), (None, None))
