"""Pens: the tools that leave marks, each with its width, its grain and its ink."""

from dataclasses import dataclass
from enum import StrEnum

from models.training.synthesis.dice import Dice, Spread
from models.training.synthesis.palette import Colour, any_colour, ink_colour, pencil_colour

__all__ = ("Pen", "PenKind", "sample_pen")


class PenKind(StrEnum):
    """The tools."""

    FELT = "felt"
    BALL = "ball"
    PENCIL = "pencil"
    CRAYON = "crayon"
    BRUSH = "brush"
    DIGITAL = "digital"


@dataclass(frozen=True, slots=True)
class Pen:
    """One tool in one hand.

    Attributes:
        kind: which tool.
        colour: RGB of its ink.
        width: of its strokes, share of the figure's height.
        opacity: of a full stroke, 0..1.
        overlap: share of the opacity that one stroke has; crossings have all of it.
        grain: how far the paper's grain breaks the stroke, 0..1.
        edge: how much paler the middle of a stroke is than its edge, 0..1.
        chisel: thinnest over thickest width as the stroke turns, 0..1; 1 for a round tip.
        pressure: how far the width varies along a stroke, share.
        blot: share of the stroke ends where ink has gathered.
        fade: how far the ink comes and goes, 0..1.
    """

    kind: PenKind
    colour: Colour
    width: float
    opacity: float = 0.95
    overlap: float = 1.0
    grain: float = 0.0
    edge: float = 0.0
    chisel: float = 1.0
    pressure: float = 0.0
    blot: float = 0.0
    fade: float = 0.0


WIDTHS: dict[PenKind, Spread] = {
    PenKind.FELT: (0.009, 0.017, 0.05),
    PenKind.BALL: (0.003, 0.006, 0.011),
    PenKind.PENCIL: (0.003, 0.006, 0.014),
    PenKind.CRAYON: (0.008, 0.014, 0.035),
    PenKind.BRUSH: (0.02, 0.035, 0.07),
    PenKind.DIGITAL: (0.004, 0.009, 0.028),
}


def sample_pen(dice: Dice, kind: PenKind) -> Pen:
    """A pen of this kind as it may come."""
    return _MAKERS[kind](dice, dice.spread(WIDTHS[kind]))


def _felt(dice: Dice, width: float) -> Pen:
    return Pen(
        PenKind.FELT,
        ink_colour(dice),
        width,
        opacity=dice.uniform(0.65, 0.97),
        overlap=dice.uniform(0.6, 1.0),
        grain=dice.uniform(0.0, 0.15),
        edge=dice.uniform(0.0, 0.35),
        chisel=dice.uniform(0.35, 0.8) if dice.chance(0.2) else 1.0,
        pressure=dice.uniform(0.0, 0.15),
        blot=dice.uniform(0.3, 0.9) if dice.chance(0.4) else 0.05,
        fade=dice.uniform(0.2, 0.5) if dice.chance(0.25) else 0.0,
    )


def _ball(dice: Dice, width: float) -> Pen:
    colour = ink_colour(dice)
    return Pen(PenKind.BALL, colour, width, dice.uniform(0.6, 0.95), 0.9, dice.uniform(0.0, 0.25))


def _pencil(dice: Dice, width: float) -> Pen:
    return Pen(
        PenKind.PENCIL,
        pencil_colour(dice) if dice.chance(0.8) else any_colour(dice),
        width,
        opacity=dice.spread((0.2, 0.68, 0.92)),
        overlap=dice.uniform(0.65, 0.9),
        grain=dice.uniform(0.2, 0.6),
        pressure=dice.uniform(0.0, 0.3),
        fade=dice.uniform(0.0, 0.35),
    )


def _crayon(dice: Dice, width: float) -> Pen:
    return Pen(
        PenKind.CRAYON,
        any_colour(dice),
        width,
        opacity=dice.uniform(0.7, 0.95),
        overlap=dice.uniform(0.7, 0.95),
        grain=dice.uniform(0.35, 0.8),
        pressure=dice.uniform(0.1, 0.35),
    )


def _brush(dice: Dice, width: float) -> Pen:
    return Pen(
        PenKind.BRUSH,
        ink_colour(dice),
        width,
        opacity=dice.uniform(0.85, 1.0),
        edge=dice.uniform(0.0, 0.2),
        chisel=dice.uniform(0.3, 1.0),
        pressure=dice.uniform(0.1, 0.5),
        fade=dice.uniform(0.0, 0.3),
    )


def _digital(dice: Dice, width: float) -> Pen:
    colour = (20, 20, 24) if dice.chance(0.6) else ink_colour(dice)
    return Pen(PenKind.DIGITAL, colour, width, opacity=1.0)


_MAKERS = {
    PenKind.FELT: _felt,
    PenKind.BALL: _ball,
    PenKind.PENCIL: _pencil,
    PenKind.CRAYON: _crayon,
    PenKind.BRUSH: _brush,
    PenKind.DIGITAL: _digital,
}
