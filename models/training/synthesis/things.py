"""Things: small ones that children draw beside figures, or in rows."""

import numpy as np

from models.training.synthesis.curves import bend_through, dense, ellipse, point, polyline
from models.training.synthesis.scenery import draw_area
from models.training.synthesis.sketch import Sketch

__all__ = ("draw_balloon", "draw_heart", "draw_lollipop", "draw_star")


def draw_heart(sketch: Sketch) -> None:
    """A heart."""
    t = np.linspace(0, 2 * np.pi, 30, endpoint=False)
    x = 0.03 * 16 * np.sin(t) ** 3
    y = -0.03 * (13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t))
    draw_area(sketch, np.stack((x, y), 1))


def draw_star(sketch: Sketch) -> None:
    """A star with five points, as an outline or in one go."""
    turns = np.linspace(0, 2 * np.pi, 10, endpoint=False) + np.pi
    corners = np.stack((np.sin(turns), np.cos(turns)), 1) * 0.5
    if sketch.hand.dice.chance(0.4):
        sketch.line(corners[[0, 4, 8, 2, 6, 0]])
    else:
        corners[1::2] *= 0.42
        draw_area(sketch, dense(corners))


def draw_balloon(sketch: Sketch) -> None:
    """A balloon on a string."""
    draw_area(sketch, ellipse(point(0, 0), 0.2, 0.26))
    sketch.line(bend_through(point(0, 0.26), point(0.05, 0.5), point(-0.03, 0.8)))


def draw_lollipop(sketch: Sketch) -> None:
    """A disc on a stick: a head and a spine without limbs."""
    dice = sketch.hand.dice
    draw_area(sketch, ellipse(point(0, -0.2), 0.22, 0.22))
    sketch.line(polyline(((0, 0.02), (dice.normal(0.03), dice.uniform(0.3, 0.7)))))
