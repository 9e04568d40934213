"""Stage: a page with its paper, its camera and its surroundings, before anything is drawn."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from models.training.synthesis.camera import page_corners, page_to_picture
from models.training.synthesis.curves import Points
from models.training.synthesis.dice import Dice
from models.training.synthesis.noise import Plane
from models.training.synthesis.paper import lay_paper, rule_paper
from models.training.synthesis.pens import Pen, PenKind, sample_pen
from models.training.synthesis.settings import PaperKind, SynthesisSettings
from models.training.synthesis.sketch import Hand, Sketch
from models.training.synthesis.surroundings import Surroundings, surround

__all__ = ("Stage", "set_stage")

ASPECTS = {1.0: 4.0, 0.75: 2.5, 1.333: 1.5, 1.5: 1.0, 0.66: 1.0}


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """A page to draw on and what is known of the picture that will be taken of it.

    Attributes:
        dice: the source of chance.
        settings: the factors.
        canvas: (H, W, 3) float32, 0..255, the picture; drawn upon.
        camera: (3, 3) float64, maps the page to the picture, pixels.
        page: width and height of the page, pixels.
        stretch: factors by which all that is drawn is stretched in x and in y.
        paper: the ground.
        surroundings: what is around the page, if that shows.
        turn: quarter turns, clockwise, by which the page lies turned in the picture, 0..3.
        tags: the factors that were used so far; grows.
        things: boxes (4,) float32 xyxy, pixels, of the things drawn so far; grows.
    """

    dice: Dice
    settings: SynthesisSettings
    canvas: Plane
    camera: Points
    page: tuple[int, int]
    stretch: tuple[float, float]
    paper: PaperKind
    surroundings: Surroundings | None
    turn: int
    tags: list[str]
    things: list[NDArray[np.float32]] = field(default_factory=list)

    @property
    def is_digital(self) -> bool:
        """Whether the picture was never on paper."""
        return self.paper is PaperKind.WHITE

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width of the picture, pixels."""
        height, width = self.canvas.shape[:2]
        return height, width

    def new_sketch(self) -> Sketch:
        """An empty sketch in the hand of somebody."""
        dice, settings = self.dice, self.settings
        hand = Hand(
            dice,
            dice.spread(settings.wobble),
            dice.uniform(0, settings.gap),
            dice.uniform(0, 1.6 * settings.gap),
            0.5 if dice.chance(0.06) else 0.03,
        )
        return Sketch(hand, settings.look)

    def new_pen(self) -> Pen:
        """A pen that goes with the ground: digital tools on digital grounds only.

        One digital picture in six is a drawing that was cut out of its paper.
        """
        editor = self.is_digital and self.dice.chance(0.84)
        allowed = {
            kind: weight
            for kind, weight in self.settings.pens.items()
            if kind is PenKind.BRUSH or (kind is PenKind.DIGITAL) == editor
        }
        weights = allowed if sum(allowed.values()) > 0 else self.settings.pens
        return sample_pen(self.dice, self.dice.weighted(weights))


def set_stage(dice: Dice, settings: SynthesisSettings, size: int) -> Stage:
    """Choose a picture's shape, its ground, its camera and its surroundings."""
    paper = dice.weighted(settings.papers)
    tags = [paper.value]
    aspect = dice.weighted(ASPECTS) if dice.chance(0.8) else dice.uniform(0.6, 1.67)
    width, height = round(size * min(1, aspect)), round(size * min(1, 1 / aspect))
    photo = paper is not PaperKind.WHITE
    turn = _turn(dice, settings, tags)
    slant = 0.0
    if photo and dice.chance(settings.perspective):
        slant = dice.uniform(0.01, 0.06)
        tags.append("perspective")
    surrounded = photo and dice.chance(settings.surroundings)
    corners = page_corners(dice, (width, height), slant, _inset(dice, surrounded))
    page = (height, width) if turn % 2 else (width, height)
    camera = page_to_picture(page, corners, turn)
    canvas = lay_paper(dice, paper, (height, width))
    rule_paper(dice, canvas, paper, camera)
    around = None
    if surrounded:
        tags.append("surroundings")
        around = surround(dice, (height, width), corners)
    factor = float(np.sqrt(1 + dice.uniform(0, settings.stretch))) ** dice.sign()
    stretch = (factor, 1 / factor)
    return Stage(dice, settings, canvas, camera, page, stretch, paper, around, turn, tags)


def _turn(dice: Dice, settings: SynthesisSettings, tags: list[str]) -> int:
    if not dice.chance(settings.turned):
        return 0
    turn = dice.integer(1, 3)
    tags.append(f"turned-{90 * turn}")
    return turn


def _inset(dice: Dice, surrounded: bool) -> tuple[float, float, float, float]:
    if not surrounded:
        return (0.0, 0.0, 0.0, 0.0)
    if dice.chance(0.5):
        left, top, right, bottom = (dice.uniform(0.02, 0.3) for _ in range(4))
    else:
        left, top, right, bottom = (
            dice.uniform(0.01, 0.2) if dice.chance(0.45) else -0.05 for _ in range(4)
        )
    return left, top, right, bottom
