"""Clips one after the other, on the spot, and going round: poses that cross-fade.

What is faded are the poses of one drawn skeleton, so that clips of any two motions fit together: a
walk that is seen from the side, and a wave from the front.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from animator.core.pose import NO_LENGTH, PoseSequence, pose_joints
from animator.motion.loops import is_closed

__all__ = ("blend", "close", "follow_on", "resample", "settle", "stay")

Floats = NDArray[np.float64]

_SWAY = 1.0
"""Seconds before and after whose mean is where a figure is on its way."""
_LONGEST_FADE = 1 / 3
"""Of a clip, at most; a short one would be nothing but fades."""


def settle(poses: PoseSequence, rest: Floats, parents: Sequence[int]) -> PoseSequence:
    """The same poses with a direction for every bone that has a length.

    rest: (J, 2) float64, world space.
    parents: J indices, parents before children, -1 for the root.
    """
    turns = pose_joints(rest, tuple(parents), poses).turns
    angles = turns.copy()
    for joint, parent in enumerate(parents):
        if parent >= 0:
            bone = rest[joint] - rest[parent]
            has_length = np.hypot(*bone) > NO_LENGTH
            angles[:, joint] += np.arctan2(-bone[0], bone[1]) if has_length else np.nan
    return replace(poses, angles=angles.astype(np.float32))


def follow_on(first: PoseSequence, second: PoseSequence, seconds: float) -> PoseSequence:
    """One clip, then another of the same skeleton, with a cross-fade between; settled both.

    The second goes on from where the first has gone to. Its rate of frames becomes the first's.

    seconds: of the cross-fade, >= 0; at most a third of either clip.
    """
    second = _aligned(resample(second, first.fps), first)
    most = int(min(len(first.root), len(second.root)) * _LONGEST_FADE)
    fade = min(round(seconds * first.fps), most)
    start = len(first.root) - fade
    away = first.root[min(start, len(first.root) - 1), 0] - second.root[0, 0]
    second = replace(second, root=second.root + np.array([away, 0], dtype=np.float32))
    weights = (np.arange(fade) + 1) / (fade + 1)
    between = _mixed(_part(first, start, None), _part(second, 0, fade), weights)
    return _joined(_part(first, 0, start), between, _part(second, fade, None))


def blend(first: PoseSequence, second: PoseSequence, share: float) -> PoseSequence:
    """Two clips of the same skeleton mixed pose by pose, settled both; the first's rate is kept.

    Both are stretched to a length between theirs, so that a step falls on a step.

    share: of the second, 0 to 1.
    """
    second = _aligned(second, first)
    seconds = [len(poses.root) / poses.fps for poses in (first, second)]
    count = max(round(((1 - share) * seconds[0] + share * seconds[1]) * first.fps), 1)
    steps = np.arange(count) / count
    one, other = (_at(poses, steps * len(poses.root)) for poses in (first, second))
    return _mixed(one, other, np.full(count, share))


def close(poses: PoseSequence, seconds: float) -> PoseSequence:
    """A clip that goes round without a seam: its end fades into its beginning; settled.

    It gets shorter by the fade, and stays on the spot. One that goes round already is left alone.

    seconds: of the cross-fade, >= 0; at most a third of the clip.
    """
    if is_closed(_tracks(poses)):
        return poses
    count = len(poses.root)
    fade = min(max(round(seconds * poses.fps), 1), int(count * _LONGEST_FADE))
    kept = count - fade
    drift = (poses.root[kept] - poses.root[0]) / kept
    on_the_spot = replace(poses, root=poses.root - np.arange(count)[:, None] * drift)
    weights = np.arange(fade) / fade
    begin = _mixed(_part(on_the_spot, kept, None), _part(on_the_spot, 0, fade), weights)
    return _joined(begin, _part(on_the_spot, fade, kept))


def stay(poses: PoseSequence) -> PoseSequence:
    """The same movements on the spot: the way along the ground is taken out, swaying is kept.

    What changes over more than two seconds counts as the way.
    """
    count = len(poses.root)
    around = min(round(_SWAY * poses.fps), count - 1)
    # Turned about its ends, a steady walk goes on steadily beyond them.
    wide = np.pad(poses.root[:, 0].astype(np.float64), around, "reflect", reflect_type="odd")
    way = sliding_window_view(wide, 2 * around + 1).mean(axis=1)
    root = poses.root.copy()
    root[:, 0] -= way - way[0]
    return replace(poses, root=root)


def resample(poses: PoseSequence, fps: float) -> PoseSequence:
    """The same clip at another rate of frames; its first frame and, nearly, its length are kept."""
    if fps == poses.fps:
        return poses
    count = max(round(len(poses.root) * fps / poses.fps), 1)
    return replace(_at(poses, np.arange(count) * (poses.fps / fps)), fps=fps)


def _at(poses: PoseSequence, times: NDArray[np.floating]) -> PoseSequence:
    """Poses at times (F,), in frames; beyond the last it stays."""
    times = np.minimum(times, len(poses.root) - 1)
    before = np.floor(times).astype(int)
    after = np.minimum(before + 1, len(poses.root) - 1)
    return _mixed(_pick(poses, before), _pick(poses, after), times - before)


def _tracks(poses: PoseSequence) -> Floats:
    """All that must not jump, (F, n)."""
    angles = poses.angles[:, ~np.isnan(poses.angles).any(axis=0)].astype(np.float64)
    return np.hstack((poses.root, np.cos(angles), np.sin(angles)))


def _mixed(a: PoseSequence, b: PoseSequence, weights: Floats) -> PoseSequence:
    """Frame by frame between two clips: 0 is the first, 1 the second; angles go the short way."""
    w = weights[:, None]
    turn = (b.angles - a.angles + np.pi) % (2 * np.pi) - np.pi
    return replace(
        a,
        root=(a.root + w * (b.root - a.root)).astype(np.float32),
        angles=(a.angles + w * turn).astype(np.float32),
        depths=(a.depths + w * (b.depths - a.depths)).astype(np.float32),
    )


def _part(poses: PoseSequence, start: int, end: int | None) -> PoseSequence:
    return _pick(poses, np.arange(len(poses.root))[start:end])


def _pick(poses: PoseSequence, frames: NDArray[np.intp]) -> PoseSequence:
    return replace(
        poses, root=poses.root[frames], angles=poses.angles[frames], depths=poses.depths[frames]
    )


def _joined(*parts: PoseSequence) -> PoseSequence:
    return replace(
        parts[0],
        root=np.concatenate([part.root for part in parts]),
        angles=np.concatenate([part.angles for part in parts]),
        depths=np.concatenate([part.depths for part in parts]),
    )


def _aligned(poses: PoseSequence, model: PoseSequence) -> PoseSequence:
    """The same clip with the limb groups of another; each takes the depth of its first bone."""
    if poses.groups == model.groups:
        return poses
    group_of = {bone: g for g, bones in enumerate(poses.groups) for bone in bones}
    columns = [group_of[bones[0]] for bones in model.groups]
    return replace(poses, depths=poses.depths[:, columns], groups=model.groups)
