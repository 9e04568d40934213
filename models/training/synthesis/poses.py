"""Poses: the angles of a figure's limbs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from models.training.synthesis.dice import Dice
from models.training.synthesis.settings import SpecialPose

__all__ = ("LimbPose", "Pose", "profile_pose", "sample_pose", "special_pose")


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
        beside_head: which arms go up past the head, with room between; their angles do not count.
    """

    lean: float
    arms: tuple[LimbPose, LimbPose]
    legs: tuple[LimbPose, LimbPose]
    profile: int = 0
    beside_head: tuple[bool, bool] = (False, False)


def sample_pose(dice: Dice, wide: bool) -> Pose:
    """A standing pose; `wide` figures spread their limbs as stick figures do."""
    lean = float(np.deg2rad(dice.normal(6 if wide else 3)))
    return Pose(lean, _pair(dice, _arm(dice, wide)), _pair(dice, _leg(dice, wide)))


def special_pose(dice: Dice, wide: bool, weights: Mapping[SpecialPose, float]) -> Pose:
    """A pose from yoga, sports or play, by its weight."""
    return _SPECIAL[dice.weighted(weights)](dice, sample_pose(dice, wide))


def profile_pose(dice: Dice) -> Pose:
    """All limbs to one side, as in a figure that walks across the page."""
    side = 1 if dice.chance(0.5) else -1
    arm, leg = dice.uniform(50, 100), dice.uniform(-5, 25)
    arms = bent(arm, dice.normal(12)), bent(arm + dice.uniform(-45, -12), dice.normal(12))
    legs = bent(leg + dice.uniform(15, 60), dice.normal(15)), bent(leg, dice.normal(8))
    return Pose(dice.normal(0.08) + 0.08 * side, arms, legs, side)


def bent(angle: float, bend: float = 0.0, sharp: bool = False) -> LimbPose:
    """A limb from degrees."""
    return LimbPose(float(np.deg2rad(angle)), float(np.deg2rad(bend)), sharp)


def _elbowed(dice: Dice, upper: float, lower: float, slack: float = 12.0) -> LimbPose:
    """A limb with a corner, from the directions of both halves in degrees."""
    upper, lower = upper + dice.normal(slack), lower + dice.normal(slack)
    return bent((upper + lower) / 2, lower - upper, dice.chance(0.75))


def _hands_on_hips(dice: Dice, base: Pose) -> Pose:
    arms = _elbowed(dice, 50, -55), _elbowed(dice, 50, -55)
    if dice.chance(0.3):
        arms = (arms[0], base.arms[1])
    return Pose(base.lean, arms, base.legs)


def _waving(dice: Dice, base: Pose) -> Pose:
    waving = _elbowed(dice, 75, 165)
    both = dice.chance(0.35)
    right = waving if both or dice.chance(0.5) else base.arms[0]
    left = _elbowed(dice, 75, 165) if both or right is base.arms[0] else base.arms[1]
    return Pose(base.lean, (right, left), base.legs)


def _arms_up(dice: Dice, base: Pose) -> Pose:
    top = dice.uniform(150, 178)
    return Pose(base.lean, (bent(top, dice.normal(20)), bent(top, dice.normal(20))), base.legs)


def _beside_head(dice: Dice, base: Pose) -> Pose:
    which = dice.weighted({(True, True): 3.0, (True, False): 1.0, (False, True): 1.0})
    return replace(base, lean=base.lean / 2, beside_head=which)


def _tree(dice: Dice, base: Pose) -> Pose:
    straight, folded = bent(dice.normal(4)), _elbowed(dice, 55, -50)
    legs = (straight, folded) if dice.chance(0.5) else (folded, straight)
    return Pose(base.lean / 2, _arms_up(dice, base).arms if dice.chance(0.6) else base.arms, legs)


def _leg_up(dice: Dice, base: Pose) -> Pose:
    straight, raised = bent(dice.normal(5)), _elbowed(dice, dice.uniform(60, 100), 20, 25)
    legs = (straight, raised) if dice.chance(0.5) else (raised, straight)
    return Pose(base.lean, base.arms, legs)


def _running(dice: Dice, base: Pose) -> Pose:
    side = 1 if dice.chance(0.5) else -1
    arms = _elbowed(dice, 55, 130), _elbowed(dice, -50, 30)
    legs = _elbowed(dice, 60, 5, 15), _elbowed(dice, -20, -75, 15)
    if dice.chance(0.5):
        arms, legs = arms[::-1], legs[::-1]
    return Pose(base.lean / 2 + 0.2 * side, arms, legs, side)


def _kneeling(dice: Dice, base: Pose) -> Pose:
    side = 1 if dice.chance(0.5) else -1
    legs = _elbowed(dice, dice.uniform(0, 70), -80), _elbowed(dice, dice.uniform(0, 20), -85)
    arms = bent(dice.uniform(20, 90), dice.normal(20)), bent(dice.uniform(-90, 80), dice.normal(20))
    return Pose(base.lean, arms, legs, side)


def _sitting(dice: Dice, base: Pose) -> Pose:
    side = 1 if dice.chance(0.5) else -1
    down = dice.uniform(0, 85)
    legs = _elbowed(dice, 85, down), _elbowed(dice, 80, down)
    arms = bent(dice.uniform(20, 80), dice.normal(20)), bent(dice.uniform(-40, 60), dice.normal(20))
    return Pose(base.lean, arms, legs, side)


def _cross_legged(dice: Dice, base: Pose) -> Pose:
    legs = _elbowed(dice, 80, -70, 8), _elbowed(dice, 80, -70, 8)
    arms = (_elbowed(dice, 40, 0), _elbowed(dice, 40, 0)) if dice.chance(0.6) else base.arms
    return Pose(base.lean / 2, arms, legs)


def _arm_across(dice: Dice, base: Pose) -> Pose:
    across = _elbowed(dice, 25, -70)
    return Pose(
        base.lean, (across, base.arms[1]) if dice.chance(0.5) else (base.arms[0], across), base.legs
    )


def _downward_dog(dice: Dice, base: Pose) -> Pose:
    side = 1 if dice.chance(0.5) else -1
    arm, leg = dice.uniform(25, 60), dice.uniform(-50, -20)
    arms = bent(arm, base.arms[0].bend * 20), bent(arm + dice.normal(10))
    legs = bent(leg), bent(leg + dice.normal(12))
    return Pose(side * dice.uniform(1.7, 2.3), arms, legs, side)


_SPECIAL: Mapping[SpecialPose, Callable[[Dice, Pose], Pose]] = {
    SpecialPose.HANDS_ON_HIPS: _hands_on_hips,
    SpecialPose.WAVING: _waving,
    SpecialPose.ARMS_UP: _arms_up,
    SpecialPose.BESIDE_HEAD: _beside_head,
    SpecialPose.TREE: _tree,
    SpecialPose.LEG_UP: _leg_up,
    SpecialPose.RUNNING: _running,
    SpecialPose.KNEELING: _kneeling,
    SpecialPose.SITTING: _sitting,
    SpecialPose.CROSS_LEGGED: _cross_legged,
    SpecialPose.ARM_ACROSS: _arm_across,
    SpecialPose.DOWNWARD_DOG: _downward_dog,
}


def _pair(dice: Dice, first: LimbPose) -> tuple[LimbPose, LimbPose]:
    spread = 0.12 if dice.chance(0.75) else 0.45
    second = LimbPose(first.angle + dice.normal(spread), _bend(dice), dice.chance(0.3))
    return (first, second) if dice.chance(0.5) else (second, first)


def _arm(dice: Dice, wide: bool) -> LimbPose:
    bands = {(70, 110): 4.0, (110, 155): 1.8, (5, 22): 0.5 if wide else 1.5, (25, 72): 3.6}
    return LimbPose(np.deg2rad(dice.uniform(*dice.weighted(bands))), _bend(dice), dice.chance(0.3))


def _leg(dice: Dice, wide: bool) -> LimbPose:
    degrees = dice.spread((2, 42, 88) if wide else (-5, 6, 42))
    return LimbPose(np.deg2rad(degrees), _bend(dice) * 0.8, dice.chance(0.3))


def _bend(dice: Dice) -> float:
    return float(np.deg2rad(dice.normal(6 if dice.chance(0.7) else 28)))
