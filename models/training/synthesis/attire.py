"""Attire: what figures wear on their back and hold in their hands."""

from itertools import pairwise

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
from models.training.synthesis.settings import WornKind
from models.training.synthesis.skeletons import Skeleton
from models.training.synthesis.sketch import Sketch

__all__ = ("draw_held", "draw_wings", "draw_worn")


def draw_worn(sketch: Sketch, skeleton: Skeleton) -> None:
    """Draw wings, a cape or a tail; they belong to the figure."""
    kind = sketch.hand.dice.weighted(sketch.look.worn_kinds)
    if kind is WornKind.WINGS:
        draw_wings(sketch, skeleton)
    elif kind is WornKind.CAPE:
        _cape(sketch, skeleton)
    else:
        _tail(sketch, skeleton)


def draw_wings(sketch: Sketch, skeleton: Skeleton) -> None:
    """Draw two wings at the shoulders: lobes, or feathers in a fan."""
    dice = sketch.hand.dice
    size, lobes = dice.uniform(0.1, 0.22), dice.integer(2, 4)
    if dice.chance(0.4):
        _feathers(sketch, skeleton, size)
        return
    for side, shoulder in zip((-1.0, 1.0), skeleton.shoulders, strict=True):
        middle = shoulder + point(side * size * 1.1, dice.uniform(-0.05, 0.08))
        turn = np.linspace(0, 2 * np.pi, 30, endpoint=False)
        reach = size * (0.85 + 0.25 * np.abs(np.sin(turn * lobes / 2)))
        wing = middle + np.stack((np.sin(turn), np.cos(turn) * 1.2), 1) * reach[:, None]
        sketch.outline(wing)


def _feathers(sketch: Sketch, skeleton: Skeleton, size: float) -> None:
    """Wings whose lower edge runs in bows from feather to feather."""
    dice = sketch.hand.dice
    count, lift = dice.integer(3, 5), dice.uniform(-0.6, 0.1)
    for side, shoulder in zip((-1.0, 1.0), skeleton.shoulders, strict=True):
        tip = shoulder + point(side * size * 2.2, lift * size)
        top = bend_through(shoulder, (shoulder + tip) / 2 - point(0, size * 0.6), tip)
        low = shoulder + point(side * size * 0.3, size * 1.1)
        knots = [tip + (low - tip) * (i / count) for i in range(count + 1)]
        bows = [
            bend_through(a, (a + b) / 2 + point(side * size * 0.15, size * 0.35), b)
            for a, b in pairwise(knots)
        ]
        sketch.outline(np.concatenate((top, *bows)))


def draw_held(sketch: Sketch, skeleton: Skeleton) -> None:
    """Draw something in one hand; sticks belong to the figure, what hangs on a string does not."""
    dice = sketch.hand.dice
    arms = [arm for arm in skeleton.arms if arm is not None]
    if not arms:
        return
    place = dice.pick(arms).end
    kind = dice.pick(("stick", "sword", "flower", "bag", "ball"))
    if kind in ("stick", "sword", "flower"):
        way = direction(np.pi + dice.normal(0.4)) * dice.uniform(0.15, 0.4)
        sketch.line(polyline((place - way * dice.uniform(0.1, 0.8), place + way)))
        if kind == "sword":
            across = point(-way[1], way[0]) * 0.25
            sketch.line(polyline((place + way * 0.15 - across, place + way * 0.15 + across)))
        elif kind == "flower":
            sketch.outline(ellipse(place + way, 0.04, 0.04))
    elif kind == "bag":
        size = dice.uniform(0.06, 0.12)
        corners = ((-size, 0.04), (-size, size * 1.8), (size, size * 1.8), (size, 0.04))
        _area(sketch, dense(polyline(corners) + place))
    else:
        size = dice.uniform(0.04, 0.08)
        _area(sketch, ellipse(place + point(0, size), size, size))


def _area(sketch: Sketch, shape: Points) -> None:
    dice = sketch.hand.dice
    sketch.area(shape, any_colour(dice) if dice.chance(0.4) else None)


def _cape(sketch: Sketch, skeleton: Skeleton) -> None:
    dice = sketch.hand.dice
    flare, drop = dice.uniform(0.1, 0.25), dice.uniform(0.9, 1.4)
    right, left = skeleton.shoulders
    hem = skeleton.torso + (skeleton.root - skeleton.torso) * drop
    shape = dense((right, hem - point(flare, 0), hem + point(flare, 0), left))
    _area(sketch, shape)


def _tail(sketch: Sketch, skeleton: Skeleton) -> None:
    dice = sketch.hand.dice
    side, size = dice.sign(), dice.uniform(0.12, 0.25)
    start = skeleton.root
    end = start + point(side * size * 1.4, -size * dice.uniform(0.2, 0.9))
    if dice.chance(0.3):
        sketch.line(arc(start + point(side * size, 0), (size, size * 0.7), -side * 1.6, side * 2.5))
    else:
        sketch.line(bend_through(start, start + point(side * size, size * 0.3), end))
