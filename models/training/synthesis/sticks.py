"""Sticks: figures of single strokes."""

from dataclasses import replace

import numpy as np

from models.training.synthesis.curves import bend_through, polyline
from models.training.synthesis.dice import Dice
from models.training.synthesis.finish import choose_pose, dress_up
from models.training.synthesis.heads import draw_head
from models.training.synthesis.limbs import LimbStyle, draw_arms, draw_legs, loosen, sample_ends
from models.training.synthesis.palette import any_colour
from models.training.synthesis.skeletons import (
    Build,
    Skeleton,
    assemble,
    lose_limbs,
    lower_arms,
)
from models.training.synthesis.sketch import Sketch

__all__ = ("draw_stick", "draw_tadpole")

STICK = Build()
TADPOLE = Build(
    head=(0.18, 0.26, 0.34),
    neck=(-0.2, -0.15, -0.1),
    trunk=(0.05, 0.1, 0.2),
    shoulders=(0.3, 0.4, 0.5),
    hips=(0.1, 0.2, 0.3),
)


def draw_stick(sketch: Sketch) -> None:
    """A head on a line, with lines for limbs."""
    dice = sketch.hand.dice
    skeleton = assemble(dice, STICK, choose_pose(sketch, wide=True))
    skeleton = lower_arms(skeleton, _attachments(dice))
    if sketch.chance(sketch.look.missing, "missing"):
        skeleton = lose_limbs(dice, skeleton)
    hand, foot = sample_ends(sketch)
    style = LimbStyle(_form(dice), 0.03, 1.0, hand, foot)
    _spine(sketch, skeleton)
    draw_arms(sketch, skeleton, style)
    draw_legs(sketch, skeleton, replace(style, form=_form(dice)))
    colour = any_colour(dice) if dice.chance(0.06) else None
    draw_head(sketch, skeleton, 0.8, colour)
    dress_up(sketch, skeleton)


def draw_tadpole(sketch: Sketch) -> None:
    """A large head from which the limbs grow."""
    dice = sketch.hand.dice
    skeleton = assemble(dice, TADPOLE, choose_pose(sketch, wide=False))
    skeleton = _limbs_at_head(dice, skeleton)
    if sketch.chance(sketch.look.missing, "missing"):
        skeleton = lose_limbs(dice, skeleton)
    hand, foot = sample_ends(sketch)
    form = dice.pick(("line", "line", "tube"))
    style = LimbStyle(form, dice.uniform(0.03, 0.07), 0.9, hand, foot)
    draw_legs(sketch, skeleton, style)
    draw_arms(sketch, skeleton, style)
    colour = any_colour(dice) if dice.chance(0.25) else None
    draw_head(sketch, skeleton, 1.4, colour)
    dress_up(sketch, skeleton)


def _attachments(dice: Dice) -> tuple[float, float]:
    share = dice.spread((0.0, 0.1, 0.55))
    return (share, share) if dice.chance(0.88) else (share, dice.uniform(0, 0.6))


def _form(dice: Dice) -> str:
    return dice.weighted({"line": 6.0, "joined": 3.0, "wire": 0.15})


def _spine(sketch: Sketch, skeleton: Skeleton) -> None:
    dice = sketch.hand.dice
    reach = float(np.hypot(*(skeleton.torso - skeleton.head)))
    chin = min(1.0, skeleton.radii[1] / max(reach, 1e-9))
    start = skeleton.head + (skeleton.torso - skeleton.head) * chin
    end = skeleton.root
    if dice.chance(0.08):
        end = end + (end - start) * dice.uniform(0.03, 0.12)
    line = bend_through(start, (start + end) / 2, end)
    if dice.chance(0.1):
        line = np.concatenate((line[:-1], polyline((end, end + dice.array.normal(0, 0.02, 2)))))
    sketch.line(loosen(sketch, line))


def _limbs_at_head(dice: Dice, skeleton: Skeleton) -> Skeleton:
    """Let arms and legs start on the head's outline."""
    rx, ry = skeleton.radii
    arm_turn, leg_turn = dice.uniform(0.9, 1.7), dice.uniform(0.15, 0.7)
    shoulders = skeleton.head + polyline(
        [(s * rx * np.sin(arm_turn), ry * np.cos(arm_turn)) for s in (-1, 1)]
    )
    hips = skeleton.head + polyline(
        [(s * rx * np.sin(leg_turn), ry * np.cos(leg_turn)) for s in (-1, 1)]
    )
    return skeleton.hung_on(shoulders, hips)
