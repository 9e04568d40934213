"""Skeletons: where the joints of a figure lie, in a unit of about its height (y down)."""

from dataclasses import dataclass, replace

import numpy as np

from models.training.synthesis.curves import Points, bend_through, direction, point, polyline
from models.training.synthesis.dice import Dice, Spread
from models.training.synthesis.poses import LimbPose, Pose

__all__ = (
    "SIDES",
    "Build",
    "Limb",
    "LimbPair",
    "Skeleton",
    "assemble",
    "lose_limbs",
    "lower_arms",
    "move_limb",
)

SIDES = ("right", "left")
"""Order of every pair; the character's right is on the picture's left."""


@dataclass(frozen=True, slots=True)
class Build:
    """Proportions of a kind of figure, shares of its height.

    Attributes:
        head: half the head's height.
        aspect: head width over height.
        neck: from chin to shoulders; negative when the head covers them.
        trunk: shoulders to hips.
        shoulders: distance between the shoulders.
        hips: distance between the hips.
        arm: length without the hand.
        leg: length without the foot.
    """

    head: Spread = (0.08, 0.14, 0.3)
    aspect: Spread = (0.75, 1.0, 1.9)
    neck: Spread = (-0.02, 0.05, 0.16)
    trunk: Spread = (0.14, 0.27, 0.42)
    shoulders: Spread = (0.0, 0.0, 0.0)
    hips: Spread = (0.0, 0.0, 0.0)
    arm: Spread = (0.15, 0.27, 0.42)
    leg: Spread = (0.15, 0.28, 0.44)


@dataclass(frozen=True, slots=True, eq=False)
class Limb:
    """An arm or a leg.

    Attributes:
        start: shoulder or hip, (2,).
        middle: elbow or knee, (2,).
        end: wrist or ankle, (2,).
        sharp: whether the middle is a corner.
    """

    start: Points
    middle: Points
    end: Points
    sharp: bool

    @property
    def path(self) -> Points:
        """The limb's middle line, (N, 2)."""
        if self.sharp:
            return polyline((self.start, self.middle, self.end))
        return bend_through(self.start, self.middle, self.end)

    @property
    def heading(self) -> float:
        """Direction in which the limb ends, radians from straight down, towards +x positive."""
        way = self.end - self.middle
        return float(np.arctan2(way[0], way[1]))

    @property
    def length(self) -> float:
        """From start to end along the middle."""
        upper, lower = self.middle - self.start, self.end - self.middle
        return float(np.hypot(*upper) + np.hypot(*lower))


LimbPair = tuple[Limb | None, Limb | None]


@dataclass(frozen=True, slots=True, eq=False)
class Skeleton:
    """Joints of one figure; pairs hold the character's right one first.

    Attributes:
        head: centre of the head, (2,).
        radii: half the head's width and height.
        tilt: of the head, radians, clockwise.
        shoulders: both shoulders, (2, 2).
        hips: both hips, (2, 2).
        arms: two arms, None where one is missing.
        legs: two legs, None where one is missing.
    """

    head: Points
    radii: tuple[float, float]
    tilt: float
    shoulders: Points
    hips: Points
    arms: LimbPair
    legs: LimbPair

    @property
    def torso(self) -> Points:
        """Middle of the shoulders, (2,)."""
        return np.asarray(self.shoulders.mean(0))

    @property
    def root(self) -> Points:
        """Middle of the hips, (2,)."""
        return np.asarray(self.hips.mean(0))

    def hung_on(self, shoulders: Points, hips: Points) -> "Skeleton":
        """The same figure with its limbs moved to other shoulders and hips, each (2, 2)."""
        arms = [_hang(limb, at) for limb, at in zip(self.arms, shoulders, strict=True)]
        legs = [_hang(limb, at) for limb, at in zip(self.legs, hips, strict=True)]
        return replace(
            self,
            shoulders=shoulders,
            hips=hips,
            arms=(arms[0], arms[1]),
            legs=(legs[0], legs[1]),
        )


def assemble(dice: Dice, build: Build, pose: Pose) -> Skeleton:
    """Put a figure of these proportions into a pose."""
    up = direction(np.pi - pose.lean)
    across = point(-up[1], up[0])
    root = point(0.0, 0.0)
    torso = root + up * dice.spread(build.trunk)
    half_height = dice.spread(build.head)
    half_width = half_height * dice.spread(build.aspect)
    tilt = pose.lean + dice.normal(0.08)
    head = torso + direction(np.pi - tilt) * (half_height + dice.spread(build.neck))
    shoulders = _pair(torso, across * dice.spread(build.shoulders) / 2)
    hips = _pair(root, across * dice.spread(build.hips) / 2)
    arm, leg = dice.spread(build.arm), dice.spread(build.leg)
    radii = (half_width, half_height)
    arms = [
        _limb_beside(dice, shoulders[i], head, radii, (-1.0, 1.0)[i])
        if pose.beside_head[i]
        else _limb(dice, shoulders[i], pose.arms[i], arm, _side(pose, i))
        for i in (0, 1)
    ]
    legs = [_limb(dice, hips[i], pose.legs[i], leg, _side(pose, i)) for i in (0, 1)]
    limbs = (arms[0], arms[1]), (legs[0], legs[1])
    return Skeleton(head, radii, tilt, shoulders, hips, *limbs)


def move_limb(limb: Limb, by: Points) -> Limb:
    """The same limb elsewhere."""
    return replace(limb, start=limb.start + by, middle=limb.middle + by, end=limb.end + by)


def lower_arms(skeleton: Skeleton, shares: tuple[float, float]) -> Skeleton:
    """The same figure with each arm, and so its shoulder, a share of the trunk further down."""
    way = skeleton.root - skeleton.torso
    right, left = (
        None if arm is None else move_limb(arm, way * share)
        for arm, share in zip(skeleton.arms, shares, strict=True)
    )
    return replace(skeleton, arms=(right, left))


def lose_limbs(dice: Dice, skeleton: Skeleton) -> Skeleton:
    """The same figure without an arm, a leg, or any legs, with one too short, or both in one."""
    arms, legs = list(skeleton.arms), list(skeleton.legs)
    what = dice.weighted({"arm": 1.0, "leg": 1.0, "legs": 1.0, "short": 1.5, "joined": 1.0})
    side = dice.integer(0, 1)
    if what == "arm":
        arms[side] = None
    elif what == "leg":
        legs[side] = None
    elif what == "legs":
        legs = [None, None]
    elif what == "joined":
        legs = [_straight_down(dice, leg) for leg in legs]
    elif (limb := legs[side]) is not None:
        shrink = dice.uniform(0.35, 0.6)
        legs[side] = replace(
            limb,
            middle=limb.start + (limb.middle - limb.start) * shrink,
            end=limb.start + (limb.end - limb.start) * shrink,
        )
    return replace(skeleton, arms=(arms[0], arms[1]), legs=(legs[0], legs[1]))


def _straight_down(dice: Dice, leg: Limb | None) -> Limb | None:
    """A leg that goes on where the trunk ends, so that two look like one."""
    if leg is None:
        return None
    way = point(0, leg.length * dice.uniform(0.6, 1.0))
    return Limb(leg.start, leg.start + way / 2, leg.start + way, sharp=False)


def _hang(limb: Limb | None, place: Points) -> Limb | None:
    return None if limb is None else move_limb(limb, place - limb.start)


def _pair(middle: Points, half: Points) -> Points:
    return np.stack((middle - half, middle + half))


def _side(pose: Pose, index: int) -> float:
    return float(pose.profile) if pose.profile else (-1.0, 1.0)[index]


def _limb(dice: Dice, start: Points, pose: LimbPose, length: float, side: float) -> Limb:
    length *= 1 + dice.normal(0.1)
    half = length / 2 * (1 + dice.normal(0.06))
    upper = side * (pose.angle - pose.bend / 2)
    lower = side * (pose.angle + pose.bend / 2)
    middle = start + direction(upper) * half
    end = middle + direction(lower) * (length - half)
    return Limb(start, middle, end, pose.sharp or abs(pose.bend) > 1.0)


def _limb_beside(
    dice: Dice, start: Points, head: Points, radii: tuple[float, float], side: float
) -> Limb:
    """An arm that goes out and then up past the head, with room between; or bent over it."""
    room = radii[0] + dice.uniform(0.03, 0.15)
    low = max(start[1] - dice.uniform(-0.03, 0.1), head[1] + radii[1] * 0.3)
    elbow = point(head[0] + side * (room + dice.uniform(0.0, 0.06)), low)
    up = head[1] - radii[1] * dice.uniform(-0.3, 1.6)
    lean = dice.uniform(-0.06, 0.1) if up < head[1] - radii[1] else dice.uniform(0.0, 0.1)
    wrist = point(head[0] + side * (room + lean), min(up, low - 0.06))
    return Limb(start, elbow, wrist, sharp=dice.chance(0.6))
