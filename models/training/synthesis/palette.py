"""Palette: the colours of pens, of crayons and of paper."""

from models.training.synthesis.dice import Dice

Colour = tuple[int, int, int]
"""RGB, 0..255."""

__all__ = ("Colour", "any_colour", "ink_colour", "paper_colour", "pencil_colour", "vary")

INKS: dict[Colour, float] = {
    (25, 25, 28): 6.0,
    (45, 50, 150): 2.0,
    (70, 30, 120): 1.5,
    (20, 100, 50): 1.5,
    (60, 180, 70): 0.8,
    (190, 35, 40): 1.5,
    (225, 110, 140): 1.5,
    (100, 60, 30): 1.5,
    (30, 160, 180): 1.0,
    (235, 120, 30): 0.8,
    (230, 200, 40): 0.4,
    (110, 110, 115): 0.8,
    (20, 110, 210): 1.0,
}
CRAYONS: tuple[Colour, ...] = (
    (220, 50, 45),
    (240, 130, 40),
    (245, 210, 60),
    (90, 170, 60),
    (40, 120, 70),
    (60, 150, 210),
    (50, 70, 170),
    (130, 70, 160),
    (235, 140, 170),
    (215, 50, 120),
    (130, 85, 50),
    (235, 190, 150),
    (60, 60, 65),
    (170, 190, 40),
    (150, 150, 155),
)
PAPERS: dict[Colour, float] = {
    (250, 250, 250): 2.0,
    (225, 222, 215): 3.0,
    (205, 203, 196): 3.0,
    (180, 180, 180): 2.0,
    (205, 190, 170): 1.5,
    (190, 175, 165): 1.5,
    (170, 155, 145): 1.0,
    (185, 190, 205): 1.0,
    (240, 230, 205): 1.0,
    (235, 210, 215): 0.3,
    (210, 225, 205): 0.3,
}


def vary(dice: Dice, colour: Colour, amount: float) -> Colour:
    """The colour a little off, by at most so many levels a channel and in brightness."""
    shift = dice.uniform(-amount, amount)
    red, green, blue = (
        round(min(255.0, max(0.0, c + shift + dice.uniform(-amount, amount) / 2))) for c in colour
    )
    return red, green, blue


def ink_colour(dice: Dice) -> Colour:
    """Colour of a felt or ball pen."""
    return vary(dice, dice.weighted(INKS), 20)


def pencil_colour(dice: Dice) -> Colour:
    """Grey of a pencil, at times brownish."""
    grey = dice.integer(40, 110)
    warm = dice.integer(0, 20) if dice.chance(0.3) else 0
    return min(grey + warm, 255), grey, max(grey - warm // 2, 0)


def any_colour(dice: Dice) -> Colour:
    """Colour of a crayon or of a filled area."""
    return vary(dice, dice.pick(CRAYONS), 25)


def paper_colour(dice: Dice) -> Colour:
    """Colour of paper as a camera sees it."""
    return vary(dice, dice.weighted(PAPERS), 14)
