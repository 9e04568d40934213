"""Vehicles, and a few other things of boxes and wheels."""

import numpy as np

from models.training.synthesis.curves import arc, bend_through, dense, ellipse, point, polyline
from models.training.synthesis.scenery import draw_area
from models.training.synthesis.sketch import Sketch

__all__ = ("draw_boat", "draw_bus", "draw_car", "draw_chair", "draw_rocket", "draw_umbrella")


def draw_car(sketch: Sketch) -> None:
    """A car from the side."""
    dice = sketch.hand.dice
    tall = dice.uniform(0.15, 0.28)
    corners = (
        (-0.5, 0),
        (-0.5, 0.2),
        (0.5, 0.2),
        (0.5, 0),
        (0.25, 0),
        (0.15, -tall),
        (-0.2, -tall),
    )
    draw_area(sketch, dense((*corners, (-0.3, 0))))
    if dice.chance(0.6):
        sketch.outline(dense(((-0.15, -tall * 0.8), (-0.2, 0), (0.15, 0), (0.1, -tall * 0.8))))
    _wheels(sketch, (-0.28, 0.28), 0.22, dice.uniform(0.08, 0.13))


def draw_bus(sketch: Sketch) -> None:
    """A bus, a lorry or a train with windows."""
    dice = sketch.hand.dice
    tall = dice.uniform(0.3, 0.5)
    draw_area(sketch, dense(((-0.55, -tall), (-0.55, 0.1), (0.55, 0.1), (0.55, -tall))))
    count = dice.integer(2, 5)
    for x in np.linspace(-0.42, 0.42 - 0.12, count):
        box = ((x, -tall * 0.8), (x, -tall * 0.3), (x + 0.13, -tall * 0.3), (x + 0.13, -tall * 0.8))
        draw_area(sketch, dense(box), 0.2)
    _wheels(sketch, (-0.33, 0.33) if dice.chance(0.7) else (-0.4, 0.0, 0.4), 0.12, 0.1)


def draw_boat(sketch: Sketch) -> None:
    """A boat with a mast and one or two sails, on waves."""
    dice = sketch.hand.dice
    draw_area(sketch, dense(((-0.45, 0.1), (-0.3, 0.35), (0.3, 0.35), (0.45, 0.1))))
    sketch.line(polyline(((0, 0.1), (0, -0.5))))
    draw_area(sketch, dense(((0.03, -0.48), (0.03, 0.0), (0.36, 0.0))))
    if dice.chance(0.5):
        draw_area(sketch, dense(((-0.03, -0.4), (-0.03, 0.0), (-0.28, 0.0))))
    if dice.chance(0.5):
        x = np.linspace(-0.6, 0.6, 25)
        sketch.line(np.stack((x, 0.4 + 0.03 * np.sin(x * 22)), 1))


def draw_rocket(sketch: Sketch) -> None:
    """A rocket, or a pencil, standing on its tail."""
    dice = sketch.hand.dice
    half = dice.uniform(0.09, 0.16)
    body = bend_through(point(-half, 0.35), point(0, -0.95), point(half, 0.35))
    draw_area(sketch, body)
    for side in (-1.0, 1.0):
        fin = ((side * half, 0.1), (side * (half + 0.15), 0.42), (side * half, 0.34))
        draw_area(sketch, dense(fin))
    for y in (-0.1, 0.08)[: dice.integer(0, 2)]:
        sketch.outline(ellipse(point(0, y), half * 0.5, half * 0.5))
    if dice.chance(0.4):
        flame = ((-half * 0.7, 0.38), (-half * 0.3, 0.55), (0, 0.42), (half * 0.3, 0.6))
        sketch.line(polyline((*flame, (half * 0.7, 0.38))))


def draw_chair(sketch: Sketch) -> None:
    """A chair or a table: a board on legs."""
    dice = sketch.hand.dice
    half = dice.uniform(0.2, 0.45)
    draw_area(sketch, dense(((-half, 0), (-half, 0.06), (half, 0.06), (half, 0))), 0.3)
    for x in (-half, half) if dice.chance(0.6) else (-half, -half * 0.7, half * 0.7, half):
        sketch.line(polyline(((x * 0.95, 0.06), (x * dice.uniform(0.9, 1.15), 0.5))))
    if dice.chance(0.5):
        back = dice.sign() * half * 0.95
        sketch.line(polyline(((back, 0), (back * 1.1, -0.5))))


def draw_umbrella(sketch: Sketch) -> None:
    """An umbrella, or a mushroom."""
    cap = arc(point(0, 0), (0.45, 0.4), np.pi / 2, 3 * np.pi / 2)
    draw_area(sketch, np.concatenate((cap, dense(((0.45, 0), (-0.45, 0)))[:6])))
    if sketch.hand.dice.chance(0.5):
        sketch.line(polyline(((0, 0), (0, 0.5), (-0.06, 0.56), (-0.12, 0.5))))
    else:
        draw_area(sketch, dense(((-0.1, 0), (-0.13, 0.45), (0.13, 0.45), (0.1, 0))), 0.3)


def _wheels(sketch: Sketch, places: tuple[float, ...], y: float, size: float) -> None:
    for x in places:
        draw_area(sketch, ellipse(point(x, y), size, size))
        if sketch.hand.dice.chance(0.4):
            sketch.outline(ellipse(point(x, y), size * 0.4, size * 0.4))
