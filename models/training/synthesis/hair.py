"""Hair and headgear: what grows on a head or sits on it."""

from collections.abc import Callable, Mapping

import numpy as np

from models.training.synthesis.curves import (
    arc,
    bend_through,
    dense,
    ellipse,
    point,
    polyline,
)
from models.training.synthesis.heads import on_head
from models.training.synthesis.palette import Colour, any_colour
from models.training.synthesis.skeletons import Skeleton
from models.training.synthesis.sketch import FillStyle, Sketch

__all__ = ("draw_ears", "draw_hair", "draw_headgear")


def draw_hair(sketch: Sketch, skeleton: Skeleton) -> None:
    """Draw hair of a chance kind, at times in a colour of its own."""
    dice = sketch.hand.dice
    colour = any_colour(dice) if dice.chance(0.3) else None
    dice.pick(tuple(_HAIR.values()))(sketch, skeleton, colour)


def draw_headgear(sketch: Sketch, skeleton: Skeleton) -> None:
    """Draw a crown, a hat, ears, antennae, horns or a halo."""
    dice = sketch.hand.dice
    colour = any_colour(dice) if dice.chance(0.4) else None
    dice.pick(tuple(_GEAR.values()))(sketch, skeleton, colour)


def draw_ears(sketch: Sketch, skeleton: Skeleton, colour: Colour | None) -> None:
    """Draw the ears of an animal: round, pointed or long."""
    dice = sketch.hand.dice
    kind, size = dice.pick(("round", "point", "long")), dice.uniform(0.22, 0.42)
    for name, side in (("right_ear", -1.0), ("left_ear", 1.0)):
        if kind == "round":
            place = point(side * dice.uniform(0.6, 0.8), -0.8)
            shape = ellipse(place, size, size * 1.15)
        elif kind == "long":
            place = point(side * 0.4, -1.4)
            shape = ellipse(place, size * 0.6, size * 1.8, side * 0.2)
        else:
            place = point(side * 0.65, -1.0)
            shape = dense(((side * 0.35, -0.9), (side * 0.75, -1.5), (side * 0.92, -0.45)))
        sketch.area(on_head(skeleton, shape), colour)
        sketch.joint(name, on_head(skeleton, place))


def _spikes(sketch: Sketch, skeleton: Skeleton, colour: Colour | None) -> None:
    dice = sketch.hand.dice
    reach = dice.uniform(1.15, 1.6)
    for turn in np.linspace(-1.2, 1.2, dice.integer(3, 14)):
        way = point(np.sin(turn), -np.cos(turn))
        tip = way * reach + dice.array.normal(0, 0.08, 2)
        sketch.line(on_head(skeleton, polyline((way * 0.95, tip))), colour)


def _zigzag(sketch: Sketch, skeleton: Skeleton, colour: Colour | None) -> None:
    dice = sketch.hand.dice
    turns = np.linspace(-1.3, 1.3, dice.integer(9, 21))
    radii = np.where(np.arange(len(turns)) % 2, dice.uniform(1.15, 1.45), 0.95)
    crown = np.stack((np.sin(turns), -np.cos(turns)), 1) * radii[:, None]
    traced = sketch.line(on_head(skeleton, crown), colour)
    sketch.solid(traced)


def _curls(sketch: Sketch, skeleton: Skeleton, colour: Colour | None) -> None:
    dice = sketch.hand.dice
    size = dice.uniform(0.15, 0.28)
    for turn in np.linspace(-1.5, 1.5, dice.integer(5, 9)):
        ring = ellipse(point(np.sin(turn), -np.cos(turn)) * 1.05, size, size)
        sketch.outline(on_head(skeleton, ring), colour)


def _long(sketch: Sketch, skeleton: Skeleton, colour: Colour | None) -> None:
    """Strands that hang down on both sides."""
    dice = sketch.hand.dice
    drop = dice.uniform(0.5, 2.2)
    for side in (-1.0, 1.0):
        for _ in range(dice.integer(1, 5)):
            start = point(side * dice.uniform(0.0, 0.6), -dice.uniform(0.85, 1.05))
            middle = point(side * dice.uniform(1.0, 1.3), 0.0)
            end = point(side * dice.uniform(0.95, 1.5), drop * dice.uniform(0.7, 1.0))
            sketch.line(on_head(skeleton, bend_through(start, middle, end)), colour)


def _bob(sketch: Sketch, skeleton: Skeleton, colour: Colour | None) -> None:
    """A closed frame of hair around the face."""
    dice = sketch.hand.dice
    drop, wide = dice.uniform(0.3, 1.6), dice.uniform(1.1, 1.4)
    outer = arc(point(0, 0), (wide, 1.2), np.pi / 2, 3 * np.pi / 2)
    inner = arc(point(0, 0.1), (0.9, 0.9), 3 * np.pi / 2, np.pi / 2)
    ends = polyline(((-wide * 1.05, drop), (-0.9, drop)))
    other = polyline(((0.9, drop), (wide * 1.05, drop)))
    shape = np.concatenate((outer, ends, inner, other))
    sketch.area(on_head(skeleton, shape), colour)


def _tails(sketch: Sketch, skeleton: Skeleton, colour: Colour | None) -> None:
    """Two tails, or one, that stand off and hang down."""
    dice = sketch.hand.dice
    drop, off = dice.uniform(0.2, 2.0), dice.uniform(1.4, 2.0)
    sides = (-1.0, 1.0) if dice.chance(0.7) else (dice.sign(),)
    looped = dice.chance(0.4)
    for side in sides:
        root = point(side * 0.8, -0.6)
        tip = point(side * dice.uniform(1.3, off + 0.2), drop)
        for bow in (0.0, 0.25):
            middle = point(side * (off + bow), -0.7 + bow)
            sketch.line(on_head(skeleton, bend_through(root, middle, tip)), colour)
        if looped:
            knot = ellipse(root + point(side * 0.2, -0.1), 0.25, 0.15, side * 0.5)
            sketch.outline(on_head(skeleton, knot), colour)


def _ponytail(sketch: Sketch, skeleton: Skeleton, colour: Colour | None) -> None:
    dice = sketch.hand.dice
    side = dice.sign()
    root = point(side * 0.4, -0.95)
    reach = dice.uniform(0.8, 1.6)
    tip = point(side * (0.4 + reach), dice.uniform(-1.0, 0.2))
    outer = bend_through(root, point(side * (0.5 + reach * 0.7), -1.5), tip)
    inner = bend_through(tip, point(side * (0.5 + reach * 0.4), -1.1), root)
    sketch.area(on_head(skeleton, np.concatenate((outer, inner))), colour)
    if dice.chance(0.5):
        fringe = arc(point(0, -0.35), (0.85, 0.25), -1.5, 1.5)
        sketch.line(on_head(skeleton, fringe), colour)


def _scribble(sketch: Sketch, skeleton: Skeleton, colour: Colour | None) -> None:
    dice = sketch.hand.dice
    count = dice.integer(14, 40)
    turns = np.linspace(-1.4, 1.4, count) + dice.array.normal(0, 0.15, count)
    radii = dice.array.uniform(0.75, 1.3, count)
    mess = np.stack((np.sin(turns) * 1.05, -np.cos(turns)), 1) * radii[:, None]
    sketch.line(on_head(skeleton, mess), colour)


def _cap(sketch: Sketch, skeleton: Skeleton, colour: Colour | None) -> None:
    """Hair that fills the top of the head."""
    dice = sketch.hand.dice
    line = dice.uniform(-0.6, -0.2)
    half = float(np.sqrt(1 - line**2))
    top = arc(point(0, 0), (1.03, 1.05), np.pi / 2 + 0.3, 3 * np.pi / 2 - 0.3)
    shape = np.concatenate((top, polyline(((-half, line), (0, line - 0.1), (half, line)))))
    if dice.chance(0.7):
        style = dice.pick(tuple(FillStyle))
        sketch.fill(on_head(skeleton, shape), colour, style)
    sketch.line(on_head(skeleton, shape[-3:]), colour)


def _crown(sketch: Sketch, skeleton: Skeleton, colour: Colour | None) -> None:
    dice = sketch.hand.dice
    count, tall = dice.integer(3, 5), dice.uniform(0.35, 0.7)
    half = dice.uniform(0.35, 0.8)
    x = np.linspace(-half, half, 2 * count + 1)
    y = np.where(np.arange(len(x)) % 2, -0.95 - tall * 0.45, -0.95 - tall)
    points = np.concatenate((polyline(((-half, -0.85),)), np.stack((x, y), 1)))
    shape = np.concatenate((points, polyline(((half, -0.85),))))
    sketch.area(on_head(skeleton, dense(shape)), colour)


def _hat(sketch: Sketch, skeleton: Skeleton, colour: Colour | None) -> None:
    dice = sketch.hand.dice
    tall, half, brim = dice.uniform(0.5, 1.1), dice.uniform(0.4, 0.75), dice.uniform(0.8, 1.3)
    top = 0.1 if dice.chance(0.3) else half
    corners = ((-half, -0.85), (half, -0.85), (top, -0.85 - tall), (-top, -0.85 - tall))
    sketch.area(on_head(skeleton, dense(corners)), colour)
    sketch.line(on_head(skeleton, polyline(((-brim, -0.82), (brim, -0.82)))), colour)


def _antennae(sketch: Sketch, skeleton: Skeleton, colour: Colour | None) -> None:
    dice = sketch.hand.dice
    for side in (-1.0, 1.0):
        start, end = point(side * 0.3, -0.95), point(side * dice.uniform(0.3, 0.9), -1.7)
        middle = (start + end) / 2 + point(side * 0.15, 0.0)
        sketch.line(on_head(skeleton, bend_through(start, middle, end)), colour)
        sketch.outline(on_head(skeleton, ellipse(end, 0.1, 0.12)), colour)


def _halo(sketch: Sketch, skeleton: Skeleton, colour: Colour | None) -> None:
    dice = sketch.hand.dice
    lift = -1 - dice.uniform(0.2, 0.6)
    if dice.chance(0.75):
        sketch.outline(on_head(skeleton, ellipse(point(0, lift), 0.6, 0.18)), colour)
    else:
        sketch.line(on_head(skeleton, arc(point(0, lift), (0.5, 0.2), 1.7, 4.6)), colour)


def _ears(sketch: Sketch, skeleton: Skeleton, colour: Colour | None) -> None:
    if sketch.hand.dice.chance(0.4):
        draw_ears(sketch, skeleton, colour)
        return
    for side in (-1.0, 1.0):
        shape = ellipse(point(side * 1.1, 0.0), 0.15, 0.25)
        sketch.outline(on_head(skeleton, shape), colour)


_Draw = Callable[[Sketch, Skeleton, Colour | None], None]
_HAIR: Mapping[str, _Draw] = {
    "spikes": _spikes,
    "zigzag": _zigzag,
    "curls": _curls,
    "long": _long,
    "bob": _bob,
    "tails": _tails,
    "ponytail": _ponytail,
    "scribble": _scribble,
    "cap": _cap,
}
_GEAR: Mapping[str, _Draw] = {
    "crown": _crown,
    "hat": _hat,
    "antennae": _antennae,
    "halo": _halo,
    "ears": _ears,
}
