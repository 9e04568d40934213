"""Feet that stay on the ground: where a foot of the motion stands, the drawn foot is held.

Drawn legs have lengths of their own, so feet that follow the motion by angles alone slide and sink.
First the whole figure moves a little, as its standing feet say; what is left, each leg takes up by
bending at the knee. A foot that is in the air goes no deeper than it stands.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from animator.core.pose import PoseSequence, pose_joints
from animator.motion.contact import Contact, runs_of
from animator.motion.loops import windows_of

__all__ = ("Leg", "hold_feet")

Floats = NDArray[np.float64]

_REACH = 0.9995  # of a straight leg, at most
_EASE = 0.12  # seconds in which a foot is taken up and let go
_STRAIGHTEST = 10  # percent of the frames in which a foot stands that are deeper than its ground
_STRAIGHT = 0.09  # sine of the angle of a knee that counts as straight


@dataclass(frozen=True, slots=True)
class Leg:
    """Joints of a drawn leg, as indices of the skeleton: the hip, the knee on it, the foot."""

    hip: int
    knee: int
    foot: int


@dataclass(frozen=True, slots=True, eq=False)
class _Hold:
    """Where the feet are held.

    Attributes:
        runs: of each foot, the frames of each time that it stands.
        spots: (F, N, 2) float64, world space; where a foot is when it does not stand.
        deepest: (N,) float64, world y of the ground under each; -inf where a foot never stands.
    """

    runs: list[list[NDArray[np.intp]]]
    spots: Floats
    deepest: Floats


def hold_feet(
    poses: PoseSequence,
    rest: Floats,
    parents: tuple[int, ...],
    legs: Sequence[Leg],
    contact: Contact,
) -> PoseSequence:
    """The same poses with feet that neither slide nor sink.

    rest: (J, 2) float64, world space.
    parents: J indices, parents before children, -1 for the root.
    legs: N of them; their knees and feet are driven in every frame.
    contact: of the same feet, its speed in world units a second.
    """
    if not contact.stands.any():
        return poses
    places = pose_joints(rest, parents, poses).places
    feet = places[:, [leg.foot for leg in legs]]
    shift = _shift(feet, contact, poses.fps)
    places = places + shift[:, None]
    hold = _hold(feet + shift[:, None], contact, poses.fps)
    angles = poses.angles.copy()
    ease = max(round(_EASE * poses.fps), 1)
    for n, leg in enumerate(legs):
        chain = places[:, [leg.hip, leg.knee, leg.foot]]
        wanted = _wanted(chain[:, 2], hold, n, contact.closed, ease)
        sides = _smooth(_sides(chain), poses.fps, contact.closed)[:, 0]
        bends = _smooth(_bends(chain, wanted, sides), poses.fps, contact.closed)[:, 0]
        turns = _turned(chain, wanted, bends)
        angles[:, [leg.knee, leg.foot]] += turns.astype(np.float32)
    return replace(poses, root=(poses.root + shift).astype(np.float32), angles=angles)


def _hold(feet: Floats, contact: Contact, fps: float) -> _Hold:
    """A foot is held on one level, and on one spot of the ground, from when it is set down.

    The level is where the leg is straightest: a knee that must bend a straight leg bends a lot for
    a little, and one that is bent hardly changes.
    """
    runs = [runs_of(stands, contact.closed) for stands in contact.stands.T]
    spots, deepest = feet.copy(), np.full(len(runs), -np.inf)
    for n, own in enumerate(runs):
        for run in own:
            line = contact.ground_speed / fps * np.arange(len(run))
            spots[run, n, 0] = (feet[run, n, 0] - line).mean() + line
            spots[run, n, 1] = _deeper_than(feet[run, n, 1], _STRAIGHTEST)
        if own:
            deepest[n] = spots[contact.stands[:, n], n, 1].min()
    return _Hold(runs, spots, deepest)


def _deeper_than(heights: Floats, share: float) -> float:
    """The height than which so many percent are deeper; numpy's own takes six times as long."""
    ordered = np.sort(heights)
    return float(np.interp(share / 100 * (len(ordered) - 1), np.arange(len(ordered)), ordered))


def _shift(feet: Floats, contact: Contact, fps: float) -> Floats:
    """By how much the figure moves (F, 2), so that its standing feet are where they mostly are."""
    stands, frames = contact.stands, np.arange(len(feet))
    goals = _hold(feet, contact, fps).spots
    for n, own in enumerate(stands.T):
        goals[own, n, 1] = np.median(feet[own, n, 1]) if own.any() else 0.0
    some = stands.any(axis=1)
    miss = ((goals - feet) * stands[..., None]).sum(axis=1)
    mean = miss / np.maximum(stands.sum(axis=1), 1)[:, None]
    period = len(feet) if contact.closed else None
    shift = np.stack(
        [np.interp(frames, frames[some], mean[some, i], period=period) for i in (0, 1)], axis=1
    )
    return _smooth(shift, fps, contact.closed)


def _smooth(track: Floats, fps: float, closed: bool) -> Floats:
    """Mean over a short while around each frame of (F, n)."""
    around = max(round(_EASE * fps / 2), 1)
    return np.asarray(windows_of(track, around, closed).mean(axis=2))


def _wanted(foot: Floats, hold: _Hold, n: int, closed: bool, ease: int) -> Floats:
    """Where a foot (F, 2) is to be: held, or free but no deeper than it stands.

    What it is held away from where it would be, it is also shortly before and after, less and less.
    """
    offsets, weights = np.zeros_like(foot), np.zeros(len(foot))
    for run in hold.runs[n]:
        # In a short loop what comes before is what comes after: the firmest hold is set last.
        steps = np.arange(-ease, len(run) + ease)
        away = np.maximum(np.maximum(-steps, steps - len(run) + 1), 0) / (ease + 1)
        steps, away = steps[np.argsort(-away)], np.sort(away)[::-1]
        frames = (run[0] + steps) % len(foot) if closed else run[0] + steps
        inside = (frames >= 0) & (frames < len(foot))
        frames, weight = frames[inside], (0.5 + 0.5 * np.cos(np.pi * away))[inside]
        held = hold.spots[run, n] - foot[run]
        more = weight > weights[frames]
        own = weight[:, None] * held[np.clip(steps[inside], 0, len(run) - 1)]
        offsets[frames[more]], weights[frames[more]] = own[more], weight[more]
    wanted = foot + offsets
    wanted[:, 1] = np.maximum(wanted[:, 1], hold.deepest[n])
    return wanted


def _sides(chain: Floats) -> Floats:
    """To which side the knee bends, (F, 1), 1 is counter-clockwise; -1 the other.

    chain: (F, 3, 2) float64: hip, knee and foot. A straight knee bends as it mostly does.
    """
    thigh, shank = chain[:, 1] - chain[:, 0], chain[:, 2] - chain[:, 1]
    bent = thigh[:, 0] * shank[:, 1] - thigh[:, 1] * shank[:, 0]
    mostly = 1.0 if bent.sum() >= 0 else -1.0
    straight = np.abs(bent) <= _STRAIGHT * np.hypot(*thigh[0]) * np.hypot(*shank[0])
    return np.where(straight, mostly, np.sign(bent))[:, None]


def _bends(chain: Floats, wanted: Floats, sides: Floats) -> Floats:
    """By how much more the knee bends, (F, 1), radians counter-clockwise, to reach far enough.

    chain: (F, 3, 2) float64: hip, knee and foot.
    sides: (F,) float64, in [-1, 1]: to which side the knee bends, and by how much of what it could.
    """
    thigh, shank, upper, lower = _bones(chain)
    reach = np.minimum(np.hypot(*(wanted - chain[:, 0]).T), _REACH * (upper + lower))
    cosine = (reach**2 - upper**2 - lower**2) / (2 * upper * lower)
    bend = sides * np.arccos(np.clip(cosine, -1, 1))
    moves = np.hypot(*(wanted - chain[:, 2]).T) > 1e-9
    return np.where(moves, bend - _wrapped(shank - thigh), 0.0)[:, None]


def _turned(chain: Floats, wanted: Floats, bends: Floats) -> Floats:
    """By how much thigh and shank turn, (F, 2): the foot is seen from the hip where it is wanted.

    bends: (F,) float64, radians, by which the knee bends more.
    """
    thigh, shank, upper, lower = _bones(chain)
    bend = _wrapped(shank - thigh) + bends
    way = wanted - chain[:, 0]
    ahead = np.arctan2(-way[:, 0], way[:, 1])
    new_thigh = ahead - np.arctan2(lower * np.sin(bend), upper + lower * np.cos(bend))
    return np.stack((_wrapped(new_thigh - thigh), _wrapped(new_thigh + bend - shank)), axis=1)


def _bones(chain: Floats) -> tuple[Floats, Floats, float, float]:
    """Directions (F,) of thigh and shank, and their lengths."""
    thigh, shank = chain[:, 1] - chain[:, 0], chain[:, 2] - chain[:, 1]
    directions = [np.arctan2(-bone[:, 0], bone[:, 1]) for bone in (thigh, shank)]
    return directions[0], directions[1], float(np.hypot(*thigh[0])), float(np.hypot(*shank[0]))


def _wrapped(angles: Floats) -> Floats:
    """The same directions, in [-pi, pi)."""
    return (angles + np.pi) % (2 * np.pi) - np.pi
