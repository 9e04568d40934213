"""Beings: figures that are no people: bodies with a face, animals on two legs, robots, snowmen."""

from dataclasses import replace

import numpy as np

from models.training.synthesis.attire import draw_wings
from models.training.synthesis.bodies import BODY, draw_neck
from models.training.synthesis.curves import (
    Points,
    bend_through,
    direction,
    ellipse,
    point,
    polyline,
    ribbon,
)
from models.training.synthesis.finish import choose_pose, dress_up
from models.training.synthesis.hair import draw_ears
from models.training.synthesis.heads import draw_face, draw_head, on_head, set_head_joints
from models.training.synthesis.limbs import LimbStyle, draw_arms, draw_legs, sample_ends
from models.training.synthesis.palette import any_colour
from models.training.synthesis.settings import FootKind, HandKind, HeadShape
from models.training.synthesis.skeletons import SIDES, Skeleton, assemble, lower_arms
from models.training.synthesis.sketch import FillStyle, Sketch
from models.training.synthesis.torsos import draw_torso, shape_torso

__all__ = ("draw_animal", "draw_blob", "draw_legless", "draw_robot")

ROBOT = replace(BODY, aspect=(0.8, 1.1, 1.5), neck=(0.0, 0.03, 0.07), shoulders=(0.2, 0.3, 0.42))


def draw_blob(sketch: Sketch) -> None:
    """A vegetable, a sweet or a monster: the body is the face, the limbs grow from it."""
    dice = sketch.hand.dice
    profile = dice.pick(("candy", "bulb", "oval", "box", "pear", "ghost", "wedge"))
    tall, half = dice.uniform(0.4, 0.68), dice.uniform(0.16, 0.34)
    body = shape_torso(point(0, -tall), point(0, 0), half, profile)
    filled = dice.chance(0.5)
    skeleton = assemble(dice, BODY, choose_pose(sketch, wide=False))
    arm, edge = dice.uniform(0.3, 0.65), dice.uniform(0.15, 0.35)
    shoulders = polyline((body.at(0, arm), body.at(1, arm)))
    hips = polyline((body.at(edge, 0.98), body.at(1 - edge, 0.98)))
    look = dice.uniform(0.3, 0.7)
    face = np.asarray(body.at(0.5, look))
    width = float(np.hypot(*(body.at(1, look) - body.at(0, look)))) / 2
    size = (width * dice.uniform(0.5, 0.8), width * dice.uniform(0.5, 0.8))
    skeleton = replace(skeleton.hung_on(shoulders, hips), head=face, radii=size, tilt=0.0)
    hand, foot = sample_ends(sketch)
    colour = any_colour(dice) if filled else None
    form = dice.pick(("line", "line", "tube", "sausage"))
    style = LimbStyle(form, dice.uniform(0.03, 0.08), dice.uniform(0.7, 1.1), hand, foot, colour)
    draw_legs(sketch, skeleton, style)
    draw_arms(sketch, skeleton, style)
    draw_torso(sketch, body, filled)
    set_head_joints(sketch, skeleton, nose_seen=True)
    draw_face(sketch, skeleton, None)
    _crest(sketch, body.at(0.5, 0))


def draw_animal(sketch: Sketch) -> None:
    """A bear, a cat or a rabbit that stands on two legs."""
    dice = sketch.hand.dice
    skeleton = assemble(dice, replace(BODY, head=(0.12, 0.17, 0.26)), choose_pose(sketch, False))
    skeleton = lower_arms(skeleton, (dice.uniform(0.05, 0.3),) * 2)
    filled = dice.chance(0.5)
    colour = any_colour(dice) if filled else None
    hand, foot = sample_ends(sketch)
    plain = dice.chance(0.7)
    style = LimbStyle(
        dice.pick(("sausage", "sausage", "tube", "line")),
        dice.uniform(0.06, 0.14),
        dice.uniform(0.6, 1.2),
        HandKind.NONE if plain else hand,
        FootKind.OVAL if plain and dice.chance(0.5) else foot,
        colour,
    )
    draw_ears(sketch, skeleton, colour)
    draw_legs(sketch, skeleton, style)
    draw_arms(sketch, skeleton, style)
    half = max(_width(skeleton) / 2 * dice.uniform(0.9, 1.3), 0.07)
    body = shape_torso(skeleton.torso, skeleton.root, half, dice.pick(("oval", "pear", "box")))
    if colour is not None:
        sketch.fill(body.outline, colour, style.fill)
    sketch.outline(body.outline)
    ears = sketch.joints[3:5].copy()
    draw_head(sketch, skeleton, 1.4, colour)
    sketch.joints[3:5] = ears
    _snout(sketch, skeleton)
    if dice.chance(0.3):
        side = dice.sign()
        tip = skeleton.root + point(side * 0.25, -0.12)
        sketch.line(bend_through(skeleton.root, skeleton.root + point(side * 0.18, 0.05), tip))


def draw_robot(sketch: Sketch) -> None:
    """A figure of boxes."""
    dice = sketch.hand.dice
    skeleton = assemble(dice, ROBOT, choose_pose(sketch, wide=False))
    filled = dice.chance(0.35)
    colour = any_colour(dice) if filled else None
    hand, foot = sample_ends(sketch)
    form = dice.pick(("line", "tube", "sausage", "wire"))
    style = LimbStyle(form, dice.uniform(0.03, 0.08), 1.0, hand, foot, colour)
    draw_legs(sketch, skeleton, style)
    draw_arms(sketch, skeleton, style)
    draw_neck(sketch, skeleton)
    body = shape_torso(skeleton.torso, skeleton.root, _width(skeleton) / 2, "box")
    draw_torso(sketch, body, filled)
    draw_head(sketch, skeleton, 1.3, colour, HeadShape.BOX if dice.chance(0.8) else None)
    dress_up(sketch, skeleton)


def draw_legless(sketch: Sketch) -> None:
    """A snowman, a mermaid, a ghost or an angel: arms but no legs; the hips are implied."""
    dice = sketch.hand.dice
    kind = dice.pick((_snowman, _mermaid, _ghost, _angel))
    kind(sketch)


def _snowman(sketch: Sketch) -> None:
    dice = sketch.hand.dice
    skeleton = assemble(dice, BODY, choose_pose(sketch, wide=False))
    low, mid = dice.uniform(0.17, 0.26), dice.uniform(0.11, 0.18)
    top = dice.uniform(0.07, 0.13)
    centre = point(0, -low - mid * 0.9)
    head = centre - point(dice.normal(0.02), mid + top * 0.9)
    half = mid * dice.uniform(0.5, 0.95)
    shoulders = polyline((centre - point(half, 0.02), centre + point(half, -0.02)))
    hips = polyline((point(-low * 0.4, 0), point(low * 0.4, 0)))
    skeleton = replace(
        skeleton.hung_on(shoulders, hips),
        head=head,
        radii=(top * dice.uniform(0.9, 1.2), top),
        tilt=0.0,
        legs=(None, None),
    )
    sketch.outline(ellipse(point(dice.normal(0.01), 0), low * dice.uniform(0.95, 1.2), low))
    sketch.outline(ellipse(centre, mid * dice.uniform(0.95, 1.2), mid))
    _upper(sketch, skeleton)
    for down in (0.3, 0.6, 0.9)[: dice.integer(0, 3)]:
        sketch.dot(centre + point(0, mid * (down * 1.6 - 0.8)), 0.012)


def _mermaid(sketch: Sketch) -> None:
    dice = sketch.hand.dice
    skeleton = assemble(dice, BODY, choose_pose(sketch, wide=False))
    half = dice.uniform(0.05, 0.1)
    trunk = shape_torso(skeleton.torso, skeleton.root, half, "hourglass")
    side = dice.sign()
    aside = side * dice.spread((-0.1, 0.05, 0.4))
    tip = skeleton.root + point(aside, dice.uniform(0.2, 0.45) - abs(aside) * 0.3)
    bow = point(side * dice.uniform(-0.12, 0.12), abs(aside) * dice.uniform(0.2, 0.7))
    path = bend_through(skeleton.root, (skeleton.root + tip) / 2 + bow, tip)
    sides = ribbon(path, half * 1.2, 0.02)
    tail = np.concatenate((sides[0], _fin(sketch, path), sides[1][::-1]))
    if dice.chance(0.4):
        sketch.fill(tail, any_colour(dice), dice.pick(tuple(FillStyle)))
    sketch.outline(tail)
    sketch.outline(trunk.outline)
    _upper(sketch, replace(skeleton, legs=(None, None)))


def _fin(sketch: Sketch, path: Points) -> Points:
    """The two lobes at the end of a fish's tail, from one side to the other."""
    dice = sketch.hand.dice
    way = path[-1] - path[-2]
    heading, size = float(np.arctan2(way[0], way[1])), dice.uniform(0.1, 0.2)
    turns = (0.9, 0.55, 0.0, -0.55, -0.9)
    reach = (1.0, 1.1, 0.45, 1.1, 1.0)
    tips = [path[-1] + direction(heading + t) * size * r for t, r in zip(turns, reach, strict=True)]
    flip = np.hypot(*(tips[0] - path[-2])) > np.hypot(*(tips[-1] - path[-2]))
    return polyline(tips[::-1] if flip else tips)


def _ghost(sketch: Sketch) -> None:
    dice = sketch.hand.dice
    skeleton = assemble(dice, BODY, choose_pose(sketch, wide=False))
    tall, half = dice.uniform(0.5, 0.7), dice.uniform(0.15, 0.25)
    body = shape_torso(point(0, -tall), point(0, 0), half, "ghost")
    shoulders = polyline((body.at(0, 0.5), body.at(1, 0.5)))
    hips = polyline((body.at(0.3, 0.85), body.at(0.7, 0.85)))
    face, size = np.asarray(body.at(0.5, 0.28)), half * 0.8
    skeleton = replace(
        skeleton.hung_on(shoulders, hips), head=face, radii=(size, size), tilt=0.0, legs=(None,) * 2
    )
    hand, _ = sample_ends(sketch)
    draw_arms(sketch, skeleton, LimbStyle(dice.pick(("line", "sausage")), 0.06, 0.8, hand))
    draw_legs(sketch, skeleton, LimbStyle("none"))
    draw_torso(sketch, body, dice.chance(0.2))
    set_head_joints(sketch, skeleton, nose_seen=True)
    draw_face(sketch, skeleton, None)


def _angel(sketch: Sketch) -> None:
    dice = sketch.hand.dice
    skeleton = assemble(dice, BODY, choose_pose(sketch, wide=False))
    hem = skeleton.root + point(0, dice.uniform(0.12, 0.3))
    half = dice.uniform(0.07, 0.16)
    draw_wings(sketch, skeleton)
    gown = shape_torso(skeleton.torso, hem, half, dice.pick(("triangle", "bell", "pear")))
    draw_torso(sketch, gown, dice.chance(0.25))
    _upper(sketch, replace(skeleton, legs=(None, None)))
    if dice.chance(0.35):
        for limb, x in zip(SIDES, (-0.04, 0.04), strict=True):
            top = hem + point(x, 0)
            foot = top + point(x * 0.3, dice.uniform(0.06, 0.14))
            sketch.line(polyline((top, foot)))
            sketch.joint(f"{limb}_knee", top, seen=False)
            sketch.joint(f"{limb}_ankle", foot)


def _upper(sketch: Sketch, skeleton: Skeleton) -> None:
    """Arms, head and hips of a figure without legs."""
    dice = sketch.hand.dice
    hand, _ = sample_ends(sketch)
    form = dice.pick(("line", "line", "tube"))
    draw_arms(sketch, skeleton, LimbStyle(form, dice.uniform(0.03, 0.06), 0.8, hand))
    draw_legs(sketch, skeleton, LimbStyle("none"))
    draw_neck(sketch, skeleton)
    draw_head(sketch, skeleton, 1.1, None)
    dress_up(sketch, skeleton)


def _width(skeleton: Skeleton) -> float:
    return float(np.hypot(*(skeleton.shoulders[1] - skeleton.shoulders[0])))


def _crest(sketch: Sketch, top: Points) -> None:
    """Leaves, a stalk or nothing on top of a body."""
    dice = sketch.hand.dice
    kind = dice.pick(("none", "none", "stalk", "leaves", "rim"))
    if kind == "stalk":
        sketch.line(polyline((top, top + point(dice.normal(0.03), -0.08))))
    elif kind == "leaves":
        for turn in np.linspace(-0.9, 0.9, dice.integer(2, 5)):
            tip = top + point(np.sin(turn) * 0.14, -np.cos(turn) * 0.14)
            sketch.outline(ellipse((top + tip) / 2, 0.025, 0.075, turn))
    elif kind == "rim":
        sketch.outline(ellipse(top, 0.05, 0.018))


def _snout(sketch: Sketch, skeleton: Skeleton) -> None:
    dice = sketch.hand.dice
    if dice.chance(0.5):
        ring = ellipse(point(0, 0.3), 0.42, 0.32)
        sketch.outline(on_head(skeleton, ring))
        sketch.dot(on_head(skeleton, point(0, 0.12)), 0.015)
    if dice.chance(0.3):
        for side in (-1.0, 1.0):
            for lift in (-0.12, 0.0, 0.12):
                whisker = polyline(((side * 0.35, 0.25), (side * 0.9, 0.25 + lift)))
                sketch.line(on_head(skeleton, whisker))
