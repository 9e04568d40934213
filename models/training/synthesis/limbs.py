"""Limbs: arms and legs as lines, tubes or sausages, with their joints."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from models.training.synthesis.curves import Points, direction, polyline, ribbon
from models.training.synthesis.hands import draw_foot, draw_hand
from models.training.synthesis.palette import Colour
from models.training.synthesis.settings import FootKind, HandKind
from models.training.synthesis.skeletons import SIDES, Limb, LimbPair, Skeleton
from models.training.synthesis.sketch import FillStyle, Sketch

__all__ = ("LimbStyle", "draw_arms", "draw_legs", "loosen", "sample_ends", "sausage")

ARM_JOINTS = ("shoulder", "elbow", "wrist")
LEG_JOINTS = ("hip", "knee", "ankle")


@dataclass(frozen=True, slots=True)
class LimbStyle:
    """How the limbs of a figure are drawn.

    Attributes:
        form: "line", "joined" (both limbs in one stroke), "tube" (two strokes, open end),
            "sausage" (closed), "wire" (zigzag) or "none" (not drawn).
        thickness: of tubes and sausages at their start, share of the height.
        taper: thickness at the end over that at the start.
        hand: kind of hand.
        foot: kind of foot.
        cover: colour of a filled limb; None for none.
        cuff: where a sleeve ends, 0..1 of the limb; 1 colours it whole.
        fill: how it is coloured in.
        bare: whether coloured limbs have no outline.
        hidden: share of the limb, from its start, that lies under clothes and is not drawn.
    """

    form: str = "line"
    thickness: float = 0.06
    taper: float = 0.8
    hand: HandKind = HandKind.NONE
    foot: FootKind = FootKind.NONE
    cover: Colour | None = None
    cuff: float = 1.0
    fill: FillStyle = FillStyle.FLAT
    bare: bool = False
    hidden: float = 0.0


def sample_ends(sketch: Sketch) -> tuple[HandKind, FootKind]:
    """Kinds of hand and foot that go together: forks on both ends are common."""
    dice, look = sketch.hand.dice, sketch.look
    hand, foot = dice.weighted(look.hands), dice.weighted(look.feet)
    if hand is HandKind.FORK and look.feet.get(FootKind.FORK, 0) > 0 and dice.chance(0.6):
        foot = FootKind.FORK
    if hand is HandKind.NONE and foot is FootKind.FORK and look.feet.get(FootKind.NONE, 0) > 0:
        foot = FootKind.NONE
    return hand, foot


def draw_arms(sketch: Sketch, skeleton: Skeleton, style: LimbStyle) -> None:
    """Draw both arms with their hands and set their joints."""
    _pair(sketch, skeleton.arms, style)
    for side, limb, shoulder in zip(SIDES, skeleton.arms, skeleton.shoulders, strict=True):
        if limb is None:
            sketch.joint(f"{side}_shoulder", shoulder, seen=False)
            continue
        kind = HandKind.NONE if sketch.hand.dice.chance(0.04) else style.hand
        draw_hand(sketch, limb, kind, style.cover if style.bare else None)
        _set_joints(sketch, side, limb, ARM_JOINTS)


def draw_legs(sketch: Sketch, skeleton: Skeleton, style: LimbStyle) -> None:
    """Draw both legs with their feet and set their joints; hips under clothes count as hidden."""
    dice = sketch.hand.dice
    _pair(sketch, skeleton.legs, style)
    same = dice.sign() if dice.chance(0.3) else 0.0
    for side, limb, hip in zip(SIDES, skeleton.legs, skeleton.hips, strict=True):
        if limb is None:
            sketch.joint(f"{side}_hip", hip, seen=False)
            continue
        outwards = same or (-1.0 if side == "right" else 1.0)
        draw_foot(sketch, limb, style.foot, (outwards, style.cover if style.bare else None))
        _set_joints(sketch, side, limb, LEG_JOINTS)
        if style.hidden > 0.05:
            sketch.joint(f"{side}_hip", limb.start, seen=False)
        if style.hidden >= 0.5:
            sketch.joint(f"{side}_knee", limb.middle, seen=False)


def sausage(limb: Limb, thickness: float, taper: float, tip: bool = True) -> Points:
    """Closed outline of a limb; with a round end when `tip`."""
    return _tube(_dense(limb.path), thickness, taper, tip)


def loosen(sketch: Sketch, path: Points, reach: float | None = None) -> Points:
    """Let a stroke begin a little before or after where it should; `reach` overrides the hand's."""
    gap = sketch.hand.dice.normal(sketch.hand.gap / 2) if reach is None else reach
    way = path[1] - path[0]
    length = max(float(np.hypot(*way)), 1e-9)
    return np.concatenate(((path[0] + way / length * min(gap, length * 0.8))[None], path[1:]))


def _pair(sketch: Sketch, limbs: LimbPair, style: LimbStyle) -> None:
    right, left = limbs
    meet = right is not None and left is not None and np.allclose(right.start, left.start)
    if style.form == "joined" and meet and right is not None and left is not None:
        sketch.line(np.concatenate((right.path[::-1], left.path[1:])))
        return
    detached = sketch.chance(sketch.look.detached, "detached")
    for limb in limbs:
        if limb is not None and style.form != "none":
            gap = sketch.hand.dice.uniform(0.03, 0.08) if detached else None
            _limb(sketch, limb, style, gap)


def _limb(sketch: Sketch, limb: Limb, style: LimbStyle, gap: float | None) -> None:
    path = _dense(limb.path)
    first = min(round(style.hidden * (len(path) - 1)), len(path) - 2)
    path = loosen(sketch, path[first:], gap)
    if style.form in ("line", "joined"):
        sketch.line(path)
    elif style.form == "wire":
        left, right = ribbon(path, style.thickness / 2, style.thickness / 2)
        sketch.line(np.where((np.arange(len(path)) % 2)[:, None], left, right))
    else:
        _thick(sketch, path, style)


def _thick(sketch: Sketch, path: Points, style: LimbStyle) -> None:
    shape = _tube(path, style.thickness, style.taper, style.form == "sausage")
    if style.cover is not None:
        cut = max(3, round(style.cuff * len(path)))
        area = shape if style.cuff >= 1 else _tube(path[:cut], style.thickness, style.taper, False)
        sketch.fill(area, style.cover, style.fill)
    if style.bare and style.cover is not None:
        sketch.solid(shape)
    elif style.form == "tube":
        half = len(shape) // 2
        sketch.line(loosen(sketch, shape[:half]))
        sketch.line(loosen(sketch, shape[half:][::-1]))
        sketch.solid(shape)
    else:
        sketch.outline(shape)


def _set_joints(sketch: Sketch, side: str, limb: Limb, names: tuple[str, str, str]) -> None:
    for name, place in zip(names, (limb.start, limb.middle, limb.end), strict=True):
        sketch.joint(f"{side}_{name}", place)


def _tube(path: Points, thickness: float, taper: float, tip: bool) -> Points:
    left, right = ribbon(path, thickness / 2, thickness * taper / 2)
    if not tip:
        return np.concatenate((left, right[::-1]))
    way = path[-1] - path[-2]
    heading, reach = float(np.arctan2(way[0], way[1])), thickness * taper / 2
    cap = [path[-1] + direction(heading - turn) * reach for turn in np.linspace(-1.2, 1.2, 5)]
    flip = np.hypot(*(cap[0] - left[-1])) > np.hypot(*(cap[-1] - left[-1]))
    return np.concatenate((left, polyline(cap[::-1] if flip else cap), right[::-1]))


def _dense(path: Points) -> Points:
    if len(path) > 3:
        return path
    steps = np.linspace(0, 1, 5, endpoint=False)[:, None]
    legs = [a + (b - a) * steps for a, b in pairwise(path)]
    return np.concatenate((*legs, path[-1:]))
