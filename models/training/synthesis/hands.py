"""Hands and feet: what is drawn beyond a wrist or an ankle."""

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
from models.training.synthesis.settings import FootKind, HandKind
from models.training.synthesis.skeletons import Limb
from models.training.synthesis.sketch import FillStyle, Sketch

__all__ = ("draw_foot", "draw_hand")


def draw_hand(sketch: Sketch, limb: Limb, kind: HandKind, colour: Colour | None) -> None:
    """Draw a hand at the end of an arm."""
    dice = sketch.hand.dice
    size, heading = dice.uniform(0.045, 0.13), limb.heading
    if kind is HandKind.FORK:
        _prongs(sketch, limb, size * 1.1, dice.pick((2, 3, 3, 3, 3, 4)))
    elif kind is HandKind.RAKE:
        _prongs(sketch, limb, size * 0.7, dice.integer(4, 6))
    elif kind is HandKind.CLAW:
        _claws(sketch, limb.end, heading, size)
    elif kind in (HandKind.BALL, HandKind.MITTEN):
        middle = limb.end + direction(heading) * size * 0.45
        _blob(sketch, ellipse(middle, size * 0.5, size * 0.5), colour)
        if kind is HandKind.MITTEN:
            thumb = middle + direction(heading + dice.sign() * 1.2) * size * 0.55
            sketch.outline(ellipse(thumb, size * 0.16, size * 0.3, -heading))
    elif kind is HandKind.FLOWER:
        for turn in np.linspace(-1.4, 1.4, dice.integer(3, 5)):
            middle = limb.end + direction(heading + turn) * size * 0.5
            _blob(sketch, ellipse(middle, size * 0.24, size * 0.24), colour)


def draw_foot(
    sketch: Sketch, limb: Limb, kind: FootKind, look: tuple[float, Colour | None]
) -> None:
    """Draw a foot at the end of a leg; `look` is where its toes point (-1 or 1) and its colour."""
    dice = sketch.hand.dice
    side, colour = look
    size = dice.uniform(0.045, 0.12)
    if kind is FootKind.FORK:
        _prongs(sketch, limb, size * 1.1, dice.pick((2, 3, 3, 3, 3, 4)))
    elif kind is FootKind.DASH:
        sketch.line(polyline((limb.end, limb.end + point(side * size, dice.normal(0.01)))))
    elif kind in (FootKind.OVAL, FootKind.SHOE):
        middle = limb.end + point(side * size * 0.6, size * 0.15)
        shape = ellipse(middle, size, size * dice.uniform(0.35, 0.6), dice.normal(0.15))
        if kind is FootKind.SHOE:
            shape[:, 1] = np.minimum(shape[:, 1], middle[1] + size * 0.25)
        _blob(sketch, shape, colour)


def _blob(sketch: Sketch, shape: Points, colour: Colour | None) -> None:
    if colour is not None:
        sketch.fill(shape, colour, FillStyle.FLAT)
    sketch.outline(shape)


def _prongs(sketch: Sketch, limb: Limb, size: float, count: int) -> None:
    dice = sketch.hand.dice
    ahead = direction(limb.heading)
    spread = np.deg2rad(dice.uniform(40, 130)) / 2
    back = dice.uniform(0, 0.02) if dice.chance(0.5) else 0.0
    curl = dice.normal(0.2) if dice.chance(0.3) else 0.0
    for turn in np.linspace(-spread, spread, count):
        root = limb.end - ahead * back * dice.uniform(-0.5, 1.0)
        way = limb.heading + turn + dice.normal(0.15)
        tip = root + direction(way) * size * dice.uniform(0.65, 1.3)
        middle = rotate((root + tip) / 2, curl, root)
        sketch.line(bend_through(root, middle, tip) if curl else polyline((root, tip)))


def _claws(sketch: Sketch, end: Points, heading: float, size: float) -> None:
    dice = sketch.hand.dice
    curl = dice.sign() * dice.uniform(0.3, 0.7)
    for turn in (-0.9, 0.0, 0.9):
        tip = end + direction(heading + turn + dice.normal(0.1)) * size
        middle = rotate((end + tip) / 2, curl, end)
        sketch.line(bend_through(end, middle, tip))
