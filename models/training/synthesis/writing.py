"""Writing: words, rows of letters and numbers, sums and single large letters."""

import numpy as np

from models.training.synthesis.curves import arc, dense, ellipse, point, polyline
from models.training.synthesis.letters import write
from models.training.synthesis.palette import any_colour
from models.training.synthesis.scenery import draw_area
from models.training.synthesis.sketch import Sketch

__all__ = ("draw_big_letter", "draw_bubble", "draw_grid", "draw_page_of_text", "draw_text")


def draw_text(sketch: Sketch) -> None:
    """A word or two lines of writing."""
    dice = sketch.hand.dice
    for row in range(dice.weighted({1: 3, 2: 1})):
        for stroke in write(dice, dice.integer(2, 9)):
            sketch.line(stroke + point(dice.normal(0.01), row * 0.35))


def draw_page_of_text(sketch: Sketch) -> None:
    """Rows of letters or of one letter over and over, as in an exercise book."""
    dice = sketch.hand.dice
    rows = dice.integer(3, 7)
    colour = any_colour(dice) if dice.chance(0.2) else None
    for row in range(rows):
        count = dice.integer(4, 11)
        for stroke in write(dice, count):
            sketch.line(stroke + point(dice.normal(0.01), row * 1.7 / count), colour)


def draw_big_letter(sketch: Sketch) -> None:
    """One or two letters as large as a figure: an A, an X or a Y has limbs as well."""
    dice = sketch.hand.dice
    wide = dice.chance(0.3)
    for stroke in write(dice, 2 if wide else 1):
        sketch.line(stroke * (1.0, dice.uniform(0.9, 1.2)), width=dice.uniform(1.0, 2.0))


def draw_grid(sketch: Sketch) -> None:
    """A table, a game of noughts and crosses, or a hopscotch."""
    dice = sketch.hand.dice
    across, down = dice.integer(2, 5), dice.integer(2, 6)
    x, y = np.linspace(-0.4, 0.4, across + 1), np.linspace(-0.5, 0.5, down + 1)
    for at in x[dice.integer(0, 1) :]:
        sketch.line(polyline(((at, -0.5), (at, 0.5))))
    for at in y[dice.integer(0, 1) :]:
        sketch.line(polyline(((-0.4, at), (0.4, at))))
    half = min(0.4 / across, 0.5 / down) * 0.6
    for _ in range(dice.integer(0, 5)):
        i, j = dice.integer(0, across - 1), dice.integer(0, down - 1)
        middle = point(float(x[i] + x[i + 1]) / 2, float(y[j] + y[j + 1]) / 2)
        if dice.chance(0.5):
            sketch.outline(ellipse(middle, half, half))
        else:
            sketch.line(polyline((middle - half, middle + half)))
            sketch.line(polyline((middle + point(-half, half), middle + point(half, -half))))


def draw_bubble(sketch: Sketch) -> None:
    """A speech bubble with writing, or a heart-framed word."""
    dice = sketch.hand.dice
    if dice.chance(0.7):
        sketch.outline(ellipse(point(0, 0), 0.5, 0.28))
        sketch.line(polyline(((-0.2, 0.25), (-0.3, 0.45), (-0.05, 0.28))))
    else:
        draw_area(sketch, dense(((-0.5, -0.25), (-0.5, 0.25), (0.5, 0.25), (0.5, -0.25))), 0.2)
        sketch.line(arc(point(0, -0.25), (0.2, 0.15), np.pi / 2, 3 * np.pi / 2))
    for stroke in write(dice, dice.integer(2, 6)):
        sketch.line(stroke * 0.7 + point(-0.35, -0.06))
