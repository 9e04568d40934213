"""Finish: what all body plans share: the choice of pose before, hair and extras after."""

from models.training.synthesis.attire import draw_held, draw_worn
from models.training.synthesis.hair import draw_hair, draw_headgear
from models.training.synthesis.poses import Pose, profile_pose, sample_pose, special_pose
from models.training.synthesis.skeletons import Skeleton
from models.training.synthesis.sketch import Sketch

__all__ = ("choose_pose", "dress_up")


def choose_pose(sketch: Sketch, wide: bool) -> Pose:
    """A standing pose, or in the shares that the look says a special one or a profile."""
    if sketch.chance(sketch.look.special, "special"):
        return special_pose(sketch.hand.dice, wide, sketch.look.poses)
    if sketch.chance(sketch.look.profile, "profile"):
        return profile_pose(sketch.hand.dice)
    return sample_pose(sketch.hand.dice, wide)


def dress_up(sketch: Sketch, skeleton: Skeleton) -> None:
    """Add hair, headgear and extras in the shares that the look says."""
    look = sketch.look
    if sketch.chance(look.hair, "hair"):
        draw_hair(sketch, skeleton)
    if sketch.chance(look.headgear, "headgear"):
        draw_headgear(sketch, skeleton)
    if sketch.chance(look.worn, "worn"):
        draw_worn(sketch, skeleton)
    if sketch.chance(look.held, "held"):
        draw_held(sketch, skeleton)
