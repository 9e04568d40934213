"""Clothes without anyone in them, and hands traced around with a pen."""

import numpy as np

from models.training.synthesis.curves import (
    Points,
    arc,
    bend_through,
    dense,
    direction,
    ellipse,
    point,
    polyline,
)
from models.training.synthesis.palette import any_colour
from models.training.synthesis.scenery import draw_area
from models.training.synthesis.sketch import FillStyle, Sketch

__all__ = (
    "draw_hand",
    "draw_hat",
    "draw_hung_dress",
    "draw_mitten",
    "draw_shirt",
    "draw_shoe",
    "draw_trousers",
)


def draw_shirt(sketch: Sketch) -> None:
    """A T-shirt, a jumper or a shirt with buttons, short sleeves or long, at times striped."""
    dice = sketch.hand.dice
    neck, arm, hem = dice.uniform(0.08, 0.16), dice.uniform(0.36, 0.55), dice.uniform(0.25, 0.5)
    side, drop = dice.uniform(0.18, 0.28), dice.uniform(-0.1, 0.3) if dice.chance(0.4) else -0.05
    right = [
        (-neck, -0.4),
        (-arm, drop - 0.15),
        (-arm + dice.uniform(0.06, 0.14), drop + 0.02),
        (-side, -0.1),
        (-side * dice.uniform(0.9, 1.1), hem),
    ]
    left = [(-x, y) for x, y in reversed(right)]
    collar = (0.0, -0.4 + dice.uniform(0.0, 0.14))
    draw_area(sketch, dense((*right, *left, collar)), 0.4)
    kind = dice.weighted({"plain": 3, "stripes": 1, "buttons": 1, "badge": 1})
    if kind == "stripes":
        for y in np.linspace(0.0, hem * 0.85, dice.integer(2, 5)):
            sketch.line(polyline(((-side, y), (side, y))))
    elif kind == "buttons":
        sketch.line(polyline(((0, -0.3), (0, hem))))
        for y in np.linspace(-0.15, hem * 0.8, 3):
            sketch.dot(point(0.03, y), 0.012)
    elif kind == "badge":
        draw_area(sketch, ellipse(point(0, 0.05), 0.08, 0.08), 0.6)


def draw_trousers(sketch: Sketch) -> None:
    """A pair of trousers or shorts."""
    dice = sketch.hand.dice
    wide, low = dice.uniform(0.16, 0.3), dice.uniform(0.1, 0.5)
    gap = dice.uniform(0.01, 0.08)
    right = [(-wide, -0.4), (-wide * dice.uniform(1.0, 1.4), low), (-gap, low), (0.0, -0.12)]
    left = [(gap, low), (wide * dice.uniform(1.0, 1.4), low), (wide, -0.4)]
    draw_area(sketch, dense((*right, *left)))
    if dice.chance(0.5):
        sketch.line(polyline(((-wide, -0.33), (wide, -0.33))))


def draw_hung_dress(sketch: Sketch) -> None:
    """A dress or a skirt, at times on a hanger."""
    dice = sketch.hand.dice
    flare, waist = dice.uniform(0.22, 0.42), dice.uniform(0.08, 0.16)
    right = [(-waist * 1.1, -0.45), (-waist, -0.1), (-flare, 0.45)]
    if dice.chance(0.5):
        right[1:1] = [(-waist - 0.16, -0.3), (-waist - 0.1, -0.2)]
    draw_area(sketch, dense(polyline([*right, *[(-x, y) for x, y in reversed(right)]])))
    if dice.chance(0.3):
        hook = arc(point(0, -0.6), (0.05, 0.05), 0.0, 4.2)
        sketch.line(np.concatenate((hook[::-1], polyline(((0, -0.5),)))))
        sketch.line(polyline(((-waist * 1.3, -0.42), (0, -0.5), (waist * 1.3, -0.42))))


def draw_hat(sketch: Sketch) -> None:
    """A hat with a brim, or a cap with a bobble."""
    dice = sketch.hand.dice
    if dice.chance(0.5):
        draw_area(sketch, dense(((-0.25, 0.1), (0.25, 0.1), (0.2, -0.35), (-0.2, -0.35))))
        sketch.line(polyline(((-0.48, 0.1), (0.48, 0.1))))
        return
    dome = arc(point(0, 0.1), (0.35, 0.4), np.pi / 2, 3 * np.pi / 2)
    draw_area(sketch, dome)
    draw_area(sketch, ellipse(point(0, -0.36), 0.08, 0.08))


def draw_shoe(sketch: Sketch) -> None:
    """A shoe or a boot from the side."""
    dice = sketch.hand.dice
    tall = dice.uniform(0.1, 0.5)
    corners = (
        (-0.3, -tall),
        (-0.3, 0.25),
        (0.4, 0.25),
        (0.4, 0.08),
        (-0.05, -0.02),
        (-0.05, -tall),
    )
    draw_area(sketch, dense(corners))
    for x in (0.0, 0.09, 0.18)[: dice.integer(0, 3)]:
        sketch.line(polyline(((x, 0.0), (x + 0.05, 0.08))))


def draw_mitten(sketch: Sketch) -> None:
    """A mitten."""
    dice = sketch.hand.dice
    palm = bend_through(point(-0.2, 0.3), point(0, -0.75), point(0.2, 0.3))
    draw_area(sketch, palm)
    side = dice.sign()
    thumb = bend_through(point(side * 0.17, 0.05), point(side * 0.48, -0.2), point(side * 0.2, 0.2))
    draw_area(sketch, thumb)
    sketch.line(polyline(((-0.2, 0.22), (0.2, 0.22))))


def draw_hand(sketch: Sketch) -> None:
    """A hand with five fingers, as one traces around one's own; coloured in or not."""
    dice = sketch.hand.dice
    outline: list[Points] = [polyline(((-0.14, 0.5), (-0.16, 0.15)))]
    turns = np.linspace(-1.1, 0.75, 5) + dice.array.normal(0, 0.04, 5)
    long = dice.uniform(0.26, 0.4)
    for finger, turn in enumerate(turns):
        way = direction(np.pi - float(turn))
        root = point(0, 0.08) + way * dice.uniform(0.14, 0.2)
        tip = root + way * long * (0.65 if finger == 0 else 1.0) * dice.uniform(0.85, 1.1)
        across = point(-way[1], way[0]) * dice.uniform(0.035, 0.055)
        outline.append(polyline((root - across, tip - across * 0.8, tip, tip + across * 0.8)))
        outline.append(polyline((root + across,)))
    outline.append(polyline(((0.16, 0.15), (0.14, 0.5))))
    shape = np.concatenate(outline)
    if dice.chance(0.35):
        sketch.fill(shape, any_colour(dice), dice.pick(tuple(FillStyle)))
    sketch.line(shape)
