"""A drawn figure follows a motion: its limbs move, its feet hold, what hangs loose swings."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from animator.core.motion import Motion, RetargetMap
from animator.core.pose import NO_LENGTH, PoseSequence, joint_positions
from animator.core.skeleton import Skeleton
from animator.core.spaces import FigureToWorld
from animator.motion.contact import find_contact
from animator.motion.ground import Leg, hold_feet
from animator.motion.limbs import fit_map
from animator.motion.project import choose_views, points_on, see_body
from animator.motion.retarget import path_scale, path_view, retarget
from animator.motion.sway import sway

__all__ = ("follow",)

Floats = NDArray[np.float64]


def follow(
    motion: Motion, retarget_map: RetargetMap, skeleton: Skeleton, to_world: FigureToWorld
) -> PoseSequence:
    """Poses of a drawn skeleton of any shape that follows a motion, feet on the ground.

    Args:
        motion: any clip.
        retarget_map: names joints of that motion; for two arms and two legs.
        skeleton: the drawn one; figure space.
        to_world: of the same figure.

    Raises:
        InvalidMotion: when the map names a joint that the motion lacks, or has no limb groups.
    """
    fitted = fit_map(retarget_map, skeleton)
    poses = retarget(motion, fitted, skeleton, to_world)
    rest = to_world.apply(joint_positions(skeleton)).astype(np.float64)
    legs = _legs(fitted, skeleton, rest)
    if legs:
        body = see_body(motion, fitted)
        view = path_view(fitted, choose_views(body, fitted))
        scale = path_scale(body, fitted, skeleton, to_world)
        seen = np.stack([points_on(view, body.place(foot)) for _, foot in legs], axis=1)
        drawn = [leg for leg, _ in legs]
        long = float(np.mean([_length(rest, leg) for leg in drawn]))
        contact = find_contact(seen * scale + poses.root[:, None], long, poses.fps)
        poses = hold_feet(poses, rest, skeleton.parents, drawn, contact)
    named = {bone for group in fitted.groups for bone in group.bones} | fitted.bones.keys()
    loose = [i for i, joint in enumerate(skeleton.joints) if i and joint.name not in named]
    return sway(poses, rest, skeleton.parents, loose)


def _legs(retarget_map: RetargetMap, skeleton: Skeleton, rest: Floats) -> list[tuple[Leg, str]]:
    """The drawn legs of two bones each, and the joint of the motion that is the foot of each."""
    legs = []
    for foot, knee in enumerate(skeleton.parents):
        hip = skeleton.parents[knee] if knee > 0 else -1
        sources = [retarget_map.bones.get(skeleton.joints[j].name) for j in (knee, foot)]
        ends = [(s.near, s.far) for s in sources if s is not None]
        drawn = Leg(hip, knee, foot)
        if hip >= 0 and any(ends == [*pairwise(leg)] for leg in retarget_map.legs):
            legs += [(drawn, ends[1][1])] if _length(rest, drawn) > 0 else []
    return legs


def _length(rest: Floats, leg: Leg) -> float:
    """Of thigh and shank together; 0 where one of them has none."""
    bones = np.hypot(*(rest[[leg.knee, leg.foot]] - rest[[leg.hip, leg.knee]]).T)
    return float(bones.sum()) if bones.min() > NO_LENGTH else 0.0
