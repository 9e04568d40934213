"""Hands and feet: what is drawn beyond a wrist or an ankle."""

from collections.abc import Mapping

import numpy as np

from models.training.synthesis.curves import (
    Points,
    bend_through,
    direction,
    ellipse,
    point,
    polyline,
    rotate,
)
from models.training.synthesis.palette import Colour
from models.training.synthesis.skeletons import Limb
from models.training.synthesis.sketch import FillStyle, Sketch

__all__ = ("FOOT_SHARES", "HAND_SHARES", "draw_foot", "draw_hand")

HAND_SHARES: Mapping[str, float] = {
    "none": 3.5,
    "fork": 3.5,
    "ball": 0.8,
    "mitten": 0.8,
    "flower": 0.4,
    "rake": 1.0,
    "claw": 0.4,
}
FOOT_SHARES: Mapping[str, float] = {
    "none": 3.5,
    "fork": 3.0,
    "oval": 1.5,
    "shoe": 0.8,
    "dash": 1.0,
}


def draw_hand(sketch: Sketch, limb: Limb, kind: str, colour: Colour | None) -> None:
    """Draw a hand at the end of an arm."""
    size = sketch.hand.dice.uniform(0.05, 0.11)
    _extremity(sketch, limb, (kind, size, limb.heading), colour)


def draw_foot(sketch: Sketch, limb: Limb, kind: str, side: float) -> None:
    """Draw a foot at the end of a leg; `side` is -1 or 1, where its toes point."""
    dice = sketch.hand.dice
    size = dice.uniform(0.05, 0.11)
    if kind == "dash":
        sketch.line(polyline((limb.end, limb.end + (side * size, dice.normal(0.01)))))
    elif kind in ("oval", "shoe"):
        middle = limb.end + (side * size * 0.6, size * 0.15)
        shape = ellipse(middle, size, size * dice.uniform(0.35, 0.6), dice.normal(0.15))
        if kind == "shoe":
            shape[:, 1] = np.minimum(shape[:, 1], middle[1] + size * 0.25)
        sketch.outline(shape)
    else:
        _extremity(sketch, limb, (kind, size, limb.heading), None)


def _extremity(
    sketch: Sketch, limb: Limb, what: tuple[str, float, float], colour: Colour | None
) -> None:
    kind, size, heading = what
    dice = sketch.hand.dice
    if kind == "fork":
        _prongs(sketch, limb.end, (heading, size), dice.pick((2, 3, 3, 3, 3, 4)))
    elif kind == "rake":
        _prongs(sketch, limb.end, (heading, size * 0.7), dice.integer(4, 6))
    elif kind == "claw":
        _claws(sketch, limb.end, heading, size)
    elif kind in ("ball", "mitten"):
        middle = limb.end + direction(heading) * size * 0.5
        _blob(sketch, ellipse(middle, size * 0.5, size * 0.5), colour)
        if kind == "mitten":
            thumb = middle + direction(heading + dice.sign() * 1.2) * size * 0.55
            sketch.outline(ellipse(thumb, size * 0.16, size * 0.3, -heading))
    elif kind == "flower":
        for turn in np.linspace(-1.4, 1.4, dice.integer(3, 5)):
            middle = limb.end + direction(heading + turn) * size * 0.5
            _blob(sketch, ellipse(middle, size * 0.24, size * 0.24), colour)


def _blob(sketch: Sketch, shape: Points, colour: Colour | None) -> None:
    if colour is not None:
        sketch.fill(shape, colour, FillStyle.FLAT)
    sketch.outline(shape)


def _prongs(sketch: Sketch, end: Points, aim: tuple[float, float], count: int) -> None:
    heading, size = aim
    dice = sketch.hand.dice
    spread = np.deg2rad(dice.uniform(40, 120)) / 2
    for turn in np.linspace(-spread, spread, count):
        root = end - direction(heading) * dice.uniform(-0.01, 0.02)
        way = heading + turn + dice.normal(0.12)
        sketch.line(polyline((root, root + direction(way) * size * dice.uniform(0.75, 1.25))))


def _claws(sketch: Sketch, end: Points, heading: float, size: float) -> None:
    dice = sketch.hand.dice
    for turn in (-0.9, 0.0, 0.9):
        tip = end + direction(heading + turn + dice.normal(0.1)) * size
        bow = rotate(tip, dice.sign() * 0.5, end)
        middle = (end + bow) / 2 + dice.array.normal(0, size * 0.12, 2)
        sketch.line(bend_through(end, middle, point(bow[0], bow[1])))
