"""Quadrupeds: animals on four legs seen from the side; front legs count as arms."""

import numpy as np

from models.training.synthesis.curves import (
    Points,
    arc,
    bend_through,
    dense,
    ellipse,
    point,
    polyline,
    rotate,
)
from models.training.synthesis.hair import draw_ears
from models.training.synthesis.heads import draw_face, set_head_joints
from models.training.synthesis.palette import Colour, any_colour
from models.training.synthesis.skeletons import SIDES, Skeleton
from models.training.synthesis.sketch import FillStyle, Sketch
from models.training.synthesis.torsos import shape_torso

__all__ = ("draw_quadruped",)

_LEGS = (("shoulder", "elbow", "wrist"), ("hip", "knee", "ankle"))


def draw_quadruped(sketch: Sketch) -> None:
    """A pig, a dog, a horse or a cat: a body, a head at one end, four legs, a tail."""
    dice = sketch.hand.dice
    facing = dice.sign()
    long, tall = dice.uniform(0.28, 0.45), dice.uniform(0.13, 0.24)
    colour = any_colour(dice) if dice.chance(0.4) else None
    _legs(sketch, facing, (long, tall), colour)
    _tail(sketch, point(-facing * long * 0.95, -tall * 0.2), facing)
    sketch.area(_body(sketch, long, tall), colour)
    head = point(facing * (long + dice.uniform(-0.02, 0.14)), -tall * dice.uniform(0.1, 1.6))
    if head[1] < -tall * 1.2 or abs(head[0]) > long + 0.1:
        _neck(sketch, head, point(facing * long * 0.7, -tall * 0.3), colour)
    _head(sketch, head, facing, colour)


def _body(sketch: Sketch, long: float, tall: float) -> Points:
    dice = sketch.hand.dice
    kind = dice.pick(("oval", "oval", "box", "bean"))
    if kind == "oval":
        return ellipse(point(0, 0), long, tall, dice.normal(0.05))
    profile = "box" if kind == "box" else "bell"
    lying = shape_torso(point(0, -long), point(0, long), tall, profile).outline
    return rotate(lying, np.pi / 2 * dice.sign(), point(0, 0))


def _legs(sketch: Sketch, facing: float, body: tuple[float, float], colour: Colour | None) -> None:
    """Draw legs of lines, tubes or stubs, and set their joints; from the left, right then left."""
    dice, (long, tall) = sketch.hand.dice, body
    reach, thick = dice.uniform(0.12, 0.36), dice.uniform(0.03, 0.09)
    form = dice.pick(("line", "tube", "tube", "stub"))
    for front, names in zip((True, False), _LEGS, strict=True):
        middle = (1 if front else -1) * facing * long * dice.uniform(0.55, 0.75)
        apart = dice.uniform(0.05, 0.13)
        places = sorted((middle - apart, middle + apart))
        alone = dice.chance(0.12)
        for side, x in zip(SIDES, places, strict=True):
            top = point(middle if alone else x, tall * 0.6)
            foot = top + point(dice.normal(0.03), tall * 0.4 + reach)
            if not (alone and side == "left"):
                _leg(sketch, (top, foot), (form, thick), colour)
            knee = (top + foot) / 2
            for name, place in zip(names, (top, knee, foot), strict=True):
                sketch.joint(f"{side}_{name}", place)


def _leg(
    sketch: Sketch,
    ends: tuple[Points, Points],
    form: tuple[str, float],
    colour: Colour | None,
) -> None:
    (top, foot), (kind, thick) = ends, form
    aside = point(thick / 2, 0)
    if kind == "line":
        sketch.line(polyline((top, foot)))
        return
    shape = polyline((top - aside, foot - aside, foot + aside, top + aside))
    if kind == "stub":
        sketch.area(dense(shape), colour)
        return
    if colour is not None:
        sketch.fill(shape, colour, FillStyle.FLAT)
    sketch.line(shape)
    sketch.solid(shape)


def _tail(sketch: Sketch, root: Points, facing: float) -> None:
    dice = sketch.hand.dice
    if dice.chance(0.3):
        turns = np.linspace(0, 9, 20)
        curl = np.stack((-facing * turns * 0.015, 0.03 * np.sin(turns)), 1)
        sketch.line(curl + root)
        return
    middle = root + point(-facing * 0.12, dice.uniform(-0.2, 0.05))
    tip = root + point(-facing * dice.uniform(0.08, 0.25), dice.uniform(-0.25, 0.25))
    sketch.line(bend_through(root, middle, tip))


def _neck(sketch: Sketch, head: Points, chest: Points, colour: Colour | None) -> None:
    half = sketch.hand.dice.uniform(0.05, 0.09)
    aside = point(half, 0)
    shape = polyline((chest - aside, head - aside * 0.7, head + aside * 0.7, chest + aside))
    if colour is not None:
        sketch.fill(shape, colour, FillStyle.FLAT)
    for edge in (shape[:2], shape[2:]):
        sketch.line(edge)
    sketch.solid(shape)


def _head(sketch: Sketch, middle: Points, facing: float, colour: Colour | None) -> None:
    dice = sketch.hand.dice
    size = dice.uniform(0.11, 0.2)
    none = np.zeros((2, 2))
    radii = (size * dice.uniform(1.0, 1.35), size)
    head = Skeleton(middle, radii, facing * 0.15, none, none, (None, None), (None, None))
    draw_ears(sketch, head, colour)
    ears = sketch.joints[3:5].copy()
    sketch.area(ellipse(middle, *radii, facing * dice.uniform(0, 0.4)), colour)
    frontal = dice.chance(0.6)
    set_head_joints(sketch, head, nose_seen=True)
    sketch.joints[3:5] = ears
    if frontal:
        draw_face(sketch, head, None)
        return
    eye = middle + point(facing * radii[0] * 0.3, -size * 0.25)
    sketch.dot(eye, size * 0.1)
    snout = middle + point(facing * radii[0] * 0.75, size * 0.25)
    sketch.outline(ellipse(snout, size * 0.25, size * 0.3))
    sketch.line(arc(snout - point(facing * size * 0.5, 0), (size * 0.3, size * 0.25), -1.2, 1.2))
    sketch.joint("nose", snout)
    for name in ("right_eye", "left_eye"):
        sketch.joint(name, eye)
