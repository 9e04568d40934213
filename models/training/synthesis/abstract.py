"""Abstract: scribbles, spirals, maps and balls on lines, which stand for nothing with limbs."""

from itertools import pairwise

import numpy as np

from models.training.synthesis.curves import dense, direction, ellipse, point, polyline
from models.training.synthesis.palette import any_colour
from models.training.synthesis.scenery import draw_area
from models.training.synthesis.sketch import FillStyle, Sketch

__all__ = (
    "draw_arrow",
    "draw_ball_model",
    "draw_map",
    "draw_plain_shape",
    "draw_scribble",
    "draw_spiral",
    "draw_swatches",
    "draw_tangle",
)


def draw_scribble(sketch: Sketch) -> None:
    """Strokes without a meaning."""
    dice = sketch.hand.dice
    for _ in range(dice.integer(1, 3)):
        steps = dice.array.normal(0, 0.15, (dice.integer(2, 20), 2))
        sketch.line(np.cumsum(steps, axis=0) + dice.array.normal(0, 0.2, 2))


def draw_tangle(sketch: Sketch) -> None:
    """The round-and-round of a small child: loops over loops, in one or more colours."""
    dice = sketch.hand.dice
    for _ in range(dice.integer(1, 3)):
        turns = np.linspace(0, dice.uniform(8, 40), dice.integer(40, 60))
        radii = 0.3 + 0.12 * np.sin(turns * dice.uniform(0.2, 0.9)) + dice.normal(0.05)
        drift = np.linspace(-1, 1, len(turns)) * dice.uniform(-0.3, 0.3)
        loops = np.stack((radii * np.sin(turns) + drift, radii * np.cos(turns)), 1)
        colour = any_colour(dice) if dice.chance(0.5) else None
        sketch.line(loops + dice.array.normal(0, 0.15, 2), colour)


def draw_spiral(sketch: Sketch) -> None:
    """A spiral, a snail's shell or a lollipop."""
    dice = sketch.hand.dice
    turns = np.linspace(0.5, dice.uniform(8, 22), 60)
    reach = 0.45 * turns / turns[-1]
    sketch.line(np.stack((reach * np.sin(turns), reach * np.cos(turns)), 1))
    if dice.chance(0.3):
        sketch.line(polyline(((0, 0.45), (dice.normal(0.03), 1.0))))


def draw_map(sketch: Sketch) -> None:
    """A treasure map: a winding way of dashes from a thing to a cross."""
    dice = sketch.hand.dice
    steps = np.linspace(-0.5, 0.5, dice.integer(5, 9))
    way = np.stack((steps, 0.3 * np.sin(steps * dice.uniform(4, 12))), 1)
    for a, b in pairwise(way):
        sketch.line(polyline((a, a + (b - a) * dice.uniform(0.5, 0.9))))
    for end in (-0.08, 0.08):
        sketch.line(polyline((way[-1] + point(-0.08, end), way[-1] + point(0.08, -end))))
    for _ in range(dice.integer(1, 4)):
        place = point(dice.uniform(-0.5, 0.5), dice.uniform(-0.5, 0.5))
        size = dice.uniform(0.05, 0.12)
        peak = (place - point(size, 0), place - point(0, size * 1.5), place + point(size, 0))
        draw_area(sketch, dense(peak) if dice.chance(0.6) else ellipse(place, size, size), 0.4)


def draw_ball_model(sketch: Sketch) -> None:
    """Balls on sticks: a molecule, a mobile, a constellation."""
    dice = sketch.hand.dice
    places = dice.array.uniform(-0.5, 0.5, (dice.integer(3, 7), 2))
    for a, b in pairwise(places):
        sketch.line(polyline((a, b)))
    for place in places:
        size = dice.uniform(0.03, 0.13)
        draw_area(sketch, ellipse(place, size, size), 0.4)


def draw_swatches(sketch: Sketch) -> None:
    """Patches of colour, as one tries pens out."""
    dice = sketch.hand.dice
    for _ in range(dice.integer(1, 5)):
        place = point(dice.uniform(-0.5, 0.5), dice.uniform(-0.5, 0.5))
        wide, tall = dice.uniform(0.08, 0.4), dice.uniform(0.05, 0.25)
        patch = ellipse(place, wide, tall, dice.uniform(-1, 1))
        sketch.fill(patch, any_colour(dice), dice.pick((FillStyle.HATCH, FillStyle.SCRIBBLE)))


def draw_plain_shape(sketch: Sketch) -> None:
    """A circle, a box or a triangle, or some of them in each other."""
    dice = sketch.hand.dice
    for _ in range(dice.weighted({1: 4, 2: 1, 3: 1})):
        half, tall = dice.uniform(0.15, 0.5), dice.uniform(0.15, 0.5)
        circle = ellipse(point(0, 0), half, tall)
        box = dense(((-half, -tall), (-half, tall), (half, tall), (half, -tall)))
        triangle = dense(((-half, tall), (half, tall), (0, -tall)))
        draw_area(sketch, dice.pick((circle, box, triangle)), 0.4)


def draw_arrow(sketch: Sketch) -> None:
    """An arrow."""
    way = direction(sketch.hand.dice.uniform(0, 6.28)) * 0.5
    sketch.line(polyline((-way, way)))
    turn = direction(float(np.arctan2(way[0], way[1])) + 2.5) * 0.2
    mirror = direction(float(np.arctan2(way[0], way[1])) - 2.5) * 0.2
    sketch.line(polyline((way + turn, way, way + mirror)))
