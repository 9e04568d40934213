"""Creatures without arms and legs that a person could move: fish, birds, butterflies, snails."""

import numpy as np

from models.training.synthesis.curves import (
    arc,
    bend_through,
    dense,
    direction,
    ellipse,
    point,
    polyline,
)
from models.training.synthesis.scenery import draw_area
from models.training.synthesis.sketch import Sketch

__all__ = ("draw_bird", "draw_butterfly", "draw_fish", "draw_snail", "draw_spider")


def draw_fish(sketch: Sketch) -> None:
    """A fish, at times with fins and scales."""
    dice = sketch.hand.dice
    tall = dice.uniform(0.13, 0.26)
    draw_area(sketch, ellipse(point(0, 0), 0.35, tall))
    sketch.outline(dense(((0.33, 0), (0.55, -0.17), (0.55, 0.17))))
    sketch.dot(point(-0.2, -0.04), 0.02)
    if dice.chance(0.5):
        sketch.line(bend_through(point(-0.1, -tall), point(0.05, -tall - 0.1), point(0.15, -tall)))
    for x in (-0.05, 0.08, 0.2)[: dice.integer(0, 3)]:
        sketch.line(arc(point(x, 0), (0.06, 0.1), 0.3, 2.8))


def draw_bird(sketch: Sketch) -> None:
    """A bird from the side, or far off as a bow with two wings."""
    dice = sketch.hand.dice
    if dice.chance(0.3):
        for _ in range(dice.integer(1, 3)):
            at = dice.array.uniform(-0.4, 0.4, 2)
            wings = polyline(((-0.2, 0.0), (-0.1, -0.1), (0, 0), (0.1, -0.1), (0.2, 0.0)))
            sketch.line(wings + at)
        return
    draw_area(sketch, ellipse(point(0, 0), 0.28, 0.18))
    draw_area(sketch, ellipse(point(-0.3, -0.2), 0.12, 0.11))
    sketch.line(polyline(((-0.4, -0.22), (-0.54, -0.18), (-0.4, -0.15))))
    sketch.dot(point(-0.33, -0.22), 0.015)
    sketch.line(arc(point(0.05, -0.02), (0.14, 0.1), -1.5, 1.5))
    for x in (-0.05, 0.08):
        sketch.line(polyline(((x, 0.17), (x, 0.34), (x - 0.06, 0.36))))


def draw_butterfly(sketch: Sketch) -> None:
    """A body between two pairs of wings, with feelers: much like an angel, but none."""
    dice = sketch.hand.dice
    upper, lower = dice.uniform(0.22, 0.3), dice.uniform(0.14, 0.22)
    for side in (-1.0, 1.0):
        draw_area(sketch, ellipse(point(side * upper, -0.16), upper, upper * 0.8, side * 0.5))
        draw_area(sketch, ellipse(point(side * lower * 1.1, 0.18), lower, lower * 1.1))
        if dice.chance(0.5):
            draw_area(sketch, ellipse(point(side * upper, -0.16), upper * 0.35, upper * 0.35), 0.6)
        feeler = bend_through(point(0, -0.3), point(side * 0.07, -0.45), point(side * 0.14, -0.5))
        sketch.line(feeler)
    if dice.chance(0.5):
        draw_area(sketch, ellipse(point(0, 0), 0.035, 0.32), 0.6)
    else:
        sketch.line(polyline(((0, -0.32), (0, 0.35))))


def draw_snail(sketch: Sketch) -> None:
    """A snail or a worm."""
    dice = sketch.hand.dice
    draw_area(sketch, ellipse(point(0.05, -0.1), 0.25, 0.24))
    turns = np.linspace(0.5, 11, 40)
    reach = 0.2 * turns / turns[-1]
    sketch.line(np.stack((reach * np.sin(turns) + 0.05, reach * np.cos(turns) - 0.1), 1))
    body = bend_through(point(0.45, 0.2), point(0, 0.15), point(-0.45, 0.1))
    sketch.line(np.concatenate((body, polyline(((-0.5, -0.12), (-0.4, -0.15))))))
    for x in (-0.53, -0.44)[: dice.integer(1, 2)]:
        sketch.line(polyline(((x, -0.14), (x - 0.03, -0.28))))


def draw_spider(sketch: Sketch) -> None:
    """A spider or a beetle: a body with six or eight legs on a thread."""
    dice = sketch.hand.dice
    size = dice.uniform(0.13, 0.22)
    draw_area(sketch, ellipse(point(0, 0), size, size * dice.uniform(0.8, 1.3)))
    for side in (-1.0, 1.0):
        for turn in np.linspace(0.7, 2.4, dice.integer(3, 4)):
            root = direction(float(side * turn)) * size
            knee = root + direction(float(side * turn)) * 0.15 - point(0, 0.06)
            sketch.line(polyline((root, knee, knee + point(side * 0.08, 0.14))))
    if dice.chance(0.4):
        sketch.line(polyline(((0, -size), (0, -0.7))))
