"""Poses: the angles of a figure's limbs."""

from dataclasses import dataclass

import numpy as np

from models.training.synthesis.dice import Dice

__all__ = ("LimbPose", "Pose", "sample_pose")


@dataclass(frozen=True, slots=True)
class LimbPose:
    """One arm or leg.

    Attributes:
        angle: of the limb as a whole, radians from straight down, outwards positive.
        bend: turn at the elbow or knee, radians, outwards and up positive.
        sharp: whether the bend is a corner rather than a bow.
    """

    angle: float
    bend: float = 0.0
    sharp: bool = False


@dataclass(frozen=True, slots=True)
class Pose:
    """A whole figure; of each pair the character's right one comes first.

    Attributes:
        lean: of the spine, radians from upright, clockwise positive.
        arms: right and left arm.
        legs: right and left leg.
        profile: -1 or 1 when all limbs point to one side, 0 when frontal.
    """

    lean: float
    arms: tuple[LimbPose, LimbPose]
    legs: tuple[LimbPose, LimbPose]
    profile: int = 0


def sample_pose(dice: Dice, wide: bool) -> Pose:
    """A standing pose; `wide` figures spread their limbs as stick figures do."""
    lean = np.deg2rad(dice.normal(5 if wide else 3))
    return Pose(lean, _pair(dice, _arm(dice, wide)), _pair(dice, _leg(dice, wide)))


def _pair(dice: Dice, first: LimbPose) -> tuple[LimbPose, LimbPose]:
    spread = 0.12 if dice.chance(0.75) else 0.45
    second = LimbPose(first.angle + dice.normal(spread), _bend(dice), dice.chance(0.3))
    return (first, second) if dice.chance(0.5) else (second, first)


def _arm(dice: Dice, wide: bool) -> LimbPose:
    bands = {(70, 110): 4.0, (110, 150): 1.8, (5, 22): 0.6 if wide else 1.5, (25, 72): 3.6}
    return LimbPose(np.deg2rad(dice.uniform(*dice.weighted(bands))), _bend(dice), dice.chance(0.3))


def _leg(dice: Dice, wide: bool) -> LimbPose:
    degrees = dice.spread((2, 42, 85) if wide else (-5, 6, 42))
    return LimbPose(np.deg2rad(degrees), _bend(dice) * 0.8, dice.chance(0.3))


def _bend(dice: Dice) -> float:
    if dice.chance(0.7):
        return float(np.deg2rad(dice.normal(6)))
    return float(np.deg2rad(dice.normal(28)))
