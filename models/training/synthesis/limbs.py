"""Limbs: arms and legs as lines, tubes or sausages, with their joints."""

from dataclasses import dataclass

import numpy as np

from models.training.synthesis.curves import Points, direction, polyline, ribbon
from models.training.synthesis.dice import Dice
from models.training.synthesis.hands import FOOT_SHARES, HAND_SHARES, draw_foot, draw_hand
from models.training.synthesis.palette import Colour
from models.training.synthesis.skeletons import SIDES, Limb, Skeleton
from models.training.synthesis.sketch import FillStyle, Sketch

__all__ = ("LimbStyle", "draw_arms", "draw_legs", "sausage", "set_limb_joints")

ARM_JOINTS = ("shoulder", "elbow", "wrist")
LEG_JOINTS = ("hip", "knee", "ankle")


@dataclass(frozen=True, slots=True)
class LimbStyle:
    """How all limbs of a figure are drawn.

    Attributes:
        form: "line", "tube" (two strokes, open end), "sausage" (closed) or "none" (not drawn).
        thickness: of tubes and sausages at their start, share of the height.
        taper: thickness at the end over that at the start.
        hand: kind of hand.
        foot: kind of foot.
        sleeve: colour of a filled limb; None for none.
        fill: how it is coloured in.
    """

    form: str = "line"
    thickness: float = 0.06
    taper: float = 0.8
    hand: str = "none"
    foot: str = "none"
    sleeve: Colour | None = None
    fill: FillStyle = FillStyle.FLAT


def sample_ends(dice: Dice) -> tuple[str, str]:
    """Kinds of hand and foot that go together."""
    hand = dice.weighted(HAND_SHARES)
    if hand == "fork" and dice.chance(0.7):
        return hand, "fork"
    foot = dice.weighted(FOOT_SHARES)
    return hand, "none" if foot == "fork" and hand == "none" else foot


def draw_arms(sketch: Sketch, skeleton: Skeleton, style: LimbStyle) -> None:
    """Draw both arms with their hands and set their joints."""
    for side, limb in zip(SIDES, skeleton.arms, strict=True):
        _limb(sketch, limb, style)
        draw_hand(sketch, limb, style.hand, style.sleeve)
        set_limb_joints(sketch, side, limb, ARM_JOINTS)


def draw_legs(sketch: Sketch, skeleton: Skeleton, style: LimbStyle) -> None:
    """Draw both legs with their feet and set their joints."""
    dice = sketch.hand.dice
    same = dice.sign() if dice.chance(0.3) else 0.0
    for side, limb in zip(SIDES, skeleton.legs, strict=True):
        _limb(sketch, limb, style)
        outwards = same or (-1.0 if side == "right" else 1.0)
        draw_foot(sketch, limb, style.foot, outwards)
        set_limb_joints(sketch, side, limb, LEG_JOINTS)


def set_limb_joints(sketch: Sketch, side: str, limb: Limb, names: tuple[str, str, str]) -> None:
    """Set the three joints of a limb."""
    for name, place in zip(names, (limb.start, limb.middle, limb.end), strict=True):
        sketch.joint(f"{side}_{name}", place)


def sausage(limb: Limb, thickness: float, taper: float, tip: bool = True) -> Points:
    """Closed outline of a limb with a round end."""
    path = _dense(limb.path)
    left, right = ribbon(path, thickness / 2, thickness * taper / 2)
    if not tip:
        return np.concatenate((left, right[::-1]))
    reach = thickness * taper / 2
    turns = np.linspace(-1.2, 1.2, 5)
    cap = [path[-1] + direction(limb.heading - turn) * reach for turn in turns]
    flip = np.hypot(*(cap[0] - left[-1])) > np.hypot(*(cap[-1] - left[-1]))
    return np.concatenate((left, polyline(cap[::-1] if flip else cap), right[::-1]))


def _limb(sketch: Sketch, limb: Limb, style: LimbStyle) -> None:
    if style.form == "none":
        return
    if style.form == "line":
        sketch.line(_loosen(sketch, limb.path))
        return
    shape = sausage(limb, style.thickness, style.taper, style.form == "sausage")
    if style.sleeve is not None:
        sketch.fill(shape, style.sleeve, style.fill)
    if style.form == "tube":
        half = len(shape) // 2
        sketch.line(_loosen(sketch, shape[:half]))
        sketch.line(_loosen(sketch, shape[half:][::-1]))
        sketch.solid(shape)
    else:
        sketch.outline(shape)


def _loosen(sketch: Sketch, path: Points) -> Points:
    """Let a stroke begin a little before or after where it should."""
    gap = sketch.hand.dice.normal(sketch.hand.gap / 2)
    way = path[1] - path[0]
    away = way / max(float(np.hypot(*way)), 1e-9) * min(gap, float(np.hypot(*way)) / 2)
    return np.concatenate(((path[0] + away)[None], path[1:]))


def _dense(path: Points) -> Points:
    if len(path) > 3:
        return path
    steps = np.linspace(0, 1, 5, endpoint=False)[:, None]
    legs = [a + (b - a) * steps for a, b in zip(path[:-1], path[1:], strict=True)]
    return np.concatenate((*legs, path[-1:]))
