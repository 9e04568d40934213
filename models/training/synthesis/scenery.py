"""Scenery: what children draw around figures: sun, clouds, trees, houses, flowers, rain."""

import numpy as np

from models.training.synthesis.curves import (
    Points,
    arc,
    bend_through,
    dense,
    direction,
    ellipse,
    point,
    polyline,
    rectangle,
)
from models.training.synthesis.palette import any_colour
from models.training.synthesis.sketch import Sketch

__all__ = (
    "draw_area",
    "draw_bare_tree",
    "draw_cloud",
    "draw_flower",
    "draw_horizon",
    "draw_house",
    "draw_palm",
    "draw_rain",
    "draw_rainbow",
    "draw_sun",
    "draw_tree",
)


def draw_area(sketch: Sketch, shape: Points, share: float = 0.5) -> None:
    """Draw a closed shape, coloured in this share of the cases."""
    dice = sketch.hand.dice
    sketch.area(shape, any_colour(dice) if dice.chance(share) else None)


def draw_sun(sketch: Sketch) -> None:
    """A disc with rays."""
    dice = sketch.hand.dice
    radius = dice.uniform(0.18, 0.3)
    draw_area(sketch, ellipse(point(0, 0), radius, radius))
    for turn in np.linspace(0, 2 * np.pi, dice.integer(6, 14), endpoint=False):
        way = direction(turn + dice.normal(0.08))
        sketch.line(polyline((way * radius * 1.2, way * dice.uniform(0.4, 0.55))))


def draw_house(sketch: Sketch) -> None:
    """Walls, a roof, a door, windows, at times smoke."""
    dice = sketch.hand.dice
    half, wall, roof = dice.uniform(0.3, 0.5), dice.uniform(0.35, 0.6), dice.uniform(0.25, 0.5)
    draw_area(sketch, rectangle(-half, 0, half, wall))
    over = half * dice.uniform(1.0, 1.25)
    draw_area(sketch, dense(((-over, 0), (over, 0), (0, -roof))))
    door = dice.uniform(-half * 0.5, half * 0.4)
    draw_area(sketch, rectangle(door, wall * 0.45, door + 0.14, wall))
    for x in (-half * 0.75, half * 0.45):
        if dice.chance(0.6):
            sketch.outline(rectangle(x, 0.1, x + 0.13, 0.22))


def draw_tree(sketch: Sketch) -> None:
    """A trunk with a crown: round, scalloped or a triangle; at times branches, roots and fruit."""
    dice = sketch.hand.dice
    half, foot = dice.uniform(0.03, 0.1), dice.uniform(1.0, 2.0)
    draw_area(sketch, dense(((-half, 0), (-half * foot, 0.5), (half * foot, 0.5), (half, 0))), 0.6)
    if dice.chance(0.35):
        for side in (-1.0, 1.0):
            sketch.line(polyline(((side * half, 0.12), (side * dice.uniform(0.15, 0.3), -0.08))))
    if dice.chance(0.25):
        for x in (-1.0, 0.0, 1.0):
            root = point(x * half * foot, 0.5)
            sketch.line(polyline((root, root + point(x * 0.08 + dice.normal(0.02), 0.08))))
    kind = dice.pick(("triangle", "round", "scallops", "scallops"))
    if kind == "triangle":
        draw_area(sketch, dense(((-0.35, 0.02), (0.35, 0.02), (0, -0.6))))
    elif kind == "round":
        draw_area(sketch, ellipse(point(0, -0.25), dice.uniform(0.22, 0.4), 0.3), 0.6)
    else:
        crown = _scallops(dice.integer(6, 12), dice.uniform(0.28, 0.4), dice.uniform(0.05, 0.1))
        draw_area(sketch, crown * (dice.uniform(0.85, 1.3), 1.0) + point(0, -0.25), 0.6)
    for _ in range(dice.integer(2, 7) if dice.chance(0.35) else 0):
        sketch.dot(dice.array.uniform(-0.2, 0.2, 2) + point(0, -0.25), 0.025, any_colour(dice))


def draw_palm(sketch: Sketch) -> None:
    """A palm: a bent trunk with leaves that hang to all sides."""
    dice = sketch.hand.dice
    top = point(dice.normal(0.08), -0.2)
    for side in (-0.03, 0.03):
        sketch.line(bend_through(point(side, 0.5), point(side + dice.normal(0.03), 0.15), top))
    for turn in np.linspace(-2.2, 2.2, dice.integer(4, 7)):
        tip = top + point(float(np.sin(turn)) * 0.4, -float(np.cos(turn)) * 0.25)
        sketch.line(bend_through(top, (top + tip) / 2 - point(0, 0.12), tip))


def draw_bare_tree(sketch: Sketch) -> None:
    """A trunk of one stroke with branches: much like a stick figure, but none."""
    dice = sketch.hand.dice
    sketch.line(polyline(((0, 0.5), (dice.normal(0.03), -0.45))))
    for _ in range(dice.integer(3, 7)):
        root = point(0, dice.uniform(-0.4, 0.2))
        tip = root + direction(np.pi + dice.sign() * dice.uniform(0.5, 1.2)) * 0.3
        sketch.line(polyline((root, tip)))


def draw_cloud(sketch: Sketch) -> None:
    """A scalloped oval."""
    draw_area(sketch, _scallops(sketch.hand.dice.integer(5, 9), 0.35, 0.1) * (1.3, 0.7), 0.2)


def draw_flower(sketch: Sketch) -> None:
    """A stem with leaves and a blossom."""
    dice = sketch.hand.dice
    sketch.line(bend_through(point(0, 0), point(dice.normal(0.05), 0.3), point(0, 0.6)))
    for side in (-1.0, 1.0):
        if dice.chance(0.5):
            sketch.outline(ellipse(point(side * 0.1, 0.35), 0.05, 0.11, side * 1.0))
    if dice.chance(0.3):
        cup = dense(((-0.15, -0.2), (-0.12, 0.05), (0.12, 0.05), (0.15, -0.2), (0, -0.05)))
        draw_area(sketch, cup)
        return
    for turn in np.linspace(0, 2 * np.pi, dice.integer(4, 8), endpoint=False):
        draw_area(sketch, ellipse(direction(turn) * 0.17, 0.09, 0.09), 0.3)
    draw_area(sketch, ellipse(point(0, 0), 0.08, 0.08))


def draw_rain(sketch: Sketch) -> None:
    """Drops as short strokes."""
    dice = sketch.hand.dice
    for _ in range(dice.integer(4, 14)):
        top = point(dice.uniform(-0.5, 0.5), dice.uniform(-0.4, 0.4))
        sketch.line(polyline((top, top + point(dice.normal(0.02), 0.09))))


def draw_rainbow(sketch: Sketch) -> None:
    """Bows in colours."""
    for radius in np.linspace(0.5, 0.3, 4):
        way = arc(point(0, 0), (radius, radius), np.pi / 2, 3 * np.pi / 2)
        sketch.line(way, any_colour(sketch.hand.dice))


def draw_horizon(sketch: Sketch) -> None:
    """A line across the page, or blades of grass along it."""
    dice = sketch.hand.dice
    if dice.chance(0.6):
        sketch.line(polyline(((-2, 0), (-0.7, 0.02), (0.6, -0.02), (2, 0))))
        return
    x = np.linspace(-1, 1, dice.integer(12, 40))
    y = np.where(np.arange(len(x)) % 2, -dice.uniform(0.08, 0.2), 0.0)
    sketch.line(np.stack((x, y), 1))


def _scallops(count: int, radius: float, bump: float) -> Points:
    turn = np.linspace(0, 2 * np.pi, count * 6, endpoint=False)
    reach = radius + bump * np.abs(np.sin(turn * count / 2))
    return np.stack((reach * np.sin(turn), reach * np.cos(turn)), 1)
