"""Torsos: bodies as two sides around an axis, with what is drawn on them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from models.training.synthesis.curves import Points, point, polyline
from models.training.synthesis.palette import any_colour
from models.training.synthesis.sketch import FillStyle, Sketch

__all__ = ("PROFILES", "Torso", "draw_torso", "shape_torso")

PROFILES: Mapping[str, Sequence[float]] = {
    "box": (1.0, 1.0, 1.0, 1.0, 1.0),
    "wedge": (1.0, 0.95, 0.85, 0.75, 0.65),
    "pear": (0.5, 0.7, 0.95, 1.15, 0.85),
    "hourglass": (1.0, 0.75, 0.65, 0.85, 1.1),
    "triangle": (0.25, 0.5, 0.8, 1.1, 1.4),
    "bell": (0.7, 0.72, 0.8, 1.05, 1.5),
    "skirt": (0.8, 0.8, 0.75, 1.25, 1.75),
    "candy": (0.08, 0.4, 0.7, 0.95, 0.9),
    "bulb": (0.3, 0.33, 0.8, 1.0, 0.7),
    "ghost": (0.55, 0.95, 1.0, 1.0, 1.1),
}
"""Half-widths from top to bottom, as multiples of the base width."""


@dataclass(frozen=True, slots=True, eq=False)
class Torso:
    """A body between two sides, each from top to bottom.

    Attributes:
        right: the character's right side (left on the picture), (N, 2).
        left: its left side, (N, 2).
    """

    right: Points
    left: Points

    @property
    def outline(self) -> Points:
        """Closed outline, counter-clockwise on the picture."""
        steps = np.linspace(0, 1, 5)[1:-1, None]
        bottom = self.right[-1] + (self.left[-1] - self.right[-1]) * steps
        top = self.left[0] + (self.right[0] - self.left[0]) * steps
        return np.concatenate((self.right, bottom, self.left[::-1], top))

    def at(self, across: float, down: float) -> Points:
        """A point inside: across from 0 (right side) to 1 (left), down from 0 to 1."""
        place = down * (len(self.right) - 1)
        row = min(int(place), len(self.right) - 2)
        right, left = (
            side[row] + (side[row + 1] - side[row]) * (place - row)
            for side in (self.right, self.left)
        )
        return np.asarray(right + (left - right) * across)

    def band(self, top: float, bottom: float) -> Points:
        """Closed area between two heights, each from 0 to 1."""
        downs = np.linspace(top, bottom, 4)
        right = [self.at(0, d) for d in downs]
        left = [self.at(1, d) for d in downs[::-1]]
        return polyline((*right, *left))


def shape_torso(top: Points, bottom: Points, half: float, profile: str) -> Torso:
    """A body around the axis from top to bottom; "oval" has round ends."""
    down = np.linspace(0, 1, 13)
    if profile == "oval":
        widths = np.sqrt(np.maximum(1 - (2 * down - 1) ** 2, 0.002))
    else:
        knots = PROFILES[profile]
        widths = np.interp(down, np.linspace(0, 1, len(knots)), knots)
    axis = bottom - top
    unit = axis / max(float(np.hypot(*axis)), 1e-9)
    across = point(unit[1], -unit[0])
    middle = top + axis * down[:, None]
    return Torso(
        middle - across * (half * widths[:, None]), middle + across * (half * widths[:, None])
    )


def draw_torso(sketch: Sketch, torso: Torso, filled: bool, bare: bool = False) -> None:
    """Draw a body: its colours, its outline (unless `bare`), and what is on it."""
    dice = sketch.hand.dice
    if filled:
        style = dice.pick(tuple(FillStyle))
        cuts = (0.0, 1.0)
        if dice.chance(0.35):
            cuts = tuple(np.linspace(0, 1, dice.integer(3, 6)))
        colours = [any_colour(dice) for _ in range(2)]
        for i, (top, bottom) in enumerate(pairwise(cuts)):
            area = torso.outline if len(cuts) == 2 else torso.band(top, bottom)
            sketch.fill(area, colours[i % 2], style)
    if bare:
        sketch.solid(torso.outline)
    else:
        sketch.outline(torso.outline)
    if sketch.chance(sketch.look.dressing, "dressing"):
        _dress(sketch, torso)


def _dress(sketch: Sketch, torso: Torso) -> None:
    sketch.hand.dice.pick((_buttons, _belt, _stripes, _folds, _zip, _navel, _spots))(sketch, torso)


def _buttons(sketch: Sketch, torso: Torso) -> None:
    dice = sketch.hand.dice
    for down in np.linspace(0.2, 0.8, dice.integer(2, 4)):
        sketch.dot(torso.at(0.5, down), dice.uniform(0.006, 0.014))


def _belt(sketch: Sketch, torso: Torso) -> None:
    _across(sketch, torso, sketch.hand.dice.uniform(0.4, 0.75))


def _stripes(sketch: Sketch, torso: Torso) -> None:
    for down in np.linspace(0.15, 0.9, sketch.hand.dice.integer(2, 6)):
        _across(sketch, torso, down)


def _folds(sketch: Sketch, torso: Torso) -> None:
    dice = sketch.hand.dice
    for across in np.linspace(0.2, 0.8, dice.integer(2, 5)):
        start = dice.uniform(0.5, 0.7)
        sketch.line(polyline((torso.at(across, start), torso.at(across, 0.97))))


def _zip(sketch: Sketch, torso: Torso) -> None:
    sketch.line(polyline((torso.at(0.5, 0.02), torso.at(0.5, 0.98))))


def _navel(sketch: Sketch, torso: Torso) -> None:
    sketch.dot(torso.at(0.5, 0.7), 0.008)


def _spots(sketch: Sketch, torso: Torso) -> None:
    dice = sketch.hand.dice
    colour = any_colour(dice) if dice.chance(0.5) else None
    for _ in range(dice.integer(3, 9)):
        place = torso.at(dice.uniform(0.2, 0.8), dice.uniform(0.1, 0.9))
        sketch.dot(place, dice.uniform(0.006, 0.018), colour)


def _across(sketch: Sketch, torso: Torso, down: float) -> None:
    sketch.line(polyline((torso.at(0, down), torso.at(1, down))))
