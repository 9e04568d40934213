"""Things: objects that may be mistaken for figures, or stand beside them."""

import numpy as np

from models.training.synthesis.curves import (
    arc,
    bend_through,
    dense,
    direction,
    ellipse,
    point,
    polyline,
)
from models.training.synthesis.heads import draw_face, head_outline
from models.training.synthesis.letters import write
from models.training.synthesis.scenery import draw_area
from models.training.synthesis.skeletons import Skeleton
from models.training.synthesis.sketch import Sketch

__all__ = (
    "draw_animal_in_profile",
    "draw_arrow",
    "draw_balloon",
    "draw_bubble",
    "draw_car",
    "draw_fish",
    "draw_heart",
    "draw_hung_dress",
    "draw_lollipop",
    "draw_lone_face",
    "draw_plain_shape",
    "draw_scribble",
    "draw_shirt",
    "draw_star",
    "draw_text",
    "draw_trousers",
    "draw_umbrella",
)


def draw_lone_face(sketch: Sketch) -> None:
    """A head with a face and nothing else."""
    dice = sketch.hand.dice
    zero, none = point(0, 0), np.zeros((2, 2))
    radii = (dice.uniform(0.35, 0.65), 0.5)
    skeleton = Skeleton(zero, radii, 0.0, none, none, (None, None), (None, None))
    draw_area(sketch, head_outline(sketch, skeleton), 0.25)
    draw_face(sketch, skeleton, None)


def draw_plain_shape(sketch: Sketch) -> None:
    """A circle, a box or a triangle."""
    dice = sketch.hand.dice
    half = dice.uniform(0.2, 0.5)
    circle = ellipse(point(0, 0), half, 0.4)
    box = dense(((-half, -0.4), (-half, 0.4), (half, 0.4), (half, -0.4)))
    triangle = dense(((-half, 0.4), (half, 0.4), (0, -0.4)))
    draw_area(sketch, dice.pick((circle, box, triangle)))


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


def draw_text(sketch: Sketch) -> None:
    """A word or two lines of writing."""
    dice = sketch.hand.dice
    for row in range(dice.weighted({1: 3, 2: 1})):
        for stroke in write(dice, dice.integer(2, 9)):
            sketch.line(stroke + point(dice.normal(0.01), row * 0.35))


def draw_scribble(sketch: Sketch) -> None:
    """Strokes without a meaning."""
    dice = sketch.hand.dice
    for _ in range(dice.integer(1, 3)):
        steps = dice.array.normal(0, 0.15, (dice.integer(2, 20), 2))
        sketch.line(np.cumsum(steps, axis=0) + dice.array.normal(0, 0.2, 2))


def draw_balloon(sketch: Sketch) -> None:
    """A balloon on a string."""
    draw_area(sketch, ellipse(point(0, 0), 0.2, 0.26))
    sketch.line(bend_through(point(0, 0.26), point(0.05, 0.5), point(-0.03, 0.8)))


def draw_lollipop(sketch: Sketch) -> None:
    """A disc on a stick: a head and a spine without limbs."""
    dice = sketch.hand.dice
    draw_area(sketch, ellipse(point(0, -0.2), 0.22, 0.22))
    sketch.line(polyline(((0, 0.02), (dice.normal(0.03), dice.uniform(0.3, 0.7)))))


def draw_shirt(sketch: Sketch) -> None:
    """A T-shirt."""
    dice = sketch.hand.dice
    arm, hem = dice.uniform(0.4, 0.5), dice.uniform(0.3, 0.5)
    right = [(-0.12, -0.4), (-arm, -0.22), (-arm + 0.1, -0.02), (-0.22, -0.1), (-0.22, hem)]
    left = [(-x, y) for x, y in reversed(right)]
    draw_area(sketch, dense((*right, *left, (0.0, -0.33))))


def draw_trousers(sketch: Sketch) -> None:
    """A pair of trousers."""
    wide = sketch.hand.dice.uniform(0.18, 0.3)
    right = [(-wide, -0.4), (-wide * 1.2, 0.45), (-0.05, 0.45), (0.0, -0.1)]
    left = [(0.05, 0.45), (wide * 1.2, 0.45), (wide, -0.4)]
    draw_area(sketch, dense((*right, *left)))


def draw_hung_dress(sketch: Sketch) -> None:
    """A dress without anyone in it."""
    flare = sketch.hand.dice.uniform(0.25, 0.4)
    right = [(-0.1, -0.45), (-0.14, -0.1), (-flare, 0.45)]
    draw_area(sketch, dense((*right, *[(-x, y) for x, y in reversed(right)])))


def draw_animal_in_profile(sketch: Sketch) -> None:
    """A horse, a dog or a pig on four legs, seen from the side."""
    dice = sketch.hand.dice
    side, tall = dice.sign(), dice.uniform(0.15, 0.35)
    draw_area(sketch, ellipse(point(0, 0), 0.4, dice.uniform(0.14, 0.24)))
    head = point(side * 0.5, -dice.uniform(0.1, 0.35))
    draw_area(sketch, ellipse(head, 0.16, 0.11, side * 0.3))
    for x in (-0.3, -0.18, 0.18, 0.3):
        foot = point(x + dice.normal(0.02), 0.12 + tall)
        sketch.line(polyline((point(x, 0.12), foot)))
        if dice.chance(0.4):
            sketch.line(polyline((point(x + 0.07, 0.12), foot + point(0.07, 0))))
    tail = point(-side * 0.38, -0.05)
    sketch.line(bend_through(tail, tail + point(-side * 0.1, 0.1), tail + point(-side * 0.2, 0)))
    sketch.dot(head + point(side * 0.03, -0.02), 0.015)
    for x in (0.0, 0.08):
        ear = head + point(-side * x, -0.09)
        sketch.line(polyline((ear, ear + point(-side * 0.04, -0.11), ear + point(-side * 0.08, 0))))


def draw_car(sketch: Sketch) -> None:
    """A car from the side."""
    corners = ((-0.5, 0), (-0.5, 0.2), (0.5, 0.2), (0.5, 0), (0.25, 0), (0.15, -0.2), (-0.2, -0.2))
    draw_area(sketch, dense((*corners, (-0.3, 0))))
    for x in (-0.28, 0.28):
        draw_area(sketch, ellipse(point(x, 0.22), 0.1, 0.1))


def draw_fish(sketch: Sketch) -> None:
    """A fish."""
    draw_area(sketch, ellipse(point(0, 0), 0.35, sketch.hand.dice.uniform(0.15, 0.24)))
    sketch.outline(dense(((0.33, 0), (0.55, -0.17), (0.55, 0.17))))
    sketch.dot(point(-0.2, -0.04), 0.02)


def draw_umbrella(sketch: Sketch) -> None:
    """An umbrella, or a mushroom."""
    cap = arc(point(0, 0), (0.45, 0.4), np.pi / 2, 3 * np.pi / 2)
    draw_area(sketch, np.concatenate((cap, dense(((0.45, 0), (-0.45, 0)))[:6])))
    sketch.line(polyline(((0, 0), (0, 0.5), (-0.06, 0.56), (-0.12, 0.5))))


def draw_bubble(sketch: Sketch) -> None:
    """A speech bubble with writing."""
    dice = sketch.hand.dice
    sketch.outline(ellipse(point(0, 0), 0.5, 0.28))
    sketch.line(polyline(((-0.2, 0.25), (-0.3, 0.45), (-0.05, 0.28))))
    for stroke in write(dice, dice.integer(2, 6)):
        sketch.line(stroke * 0.7 + point(-0.35, -0.06))


def draw_arrow(sketch: Sketch) -> None:
    """An arrow or a cross."""
    dice = sketch.hand.dice
    way = direction(dice.uniform(0, 6.28)) * 0.5
    sketch.line(polyline((-way, way)))
    turn = direction(float(np.arctan2(way[0], way[1])) + 2.5) * 0.2
    mirror = direction(float(np.arctan2(way[0], way[1])) - 2.5) * 0.2
    sketch.line(polyline((way + turn, way, way + mirror)))
