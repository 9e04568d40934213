"""Dwellings: houses, towers and tents, plain or with all that a child knows of a house."""

from itertools import pairwise

import numpy as np

from models.training.synthesis.curves import Points, dense, ellipse, point, polyline, rectangle
from models.training.synthesis.palette import any_colour
from models.training.synthesis.scenery import draw_area
from models.training.synthesis.sketch import FillStyle, Sketch

__all__ = ("draw_big_house", "draw_castle", "draw_tent", "draw_tower_block")


def draw_big_house(sketch: Sketch) -> None:
    """A house in colours: panels, a hatched roof, windows with crosses, a door, a chimney."""
    dice = sketch.hand.dice
    half, wall, roof = dice.uniform(0.32, 0.55), dice.uniform(0.35, 0.65), dice.uniform(0.22, 0.5)
    lean = dice.normal(0.03)
    if dice.chance(0.4):
        _panels(sketch, half, wall)
    draw_area(sketch, rectangle(-half, 0, half, wall), 0.25)
    over = half * dice.uniform(1.0, 1.2)
    ridge = (lean, -roof) if dice.chance(0.75) else None
    top = (ridge,) if ridge else ((half * 0.6, -roof * 0.7), (-half * 0.6, -roof * 0.7))
    draw_area(sketch, dense(((-over, 0), (over, 0), *top)), 0.7)
    _door(sketch, half, wall)
    for x in (-0.6, 0.6) if dice.chance(0.75) else (-0.62, 0.0, 0.62):
        if dice.chance(0.85):
            _window(sketch, point(x * half, wall * dice.uniform(0.2, 0.35)), half * 0.2)
    if dice.chance(0.35):
        sign = wall * dice.uniform(0.1, 0.2)
        draw_area(sketch, rectangle(-half * 0.35, sign, half * 0.35, sign + wall * 0.12), 0.8)
    if dice.chance(0.4):
        _chimney(sketch, half, roof)


def draw_castle(sketch: Sketch) -> None:
    """A wall between two towers with battlements and flags."""
    dice = sketch.hand.dice
    draw_area(sketch, _battlements(-0.3, -0.05, 0.3, 0.5), 0.3)
    for side in (-1.0, 1.0):
        draw_area(sketch, _battlements(side * 0.4 - 0.12, -0.3, side * 0.4 + 0.12, 0.5), 0.3)
        if dice.chance(0.6):
            mast = point(side * 0.4, -0.35)
            sketch.line(polyline((mast, mast - point(0, 0.25))))
            flag = dense((mast - point(0, 0.25), mast - point(-0.14, 0.2), mast - point(0, 0.14)))
            draw_area(sketch, flag, 0.6)
    _door(sketch, 0.3, 0.5)


def draw_tower_block(sketch: Sketch) -> None:
    """A tall house with rows of windows."""
    dice = sketch.hand.dice
    half = dice.uniform(0.18, 0.32)
    draw_area(sketch, rectangle(-half, -0.5, half, 0.5), 0.3)
    for y in np.linspace(-0.4, 0.25, dice.integer(3, 5)):
        for x in (-0.55, 0.0, 0.55)[:: dice.integer(1, 2)]:
            sketch.outline(rectangle(x * half - 0.05, y, x * half + 0.05, y + 0.09))
    _door(sketch, half, 0.5)


def draw_tent(sketch: Sketch) -> None:
    """A tent, or a pyramid."""
    dice = sketch.hand.dice
    half = dice.uniform(0.35, 0.55)
    draw_area(sketch, dense(((-half, 0.4), (half, 0.4), (0, -0.4))), 0.5)
    if dice.chance(0.7):
        sketch.line(polyline(((-0.1, 0.4), (0, -0.35), (0.1, 0.4))))


def _panels(sketch: Sketch, half: float, wall: float) -> None:
    """Coloured strips from left to right, with white between them at times."""
    dice = sketch.hand.dice
    edges = np.linspace(-half, half, dice.integer(4, 8))
    style = dice.pick(tuple(FillStyle))
    for left, right in pairwise(edges.tolist()):
        if dice.chance(0.8):
            strip = rectangle(left, wall * dice.uniform(0.0, 0.1), right, wall)
            sketch.fill(strip, any_colour(dice), style)


def _door(sketch: Sketch, half: float, wall: float) -> None:
    dice = sketch.hand.dice
    middle, wide = dice.uniform(-0.3, 0.3) * half, half * dice.uniform(0.12, 0.2)
    top = wall * dice.uniform(0.4, 0.6)
    draw_area(sketch, rectangle(middle - wide, top, middle + wide, wall), 0.4)
    if dice.chance(0.6):
        sketch.dot(point(middle + wide * 0.6, (top + wall) / 2), 0.012)


def _window(sketch: Sketch, middle: Points, size: float) -> None:
    dice = sketch.hand.dice
    if dice.chance(0.2):
        draw_area(sketch, ellipse(middle, size, size), 0.3)
    else:
        low, high = middle - size, middle + size
        draw_area(sketch, rectangle(low[0], low[1], high[0], high[1]), 0.3)
    if dice.chance(0.7):
        sketch.line(polyline((middle - point(size, 0), middle + point(size, 0))))
        sketch.line(polyline((middle - point(0, size), middle + point(0, size))))


def _chimney(sketch: Sketch, half: float, roof: float) -> None:
    dice = sketch.hand.dice
    x = half * dice.uniform(0.35, 0.6) * dice.sign()
    foot, head = -roof * (1 - abs(x) / half), -roof * dice.uniform(1.0, 1.2)
    draw_area(sketch, rectangle(x - 0.04, head, x + 0.04, foot), 0.4)
    turns = np.linspace(0, dice.uniform(6, 16), 30)
    smoke = np.stack((0.03 * np.cos(turns) + turns * 0.012, 0.03 * np.sin(turns) - turns * 0.02), 1)
    sketch.line(smoke + point(x, head - 0.03))


def _battlements(x1: float, y1: float, x2: float, y2: float) -> Points:
    x = np.repeat(np.linspace(x1, x2, 6), 2)[1:-1]
    y = np.where(np.arange(len(x)) // 2 % 2, y1 + 0.07, y1)
    return np.concatenate((np.stack((x, y), 1), polyline(((x2, y2), (x1, y2)))))
