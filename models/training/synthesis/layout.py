"""Layout: where things go on a page."""

from collections.abc import Sequence
from dataclasses import dataclass

from models.training.synthesis.dice import Dice
from models.training.synthesis.settings import SynthesisSettings

__all__ = ("Place", "central_place", "free_place", "place_figures")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a thing goes, in shares of the page.

    Attributes:
        x: its centre.
        y: its centre.
        height: it is at most so high.
        width: it is at most so wide.
        inside: whether the centre yields so that the page's edge does not cut it.
        tag: the factor behind it.
        turn: quarter turns, clockwise, by which the thing lies on the page.
    """

    x: float
    y: float
    height: float
    width: float
    inside: bool = True
    tag: str = "single"
    turn: int = 0


def place_figures(dice: Dice, settings: SynthesisSettings) -> list[Place]:
    """Places of all figures of a page: one, a tiny or a cropped one, or a row of several."""
    if dice.chance(settings.several):
        return _crowd(dice) if dice.chance(settings.crowd) else _group(dice)
    if dice.chance(settings.tiny):
        height = dice.uniform(0.12, 0.3)
        x, y = dice.uniform(0.15, 0.85), dice.uniform(0.15, 0.85)
        return [Place(x, y, height, 0.5, tag="tiny")]
    if dice.chance(settings.lying):
        width = dice.uniform(0.4, 0.95)
        return [Place(0.5, dice.uniform(0.3, 0.8), 0.6, width, tag="lying", turn=dice.pick((1, 3)))]
    if dice.chance(settings.cropped):
        if dice.chance(settings.cut):
            return [_cut(dice)]
        height, width = dice.uniform(0.9, 1.25), dice.uniform(0.9, 1.25)
        x, y = 0.5 + dice.normal(0.08), 0.5 + dice.normal(0.08)
        return [Place(x, y, height, width, inside=False, tag="cropped")]
    height = dice.spread(settings.height)
    return [Place(dice.spread((0.25, 0.5, 0.75)), dice.uniform(0.3, 0.7), height, 0.95)]


def central_place(dice: Dice) -> Place:
    """The place of a large thing that has a page to itself."""
    x, y = 0.5 + dice.normal(0.06), 0.5 + dice.normal(0.06)
    return Place(x, y, dice.uniform(0.6, 0.98), dice.uniform(0.6, 0.98), tag="alone")


def free_place(
    dice: Dice, taken: Sequence[tuple[float, float, float, float]], side: float
) -> Place | None:
    """A place of this size that hardly touches the taken boxes (xyxy, shares of the page)."""
    for _ in range(8):
        x, y = dice.uniform(0.05, 0.95), dice.uniform(0.05, 0.95)
        half = side / 2
        if dice.chance(0.03) or not any(
            x1 < x + half and x - half < x2 and y1 < y + half and y - half < y2
            for x1, y1, x2, y2 in taken
        ):
            return Place(x, y, side, side * 1.5, inside=dice.chance(0.7), tag="beside")
    return None


def _cut(dice: Dice) -> Place:
    """A place of which a tenth to nearly a half lies beyond one edge of the page."""
    size, beyond = dice.uniform(0.5, 1.2), dice.uniform(0.08, 0.42)
    along = 0.5 + dice.normal(0.07)
    down, aside = size * (0.5 - beyond), size * (0.35 - 0.7 * beyond)
    x, y = dice.pick(((along, down), (along, 1 - down), (aside, along), (1 - aside, along)))
    return Place(x, y, size, size, inside=False, tag="cut")


def _crowd(dice: Dice) -> list[Place]:
    """Figures of about one size, so close that they touch or hide each other."""
    count = dice.integer(2, 4)
    height, apart = dice.uniform(0.5, 1.1), dice.uniform(0.2, 0.36)
    first = 0.5 - apart * (count - 1) / 2 + dice.normal(0.06)
    ground = dice.uniform(0.85, 1.1) if height > 0.8 else dice.uniform(height, 1.0)
    order = sorted(range(count), key=lambda _: dice.uniform(0, 1))
    return [
        Place(
            first + i * apart,
            ground - height / 2 + dice.normal(0.03),
            height * dice.uniform(0.85, 1.0),
            apart * dice.uniform(1.2, 2.2),
            inside=False,
            tag="crowd",
        )
        for i in order
    ]


def _group(dice: Dice) -> list[Place]:
    count = dice.weighted({2: 5, 3: 3, 4: 1, 5: 1})
    slot = 1 / count
    base, tight = dice.uniform(0.4, 0.9), dice.uniform(0.85, 1.3)
    level = dice.chance(0.6)
    ground = dice.uniform(min(0.98, base + 0.05), 0.98)
    places = []
    for i in range(count):
        height = base * dice.uniform(0.5, 1.0)
        y = ground - height / 2 if level else dice.uniform(height / 2, 1 - height / 2)
        x = (i + 0.5) * slot + dice.normal(0.02)
        places.append(Place(x, y, height, slot * tight, dice.chance(0.85), "several"))
    return places
