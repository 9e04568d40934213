"""Sketch: what a hand puts on paper for one thing, as marks in the thing's own unit (y down)."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from models.training.synthesis.curves import Points, ellipse, resample, wobble
from models.training.synthesis.dice import Dice
from models.training.synthesis.labels import COCO_KEYPOINTS
from models.training.synthesis.palette import Colour
from models.training.synthesis.settings import FigureLook

__all__ = ("FillStyle", "Hand", "Mark", "MarkKind", "Sketch")

STEP = 0.035
_INDEX = {name: i for i, name in enumerate(COCO_KEYPOINTS)}


class MarkKind(StrEnum):
    """How a mark's points are meant."""

    STROKE = "stroke"
    FILL = "fill"
    SOLID = "solid"


class FillStyle(StrEnum):
    """How an area is coloured in."""

    FLAT = "flat"
    HATCH = "hatch"
    SCRIBBLE = "scribble"


@dataclass(frozen=True, slots=True, eq=False)
class Mark:
    """One stroke, one coloured area, or an area that belongs to the thing without any ink.

    Attributes:
        kind: stroke (polyline), fill (polygon with ink) or solid (polygon without ink).
        points: (N, 2) float64.
        colour: RGB; None for the pen's own.
        width: of a stroke, as a multiple of the pen's.
        style: of a fill.
    """

    kind: MarkKind
    points: Points
    colour: Colour | None = None
    width: float = 1.0
    style: FillStyle = FillStyle.FLAT


@dataclass(frozen=True, slots=True, eq=False)
class Hand:
    """How surely a person draws.

    Attributes:
        dice: the source of chance.
        wobble: standing deviation of the tremor, unit of the sketch.
        gap: largest gap or overshoot where parts meet, unit of the sketch.
        closure: largest gap or overshoot of a closed outline, share of its length.
        redraw: share of the strokes that are drawn twice.
    """

    dice: Dice
    wobble: float = 0.006
    gap: float = 0.02
    closure: float = 0.04
    redraw: float = 0.05

    def trace(self, points: Points) -> Points:
        """The polyline as this hand draws it."""
        return wobble(self.dice, resample(points, STEP), self.wobble)

    def close(self, outline: Points) -> Points:
        """Run around a closed outline from anywhere, with a gap or an overshoot at the end."""
        start = self.dice.integer(0, len(outline) - 1)
        run = np.roll(outline, -start, axis=0)
        extra = self.dice.uniform(-self.closure, 1.5 * self.closure)
        count = max(3, round(len(run) * (1 + extra)) + 1)
        return run[np.arange(count) % len(run)]


class Sketch:
    """Marks and joints of one thing, gathered while it is drawn.

    Attributes:
        hand: who draws.
        look: of what parts figures are made.
        marks: what was drawn, first below.
        tags: the factors that were used.
        joints: (17, 3) float64 x, y, v in COCO order; v = 0 until a joint is set.
    """

    def __init__(self, hand: Hand, look: FigureLook) -> None:
        self.hand = hand
        self.look = look
        self.tags: list[str] = []
        self.marks: list[Mark] = []
        self.joints = np.zeros((len(COCO_KEYPOINTS), 3))

    def line(self, points: Points, colour: Colour | None = None, width: float = 1.0) -> Points:
        """Draw a stroke along the points and return the way that the hand took."""
        traced = self.hand.trace(points)
        self.marks.append(Mark(MarkKind.STROKE, traced, colour, width))
        if self.hand.dice.chance(self.hand.redraw):
            again = wobble(self.hand.dice, traced, self.hand.wobble)
            self.marks.append(Mark(MarkKind.STROKE, again, colour, width))
        return traced

    def chance(self, share: float, tag: str) -> bool:
        """True in this share of the cases; then the factor is written down."""
        if self.hand.dice.chance(share):
            self.tags.append(tag)
            return True
        return False

    def outline(self, points: Points, colour: Colour | None = None, width: float = 1.0) -> None:
        """Draw a closed shape (its last point is not its first) with a line around it."""
        traced = self.line(self.hand.close(points), colour, width)
        self.marks.append(Mark(MarkKind.SOLID, traced))

    def area(self, points: Points, colour: Colour | None) -> None:
        """Draw a closed shape, coloured in, in some style, where there is a colour."""
        if colour is not None:
            self.fill(points, colour, self.hand.dice.pick(tuple(FillStyle)))
        self.outline(points)

    def fill(self, points: Points, colour: Colour | None, style: FillStyle) -> None:
        """Colour an area in."""
        self.marks.append(Mark(MarkKind.FILL, points, colour, 1.0, style))

    def solid(self, points: Points) -> None:
        """Say that an area belongs to the thing although it holds no ink of its own."""
        self.marks.append(Mark(MarkKind.SOLID, points))

    def dot(self, centre: Points, radius: float, colour: Colour | None = None) -> None:
        """Draw a filled dot."""
        self.marks.append(Mark(MarkKind.FILL, ellipse(centre, radius, radius)[::3], colour))

    def joint(self, name: str, place: Points, seen: bool = True) -> None:
        """Say where a COCO keypoint lies."""
        self.joints[_INDEX[name]] = (place[0], place[1], 2 if seen else 1)

    def bounds(self) -> tuple[Points, Points]:
        """Lowest and highest x, y over all marks."""
        every = np.concatenate([mark.points for mark in self.marks])
        return every.min(0), every.max(0)
