"""Heads: outlines, faces, and where nose, eyes and ears lie."""

import numpy as np

from models.training.synthesis.curves import (
    Points,
    arc,
    dense,
    ellipse,
    point,
    polyline,
    rotate,
    round_off,
)
from models.training.synthesis.dice import Dice
from models.training.synthesis.palette import Colour
from models.training.synthesis.settings import HeadShape
from models.training.synthesis.skeletons import Skeleton
from models.training.synthesis.sketch import FillStyle, Sketch

__all__ = ("draw_face", "draw_head", "finish_head", "head_outline", "on_head", "set_head_joints")


def draw_head(
    sketch: Sketch,
    skeleton: Skeleton,
    face: float,
    colour: Colour | None,
    shape: HeadShape | None = None,
) -> None:
    """Draw a head, coloured if a colour is given; `face` scales the share of heads with a face."""
    dice = sketch.hand.dice
    outline = head_outline(sketch, skeleton, shape)
    if colour is not None:
        sketch.fill(outline, colour, dice.pick(tuple(FillStyle)))
    sketch.outline(outline)
    finish_head(sketch, skeleton, face)


def finish_head(sketch: Sketch, skeleton: Skeleton, face: float) -> None:
    """Set the joints of a head whose outline is drawn, and give it a face or not."""
    seen = sketch.chance(min(1.0, sketch.look.face * face), "face")
    set_head_joints(sketch, skeleton, seen)
    if seen:
        draw_face(sketch, skeleton, None)


def head_outline(sketch: Sketch, skeleton: Skeleton, shape: HeadShape | None = None) -> Points:
    """Closed outline (N, 2) of a head; of a chance shape when none is named."""
    dice = sketch.hand.dice
    base = _shape(dice, shape or dice.weighted(sketch.look.heads))
    base = base + _lumps(dice, len(base))
    return rotate(base * skeleton.radii + skeleton.head, skeleton.tilt, skeleton.head)


def _shape(dice: Dice, shape: HeadShape) -> Points:
    base = ellipse(point(0, 0), 1.0, 1.0)
    if shape is HeadShape.EGG:
        base[:, 0] *= 1 + dice.uniform(-0.25, 0.25) * base[:, 1]
    elif shape is HeadShape.BOX:
        base = round_off(_box(), 3) if dice.chance(0.6) else dense(_box())
    elif shape is HeadShape.POLYGON:
        corners = base[:: dice.integer(3, 5)]
        base = dense(corners + dice.array.normal(0, 0.08, corners.shape))
    elif shape is HeadShape.DIAMOND:
        base = dense(polyline(((0, -1), (-1, 0), (0, 1), (1, 0))))
    elif shape is HeadShape.BUN:
        base[:, 1] = np.where(base[:, 1] > 0, base[:, 1] * dice.uniform(0.6, 1.0), base[:, 1])
    return base


def set_head_joints(sketch: Sketch, skeleton: Skeleton, nose_seen: bool) -> None:
    """Nose in the middle of the face, eyes above it, ears at the sides."""
    places = {
        "nose": (0.0, 0.0, nose_seen),
        "right_eye": (-0.35, -0.25, nose_seen),
        "left_eye": (0.35, -0.25, nose_seen),
        "right_ear": (-0.97, -0.05, True),
        "left_ear": (0.97, -0.05, True),
    }
    for name, (x, y, seen) in places.items():
        sketch.joint(name, on_head(skeleton, point(x, y)), seen)


def draw_face(sketch: Sketch, skeleton: Skeleton, colour: Colour | None) -> None:
    """Draw eyes and a mouth, at times a nose, brows and cheeks."""
    dice = sketch.hand.dice
    spread = dice.uniform(0.25, 0.5)
    height = dice.uniform(-0.4, -0.08)
    _eyes(sketch, skeleton, (spread, height), colour)
    if dice.chance(0.4):
        _nose(sketch, skeleton, colour)
    if dice.chance(0.9):
        _mouth(sketch, skeleton, colour)


def _eyes(
    sketch: Sketch, skeleton: Skeleton, at: tuple[float, float], colour: Colour | None
) -> None:
    dice, (spread, height) = sketch.hand.dice, at
    kind = dice.weighted({"dot": 5, "ring": 2, "dash": 2, "arch": 1, "cross": 0.5, "lash": 1})
    size = dice.uniform(0.07, 0.2)
    for name, side in (("right_eye", -1.0), ("left_eye", 1.0)):
        middle = point(side * spread, height + dice.normal(0.03))
        sketch.joint(name, on_head(skeleton, middle))
        for stroke in _eye_strokes(kind, size):
            sketch.line(on_head(skeleton, stroke + middle), colour, 0.8)
        if kind == "dot":
            sketch.dot(on_head(skeleton, middle), size * min(skeleton.radii) * 0.6, colour)


def _eye_strokes(kind: str, size: float) -> list[Points]:
    zero = point(0, 0)
    if kind == "ring":
        ring = ellipse(zero, size, size * 1.2)
        return [np.concatenate((ring, ring[:2]))]
    if kind == "dash":
        return [polyline(((-size, 0), (size, 0)))]
    if kind == "arch":
        return [arc(zero, (size, size), np.pi / 2, 3 * np.pi / 2)]
    if kind == "cross":
        return [
            polyline(((-size, -size), (size, size))),
            polyline(((-size, size), (size, -size))),
        ]
    if kind == "lash":
        fans = [polyline(((0, 0), (size * x, -size * 1.6))) for x in (-0.7, 0.0, 0.7)]
        return [arc(zero, (size, size * 0.6), 0, 2 * np.pi), *fans]
    return []


def _nose(sketch: Sketch, skeleton: Skeleton, colour: Colour | None) -> None:
    dice, size = sketch.hand.dice, 0.12
    shape = dice.pick(
        (
            polyline(((0, -size), (-size, size), (size * 0.3, size))),
            polyline(((0, -size), (0, size))),
            arc(point(0, 0), (size, size), -1.5, 1.5),
        )
    )
    sketch.line(on_head(skeleton, shape), colour, 0.8)


def _mouth(sketch: Sketch, skeleton: Skeleton, colour: Colour | None) -> None:
    dice = sketch.hand.dice
    middle = point(dice.normal(0.04), dice.uniform(0.3, 0.55))
    half, depth = dice.uniform(0.15, 0.5), dice.uniform(0.1, 0.3)
    kind = dice.weighted({"smile": 6, "line": 1, "sad": 1, "open": 1, "teeth": 0.6})
    if kind == "smile":
        strokes = [arc(middle + point(0, -depth / 2), (half, depth), -1.5, 1.5)]
    elif kind == "sad":
        strokes = [arc(middle + point(0, depth / 2), (half, depth), 1.7, 4.6)]
    elif kind == "open":
        strokes = [arc(middle, (half * 0.5, depth * 0.7), 0, 6.4)]
    elif kind == "teeth":
        low, high = middle - point(half, depth / 2), middle + point(half, depth / 2)
        ticks = np.linspace(low[0], high[0], dice.integer(4, 7))
        strokes = [polyline((low, (high[0], low[1]), high, (low[0], high[1]), low))]
        strokes += [polyline(((x, low[1]), (x, high[1]))) for x in ticks[1:-1]]
    else:
        strokes = [polyline((middle - point(half, 0), middle + point(half, 0)))]
    for stroke in strokes:
        sketch.line(on_head(skeleton, stroke), colour, 0.9)


def on_head(skeleton: Skeleton, points: Points) -> Points:
    """Points given in half heads from its centre, where the head is."""
    scaled = points * skeleton.radii + skeleton.head
    return rotate(scaled, skeleton.tilt, skeleton.head)


def _box() -> Points:
    return polyline(((-0.9, -0.95), (-0.9, 0.95), (0.9, 0.95), (0.9, -0.95)))


def _lumps(dice: Dice, count: int) -> Points:
    turn = np.linspace(0, 2 * np.pi, count, endpoint=False)
    waves = dice.array.normal(0, 0.025, (4, 2))
    circle = np.stack((np.sin(2 * turn), np.cos(2 * turn), np.sin(3 * turn), np.cos(3 * turn)), 1)
    return circle @ waves
