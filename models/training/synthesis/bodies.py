"""Bodies: figures with a trunk that has a width: outlined, filled, merged into one, or dressed."""

from dataclasses import replace

import numpy as np

from models.training.synthesis.curves import (
    Points,
    dense,
    ellipse,
    merge_outlines,
    point,
    polyline,
)
from models.training.synthesis.dice import Dice
from models.training.synthesis.finish import choose_pose, dress_up
from models.training.synthesis.heads import draw_head, finish_head, head_outline
from models.training.synthesis.limbs import LimbStyle, draw_arms, draw_legs, sample_ends, sausage
from models.training.synthesis.palette import any_colour
from models.training.synthesis.settings import HeadShape
from models.training.synthesis.skeletons import (
    Build,
    Skeleton,
    assemble,
    lose_limbs,
    lower_arms,
)
from models.training.synthesis.sketch import FillStyle, Sketch
from models.training.synthesis.torsos import Torso, draw_torso, shape_torso

__all__ = ("BODY", "draw_dress", "draw_filled", "draw_neck", "draw_outlined", "draw_silhouette")

BODY = Build(
    neck=(-0.03, 0.02, 0.08),
    shoulders=(0.06, 0.2, 0.42),
    hips=(0.05, 0.13, 0.3),
    arm=(0.16, 0.27, 0.4),
    leg=(0.15, 0.26, 0.42),
)
DRESS = replace(BODY, shoulders=(0.04, 0.14, 0.28), hips=(0.04, 0.1, 0.18))


def draw_outlined(sketch: Sketch) -> None:
    """A body of outlines, with limbs of lines or tubes."""
    _draw_body(sketch, filled=False)


def draw_filled(sketch: Sketch) -> None:
    """A body in colours, with or without outlines."""
    _draw_body(sketch, filled=True)


def draw_dress(sketch: Sketch) -> None:
    """A figure in a dress or skirt, from whose hem the legs come; the hips are hidden."""
    dice = sketch.hand.dice
    skeleton = assemble(dice, DRESS, choose_pose(sketch, wide=False))
    skeleton = lower_arms(skeleton, (dice.uniform(0, 0.3),) * 2)
    filled = dice.chance(0.45)
    hidden = dice.uniform(0.15, 0.55)
    style = _limb_style(sketch, filled)
    hem = skeleton.root + (skeleton.root - skeleton.torso) * hidden * 0.7
    half = max(float(np.hypot(*(skeleton.shoulders[1] - skeleton.shoulders[0]))) / 2, 0.05)
    profile = dice.pick(("triangle", "bell", "skirt", "hourglass"))
    gown = shape_torso(skeleton.torso, hem, half, profile)
    legs = replace(style, hidden=_covered(skeleton, hem))
    draw_legs(sketch, skeleton, legs)
    draw_arms(sketch, skeleton, style)
    draw_neck(sketch, skeleton)
    draw_torso(sketch, gown, filled)
    draw_head(sketch, skeleton, 1.1, any_colour(dice) if filled and dice.chance(0.3) else None)
    dress_up(sketch, skeleton)


def draw_silhouette(sketch: Sketch) -> None:
    """One outline around trunk, limbs and perhaps the head."""
    dice = sketch.hand.dice
    skeleton = assemble(dice, BODY, choose_pose(sketch, wide=False))
    plump = dice.chance(0.3)
    thick = dice.uniform(0.13, 0.2) if plump else dice.uniform(0.06, 0.13)
    taper = dice.uniform(0.8, 1.25) if plump else dice.uniform(0.5, 1.1)
    limbs = [limb for limb in (*skeleton.arms, *skeleton.legs) if limb is not None]
    parts = [sausage(limb, thick, taper) for limb in limbs]
    parts += [ellipse(limb.start, thick * 0.6, thick * 0.6) for limb in limbs]
    parts.append(_trunk(dice, skeleton).outline)
    together = dice.chance(0.4)
    if together:
        parts.append(head_outline(sketch, skeleton, HeadShape.ELLIPSE))
        parts.append(sausage_between(skeleton.head, skeleton.torso, thick))
    outline = merge_outlines(parts, thick * min(taper, 1) * dice.uniform(0.08, 0.27))
    colour = any_colour(dice) if dice.chance(0.3) else None
    if colour is not None:
        sketch.fill(outline, colour, dice.pick(tuple(FillStyle)))
    sketch.outline(outline)
    hand, _ = sample_ends(sketch)
    bare = LimbStyle("none", hand=hand)
    draw_arms(sketch, skeleton, bare)
    draw_legs(sketch, skeleton, LimbStyle("none"))
    if together:
        finish_head(sketch, skeleton, 1.2)
    else:
        draw_neck(sketch, skeleton)
        draw_head(sketch, skeleton, 1.2, colour)
    dress_up(sketch, skeleton)


def draw_neck(sketch: Sketch, skeleton: Skeleton) -> None:
    """Two strokes, or one, between head and trunk where they do not touch."""
    dice = sketch.hand.dice
    way = skeleton.torso - skeleton.head
    reach = float(np.hypot(*way))
    chin = skeleton.head + way * min(1.0, skeleton.radii[1] / max(reach, 1e-9))
    if reach < skeleton.radii[1] + 0.015:
        return
    half = dice.uniform(0.01, 0.03) if dice.chance(0.7) else 0.0
    across = np.array((half, 0.0))
    for side in (-1, 1) if half else (0,):
        sketch.line(polyline((chin + side * across, skeleton.torso + side * across)))
    if half:
        ends = (chin - across, skeleton.torso - across, skeleton.torso + across, chin + across)
        sketch.solid(polyline(ends))


def sausage_between(start: Points, end: Points, thick: float) -> Points:
    """A band from one point to another."""
    across = np.array((thick / 2, 0.0))
    return polyline((start - across, end - across, end + across, start + across))


def _draw_body(sketch: Sketch, filled: bool) -> None:
    dice = sketch.hand.dice
    skeleton = assemble(dice, BODY, choose_pose(sketch, wide=False))
    skeleton = lower_arms(skeleton, (dice.spread((0.0, 0.05, 0.4)),) * 2)
    if sketch.chance(sketch.look.missing, "missing"):
        skeleton = lose_limbs(dice, skeleton)
    style = _limb_style(sketch, filled)
    bare = filled and dice.chance(0.25)
    legs = replace(style, cover=any_colour(dice) if filled else None, bare=bare)
    draw_legs(sketch, skeleton, legs)
    draw_arms(sketch, skeleton, replace(style, bare=bare))
    draw_neck(sketch, skeleton)
    draw_torso(sketch, _trunk(dice, skeleton), filled, bare)
    if dice.chance(0.15):
        _trousers(sketch, skeleton, style, filled)
    if bare:
        _flat_head(sketch, skeleton)
    else:
        colour = any_colour(dice) if filled and dice.chance(0.5) else None
        draw_head(sketch, skeleton, 1.2, colour)
    dress_up(sketch, skeleton)


def _flat_head(sketch: Sketch, skeleton: Skeleton) -> None:
    """A head of colour alone, as on a pictogram."""
    outline = head_outline(sketch, skeleton)
    sketch.fill(outline, any_colour(sketch.hand.dice), FillStyle.FLAT)
    finish_head(sketch, skeleton, 0.8)


def _limb_style(sketch: Sketch, filled: bool) -> LimbStyle:
    dice = sketch.hand.dice
    hand, foot = sample_ends(sketch)
    return LimbStyle(
        dice.weighted({"line": 1.0, "tube": 1.6, "sausage": 1.0, "wire": 0.03}),
        dice.uniform(0.03, 0.1),
        dice.uniform(0.5, 1.1),
        hand,
        foot,
        any_colour(dice) if filled else None,
        dice.uniform(0.3, 0.8) if dice.chance(0.3) else 1.0,
        dice.pick(tuple(FillStyle)),
    )


def _trunk(dice: Dice, skeleton: Skeleton) -> Torso:
    right, left = skeleton.shoulders
    wide = float(np.hypot(*(left - right)))
    low = float(np.hypot(*(skeleton.hips[1] - skeleton.hips[0])))
    grow = (skeleton.root - skeleton.torso) * 0.04
    top, bottom = skeleton.torso - grow, skeleton.root + grow
    kind = dice.weighted({"corners": 4.0, "oval": 2.0, "pear": 1.0, "hourglass": 0.6, "box": 1.0})
    if kind != "corners":
        return shape_torso(top, bottom, max(wide, low, 0.06) / 2, kind)
    steps = np.linspace(0, 1, 8)[:, None]
    out = np.array((dice.uniform(0.0, 0.02), 0.0))
    low_right, low_left = skeleton.hips
    return Torso(right - out + (low_right - right) * steps, left + out + (low_left - left) * steps)


def _trousers(sketch: Sketch, skeleton: Skeleton, style: LimbStyle, filled: bool) -> None:
    """Shorts: a waist, two short legs and a gap."""
    dice = sketch.hand.dice
    right, left = skeleton.legs
    if right is None or left is None:
        return
    reach, half = dice.uniform(0.5, 0.95), max(style.thickness, 0.05) * 0.6
    aside = np.array((half, 0.0))
    low_right = right.start + (right.middle - right.start) * reach
    low_left = left.start + (left.middle - left.start) * reach
    shape = dense(
        (
            right.start - aside,
            low_right - aside,
            low_right + aside,
            skeleton.root + point(0, half),
            low_left - aside,
            low_left + aside,
            left.start + aside,
        )
    )
    if filled:
        sketch.fill(shape, any_colour(dice), style.fill)
    sketch.outline(shape)


def _covered(skeleton: Skeleton, hem: Points) -> float:
    """The share of the legs above the hem, 0..0.9."""
    legs = [leg for leg in skeleton.legs if leg is not None]
    if not legs:
        return 0.0
    drop = max(float(legs[0].end[1] - legs[0].start[1]), 1e-3)
    return float(np.clip((hem[1] - legs[0].start[1]) / drop, 0.0, 0.9))
