"""What a figure is to do from beginning to end: a motion, played as asked, and what follows."""

from dataclasses import dataclass

import numpy as np

from animator.core.errors import InvalidMotion
from animator.core.motion import Motion, Playback, RetargetMap
from animator.core.pose import PoseSequence, joint_positions
from animator.core.skeleton import Skeleton
from animator.core.spaces import FigureToWorld
from animator.motion.follow import follow
from animator.motion.kinematics import trim
from animator.motion.library import load_motion
from animator.motion.mirror import mirror
from animator.motion.sequence import blend, close, follow_on, settle, stay
from animator.motion.timing import change_speed, thin

__all__ = ("LONGEST", "Performance", "perform", "prepare")

Clip = tuple[Motion, RetargetMap]

_FADE = 0.4
"""Seconds in which one clip gives way to the next, or its end to its beginning."""
LONGEST = 120.0
"""Seconds of a whole performance: every frame of it is drawn and kept in the file."""


@dataclass(frozen=True, slots=True, eq=False)
class Performance:
    """Clips that follow one another.

    Attributes:
        clips: at least one motion, each with how a drawn skeleton follows it.
        mixed: what is mixed into the first; None: nothing.
        share: of that in the mix, 0 to 1.
        stay: whether figures stay on the spot.
        loop: whether the end leads into the beginning.
    """

    clips: tuple[Clip, ...]
    mixed: Clip | None = None
    share: float = 0.0
    stay: bool = False
    loop: bool = False


def prepare(motion: Motion, retarget_map: RetargetMap, playback: Playback) -> Performance:
    """A motion played as asked, and the motions of the library that go with it and follow it.

    Raises:
        UnknownMotion: when there is no motion of a name in the playback.
        InvalidMotion: when there is nothing between the times asked for, or it lasts too long.
    """
    if playback.trim is not None:
        motion = _trim_seconds(motion, *playback.trim)
    clips = [(motion, retarget_map), *(load_motion(name) for name in playback.library)]
    if playback.speed != 1.0:
        clips = [(change_speed(clip, playback.speed), own) for clip, own in clips]
    if playback.fps is not None:
        clips = [(thin(clip, playback.fps), own) for clip, own in clips]
    if playback.mirror:
        clips = [mirror(clip, own) for clip, own in clips]
    mixed = clips.pop(1) if playback.blend is not None else None
    share = 0.0 if playback.blend is None else playback.blend.share
    seconds = sum(len(clip.root) / clip.fps for clip, _ in clips)
    if seconds > LONGEST:
        msg = f"it would last {seconds:.0f} seconds; trim it to {LONGEST:.0f} at most"
        raise InvalidMotion(msg)
    return Performance(tuple(clips), mixed, share, playback.stay, playback.loop)


def perform(performance: Performance, skeleton: Skeleton, to_world: FigureToWorld) -> PoseSequence:
    """Poses of a drawn skeleton that does all of it, feet on the ground.

    Raises:
        InvalidMotion: when a map names a joint that its motion lacks, or has no limb groups.
    """
    first, *others = (follow(*clip, skeleton, to_world) for clip in performance.clips)
    mixed = performance.mixed
    if not (others or mixed or performance.stay or performance.loop):
        return first
    rest = to_world.apply(joint_positions(skeleton)).astype(np.float64)
    poses = settle(first, rest, skeleton.parents)
    if mixed is not None:
        other = settle(follow(*mixed, skeleton, to_world), rest, skeleton.parents)
        poses = blend(poses, other, performance.share)
    for other in others:
        poses = follow_on(poses, settle(other, rest, skeleton.parents), _FADE)
    poses = stay(poses) if performance.stay else poses
    return close(poses, _FADE) if performance.loop else poses


def _trim_seconds(motion: Motion, start: float, end: float) -> Motion:
    """The frames from one time up to, and without, another; no more than there are."""
    count = len(motion.root)
    first, last = round(start * motion.fps), min(round(end * motion.fps), count)
    if first >= last:
        long = count / motion.fps
        msg = f"there is nothing from {start:g} to {end:g} s of a motion of {long:.2f} s"
        raise InvalidMotion(msg)
    return trim(motion, first, last)
