"""A drawn skeleton follows a motion: which way each bone points, frame by frame.

The method is that of Smith, Zheng, Li, Jain, Hodgins: A Method for Animating Children's Drawings of
the Human Figure, ACM Transactions on Graphics 42(3), 2023. Every frame of the motion is seen in the
body's own frame, each limb group on the plane that suits it, and a drawn bone takes the direction
of the stretch of the motion's skeleton that drives it. Drawn bones never change their length.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from animator.core.errors import InvalidMotion
from animator.core.motion import BoneSource, LimbGroup, Motion, RetargetMap
from animator.core.pose import PoseSequence, joint_positions
from animator.core.skeleton import Skeleton
from animator.core.spaces import FigureToWorld
from animator.motion.loops import delayed
from animator.motion.project import (
    MOST_SEEN,
    Body,
    View,
    choose_views,
    depths_on,
    points_on,
    see_body,
)

__all__ = ("path_scale", "path_view", "retarget")

Floats = NDArray[np.float64]

_USUAL_LEG = 0.45  # of the figure's height; only for figures without a driven leg
_SHORT = 1e-4  # seen length over true length of a stretch that points at the viewer


def retarget(
    motion: Motion, retarget_map: RetargetMap, skeleton: Skeleton, to_world: FigureToWorld
) -> PoseSequence:
    """Directions of the drawn bones, path of the root, and depths of the limbs.

    Bones of the map that the skeleton lacks are left out; joints of the skeleton that the map does
    not name keep their rest angle and belong to their parent's limb group. The neck is not driven
    where it is drawn below the shoulders, as in a tadpole figure: it would turn over.

    Args:
        motion: any clip.
        retarget_map: names joints of that motion.
        skeleton: the drawn one; figure space.
        to_world: of the same figure.

    Raises:
        InvalidMotion: when the map names a joint that the motion lacks, or has no limb groups.
    """
    if not retarget_map.groups:
        msg = "a retarget map needs at least one limb group"
        raise InvalidMotion(msg)
    body = see_body(motion, retarget_map)
    views = choose_views(body, retarget_map)
    group_of = _group_of(retarget_map, skeleton)
    present = sorted(set(group_of[1:]))
    names = [joint.name for joint in skeleton.joints]
    drivers = [(_driver(body, retarget_map.groups[g]), views[g]) for g in present]
    depths = [depths_on(view, places) for places, view in drivers]
    scale = path_scale(body, retarget_map, skeleton, to_world)
    return PoseSequence(
        fps=motion.fps,
        root=_root_path(body, path_view(retarget_map, views), scale),
        angles=_angles(body, retarget_map, skeleton, [views[g] for g in group_of]),
        depths=np.reshape(depths, (len(present), len(body.root))).T.astype(np.float32),
        groups=tuple(
            tuple(name for name, g in zip(names[1:], group_of[1:], strict=True) if g == p)
            for p in present
        ),
    )


def _group_of(retarget_map: RetargetMap, skeleton: Skeleton) -> list[int]:
    """Index of the map's limb group of each joint; the root's is 0 and means nothing."""
    named = {bone: g for g, group in enumerate(retarget_map.groups) for bone in group.bones}
    found: list[int] = []
    for joint, parent in zip(skeleton.joints, skeleton.parents, strict=True):
        found.append(named.get(joint.name, found[parent] if parent > 0 else 0))
    return found


def _angles(
    body: Body, retarget_map: RetargetMap, skeleton: Skeleton, views: Sequence[View]
) -> NDArray[np.float32]:
    """Directions (F, J) of the driven bones; NaN for the others.

    The root has no bone: what drives it turns the whole figure, which is drawn upright.
    """
    angles = np.full((len(body.root), len(skeleton.joints)), np.nan, dtype=np.float32)
    for i, joint in enumerate(skeleton.joints):
        source = retarget_map.bones.get(joint.name)
        if source is not None and not _would_turn_over(skeleton, i):
            seen = _seen_directions(body, source, views[i])
            angles[:, i] = seen + (_drawn_direction(skeleton, i) if source.relative else 0.0)
    return angles


@lru_cache(maxsize=MOST_SEEN * 12)
def _seen_directions(body: Body, source: BoneSource, view: View) -> Floats:
    """Directions (F,) of a stretch of the motion's skeleton; of `lag` seconds before, if asked.

    Nothing here is the figure's, so they are kept as bodies are: a dozen bones of each.
    """
    stretch = body.place(source.far) - body.place(source.near)
    seen = points_on(view, stretch)
    short = np.linalg.norm(seen, axis=1) <= _SHORT * np.linalg.norm(stretch, axis=1)
    directions = _directions(seen, ~short)
    seen_late = delayed(directions, round(source.lag * body.fps), body.closed)
    seen_late.flags.writeable = False
    return seen_late


def _drawn_direction(skeleton: Skeleton, joint: int) -> float:
    """Of the bone that ends in a joint, as drawn; the pixels' y points down."""
    end, start = skeleton.joints[joint], skeleton.joints[skeleton.parents[joint]]
    return math.atan2(start.x - end.x, start.y - end.y)


def _would_turn_over(skeleton: Skeleton, joint: int) -> bool:
    """Whether this is a neck drawn on or below the line of the shoulders."""
    drawn = skeleton.joints[joint]
    shoulders = sorted(
        (other.x, other.y)
        for other in skeleton.joints
        if other.parent == drawn.parent and other.name != drawn.name
    )
    if drawn.name != "neck" or not shoulders:
        return False
    xs, ys = zip(*shoulders, strict=True)
    return bool(drawn.y >= np.interp(drawn.x, xs, ys))


def _directions(points: Floats, visible: NDArray[np.bool_]) -> Floats:
    """Counter-clockwise from +y, of vectors (F, 2); unseen ones keep the last direction seen."""
    if not visible.any():
        return np.full(len(points), np.nan)
    frames = np.arange(len(points))
    held = np.maximum.accumulate(np.where(visible, frames, 0))
    held[: np.argmax(visible)] = np.argmax(visible)
    return np.asarray(np.arctan2(-points[held, 0], points[held, 1]))


def path_view(retarget_map: RetargetMap, views: Sequence[View]) -> View:
    """The view in which the path, or else the legs, are seen: it goes ahead in it, or sideways."""
    if retarget_map.path_group is not None:
        names = [group.name for group in retarget_map.groups]
        return views[names.index(retarget_map.path_group)]
    stretches = _leg_stretches(retarget_map)
    for group, view in zip(retarget_map.groups, views, strict=True):
        sources = [retarget_map.bones.get(bone) for bone in group.bones]
        if any(s is not None and (s.near, s.far) in stretches for s in sources):
            return view
    return "frontal"


def _driver(body: Body, group: LimbGroup) -> Floats:
    """Places (F, 3) whose depth is the group's."""
    joints = (group.depth_driver, *group.more_drivers)
    return np.asarray(np.mean([body.place(joint) for joint in joints], axis=0))


def _leg_stretches(retarget_map: RetargetMap) -> set[tuple[str, str]]:
    return {pair for leg in retarget_map.legs for pair in pairwise(leg)}


def path_scale(
    body: Body, retarget_map: RetargetMap, skeleton: Skeleton, to_world: FigureToWorld
) -> float:
    """World units a metre of the motion: length of the drawn legs over that of the motion's.

    Raises:
        InvalidMotion: when the legs of the motion have no length.
    """
    places = to_world.apply(joint_positions(skeleton)).astype(np.float64)
    stretches = _leg_stretches(retarget_map)
    drawn = own = 0.0
    for i, parent in enumerate(skeleton.parents):
        source = retarget_map.bones.get(skeleton.joints[i].name)
        if parent >= 0 and source is not None and (source.near, source.far) in stretches:
            drawn += float(np.linalg.norm(places[i] - places[parent]))
            own += _length(body, source.near, source.far)
    if drawn == 0.0:
        drawn = _USUAL_LEG * len(retarget_map.legs)
        own = sum(_length(body, near, far) for near, far in stretches)
    if own == 0.0:
        msg = f"the legs of the motion {body.name!r} have no length"
        raise InvalidMotion(msg)
    return drawn / own


def _length(body: Body, near: str, far: str) -> float:
    return float(np.linalg.norm(body.place(far)[0] - body.place(near)[0]))


def _root_path(body: Body, view: View, scale: float) -> NDArray[np.float32]:
    """Steps of each frame along where the figure then faces, or to its left: (F, 2) float32."""
    steps = np.diff(body.root, axis=0, prepend=body.root[:1]) * scale
    x, z = body.forward.T
    across = steps[:, 0] * z - steps[:, 2] * x
    ahead = steps[:, 0] * x + steps[:, 2] * z
    sideways = {"frontal": across, "sagittal": ahead, "from_left": -ahead}[view]
    moved = np.stack((sideways, steps[:, 1]), axis=1)
    return np.cumsum(moved, axis=0).astype(np.float32)
