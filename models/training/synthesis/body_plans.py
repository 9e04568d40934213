"""Body plans: whole figures, drawn part by part onto a sketch."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from models.training.synthesis.curves import Points, ellipse, merge_outlines, polyline
from models.training.synthesis.dice import Dice
from models.training.synthesis.heads import draw_face, head_outline, set_head_joints
from models.training.synthesis.limbs import (
    LimbStyle,
    draw_arms,
    draw_legs,
    sample_ends,
    sausage,
)
from models.training.synthesis.palette import any_colour
from models.training.synthesis.poses import sample_pose
from models.training.synthesis.settings import FigureKind
from models.training.synthesis.skeletons import Build, Skeleton, assemble
from models.training.synthesis.sketch import FillStyle, Sketch

__all__ = ("draw_figure",)

STICK = Build()
BODY = Build(
    neck=(-0.03, 0.02, 0.08),
    shoulders=(0.08, 0.22, 0.42),
    hips=(0.05, 0.13, 0.3),
    arm=(0.16, 0.27, 0.4),
    leg=(0.15, 0.26, 0.42),
)
TADPOLE = Build(
    head=(0.18, 0.26, 0.34),
    neck=(-0.2, -0.15, -0.1),
    trunk=(0.05, 0.1, 0.2),
    shoulders=(0.3, 0.4, 0.5),
    hips=(0.1, 0.2, 0.3),
)


def draw_figure(sketch: Sketch, kind: FigureKind) -> None:
    """Draw a figure of this kind, face and all, and set its joints."""
    _PLANS[kind](sketch)


def _stick(sketch: Sketch) -> None:
    dice = sketch.hand.dice
    hand, foot = sample_ends(dice)
    skeleton = assemble(dice, STICK, sample_pose(dice, wide=True))
    style = LimbStyle(hand=hand, foot=foot)
    skeleton = _lower_arms(skeleton, dice.uniform(0, 0.35))
    neck = skeleton.head + (skeleton.torso - skeleton.head) * _chin(skeleton)
    start = neck + (skeleton.torso - neck) * 0.0
    sketch.line(polyline((start, skeleton.torso, skeleton.root)))
    draw_arms(sketch, skeleton, style)
    draw_legs(sketch, skeleton, style)
    _head(sketch, skeleton, face=0.5)


def _outlined(sketch: Sketch) -> None:
    _body(sketch, filled=False)


def _filled(sketch: Sketch) -> None:
    _body(sketch, filled=True)


def _body(sketch: Sketch, filled: bool) -> None:
    dice = sketch.hand.dice
    skeleton = assemble(dice, BODY, sample_pose(dice, wide=False))
    hand, foot = sample_ends(dice)
    style = LimbStyle(
        dice.pick(("line", "tube", "tube", "sausage")),
        dice.uniform(0.04, 0.11),
        dice.uniform(0.5, 1.1),
        hand,
        foot,
    )
    if not filled and dice.chance(0.35):
        _merged(sketch, skeleton, style)
        return
    if filled:
        look = dice.pick(tuple(FillStyle))
        style = replace(style, sleeve=any_colour(dice), fill=look)
    draw_legs(sketch, skeleton, replace(style, sleeve=any_colour(dice) if filled else None))
    draw_arms(sketch, skeleton, style)
    trunk = _trunk(dice, skeleton)
    if filled:
        sketch.fill(trunk, any_colour(dice), style.fill)
    sketch.outline(trunk)
    _head(sketch, skeleton, face=0.8, filled=filled and dice.chance(0.5))


def _merged(sketch: Sketch, skeleton: Skeleton, style: LimbStyle) -> None:
    """One outline around trunk, limbs and perhaps the head."""
    dice = sketch.hand.dice
    thick, taper = dice.uniform(0.08, 0.14), dice.uniform(0.65, 1.1)
    limbs = (*skeleton.arms, *skeleton.legs)
    parts = [sausage(limb, thick, taper) for limb in limbs]
    parts += [ellipse(limb.start, thick * 0.6, thick * 0.6) for limb in limbs]
    parts.append(_trunk(dice, skeleton))
    together = dice.chance(0.4)
    if together:
        parts.append(head_outline(dice, skeleton, "ellipse"))
    sketch.outline(merge_outlines(parts, thick * taper * dice.uniform(0.08, 0.25)))
    bare = LimbStyle("none", hand=style.hand if dice.chance(0.4) else "none", foot="none")
    draw_arms(sketch, skeleton, bare)
    draw_legs(sketch, skeleton, bare)
    if together:
        set_head_joints(sketch, skeleton, nose_seen=True)
        draw_face(sketch, skeleton, None)
    else:
        _head(sketch, skeleton, face=0.8)


def _tadpole(sketch: Sketch) -> None:
    dice = sketch.hand.dice
    hand, foot = sample_ends(dice)
    skeleton = assemble(dice, TADPOLE, sample_pose(dice, wide=False))
    style = LimbStyle(hand=hand, foot=foot)
    draw_legs(sketch, skeleton, style)
    draw_arms(sketch, skeleton, style)
    _head(sketch, skeleton, face=0.95)


def _head(sketch: Sketch, skeleton: Skeleton, face: float, filled: bool = False) -> None:
    dice = sketch.hand.dice
    outline = head_outline(dice, skeleton)
    if filled:
        sketch.fill(outline, any_colour(dice), dice.pick(tuple(FillStyle)))
    sketch.outline(outline)
    seen = dice.chance(face)
    set_head_joints(sketch, skeleton, seen)
    if seen:
        draw_face(sketch, skeleton, None)


def _trunk(dice: Dice, skeleton: Skeleton) -> Points:
    right, left = skeleton.shoulders
    low_right, low_left = skeleton.hips
    grow = dice.uniform(0.0, 0.03)
    out = (left - right) / max(float(np.hypot(*(left - right))), 1e-9) * grow
    if dice.chance(0.3):
        middle, half = (skeleton.torso + skeleton.root) / 2, skeleton.root - skeleton.torso
        tall = float(np.hypot(*half)) / 2 * 1.1
        wide = max(float(np.hypot(*(left - right))), float(np.hypot(*(low_left - low_right)))) / 2
        return ellipse(middle, wide * 1.1, tall, float(np.arctan2(half[0], half[1])) * -1)
    corners = polyline((right - out, low_right - out, low_left + out, left + out))
    steps = np.linspace(0, 1, 6, endpoint=False)[:, None, None]
    after = np.roll(corners, -1, axis=0)
    return (corners + (after - corners) * steps).transpose(1, 0, 2).reshape(-1, 2)


def _chin(skeleton: Skeleton) -> float:
    """Where along the way from head to shoulders the head's outline ends, 0..1."""
    reach = float(np.hypot(*(skeleton.torso - skeleton.head)))
    return min(1.0, skeleton.radii[1] / max(reach, 1e-9))


def _lower_arms(skeleton: Skeleton, share: float) -> Skeleton:
    """The same figure with its arms (and so its shoulders) a share down the spine."""
    by = (skeleton.root - skeleton.torso) * share
    arms = tuple(
        replace(a, start=a.start + by, middle=a.middle + by, end=a.end + by) for a in skeleton.arms
    )
    return replace(skeleton, arms=(arms[0], arms[1]))


_PLANS: Mapping[FigureKind, Callable[[Sketch], None]] = {
    FigureKind.STICK: _stick,
    FigureKind.OUTLINED: _outlined,
    FigureKind.FILLED: _filled,
    FigureKind.TADPOLE: _tadpole,
}
