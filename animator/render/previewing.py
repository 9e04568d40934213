"""Stages to previews: small textures, weights of bones, and views that show each motion whole."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from animator.core.moved_figure import MovedFigure, Rehearsal
from animator.core.pose import JointTrack, group_of_joints, joint_positions, pose_joints
from animator.core.rig import Rig
from animator.core.stage import Stage
from animator.render.previews import PreviewClip, PreviewFigure, pack_previews, skin_figure
from animator.render.skin import Weights, weights_of
from animator.render.tracks import picture_of

__all__ = ("preview_clip", "preview_figure", "previews_of", "with_clips")

FPS = 15.0
"""Frames a second of a preview; pages show what lies between."""

ROOM = 1.08
"""Side of the square that is seen against the longer side of what it shows."""


def previews_of(stage: Stage) -> bytes:
    """What the figures of a stage can do, for a page to play."""
    size = stage.scene.size
    side = max(size.width, size.height)
    return pack_previews(tuple(_preview(one, side) for one in stage.moved if one.repertoire))


def _preview(one: MovedFigure, side: int) -> PreviewFigure:
    clips = tuple(preview_clip(one.rig, number) for number in one.repertoire)
    return with_clips(preview_figure(one.rig, one.id, side), clips)


def preview_figure(rig: Rig, id: str, side: int) -> PreviewFigure:
    """A figure that can do nothing yet.

    id: of the figure in its annotation.
    side: of the square in which it will be seen, pixels, > 0.
    """
    width, height = np.array(rig.texture.shape[1::-1]) / rig.texels
    corners = rig.to_world.apply(np.array([[0, 0], [width, height]], np.float32))
    size = np.abs(corners[1] - corners[0]).astype(np.float64)
    order = np.argsort(rig.bone_of, kind="stable")
    counts = np.bincount(rig.bone_of, minlength=len(rig.skeleton.joints))
    weights = weights_of(rig)
    return PreviewFigure(
        id=id,
        texture=picture_of(rig.texture, side * size[1] / ROOM / rig.texture.shape[0]),
        frame=np.array([*corners[0], *size]),
        texels=rig.texture_places() / np.array(rig.texture.shape[1::-1]),
        joints=_rest(rig),
        parents=rig.skeleton.parents,
        bones=weights.bones.astype(np.uint8),
        shares=_in_bytes(weights),
        triangles=rig.mesh.triangles[order],
        starts=np.concatenate(([0], np.cumsum(counts))),
        clips=(),
    )


def preview_clip(rig: Rig, number: Rehearsal) -> PreviewClip:
    """A motion as turns of bones; its view is that of nothing."""
    poses, loops = number.poses, number.loops
    track = pose_joints(_rest(rig), rig.skeleton.parents, poses)
    count = len(poses.root)
    frames = max(round(count * FPS / poses.fps), 1)
    times = np.arange(frames) * count / frames if loops else np.linspace(0, count - 1, frames)
    turns = _between(np.unwrap(track.turns, axis=0), times, loops=loops)
    depths = poses.depths[np.minimum(np.rint(times).astype(int), count - 1)]
    return PreviewClip(
        name=number.name,
        loops=loops,
        fps=frames * poses.fps / count,
        still=_telling(track, times),
        view=np.zeros(3),
        root=_between(track.places[:, 0], times, loops=False),
        turns=turns,
        groups=group_of_joints(poses, rig.skeleton).astype(np.uint8),
        order=np.argsort(depths, axis=1, kind="stable").astype(np.uint8),
    )


def with_clips(figure: PreviewFigure, clips: tuple[PreviewClip, ...]) -> PreviewFigure:
    """A figure with clips, each seen in a square that holds all of it.

    Squares are as wide as standing and dancing need, so that the figure is as large in nearly all.
    """
    if not clips:
        return replace(figure, clips=())
    lows, highs = _extents(_rim(figure), clips)
    sides = (highs - lows).max(axis=1)
    usual = float(np.median(sides))
    seen = [
        replace(clip, view=np.array([*(low + high) / 2, ROOM * max(side, usual)]))
        for clip, low, high, side in zip(clips, lows, highs, sides, strict=True)
    ]
    return replace(figure, clips=tuple(seen))


def _rim(figure: PreviewFigure) -> PreviewFigure:
    """The vertices of its edge alone, a third of all: what lies inside reaches no farther."""
    sides = np.sort(figure.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    count = len(figure.texels)
    numbers, times = np.unique(
        sides[:, 0].astype(np.int64) * count + sides[:, 1], return_counts=True
    )
    once = numbers[times == 1]
    edge = np.unique((once // count, once % count))
    return replace(
        figure, texels=figure.texels[edge], bones=figure.bones[edge], shares=figure.shares[edge]
    )


def _extents(
    figure: PreviewFigure, clips: tuple[PreviewClip, ...]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lowest and highest x and y that the figure reaches in each clip: (C, 2) each.

    All frames of all clips are skinned at once: clip by clip that takes twice as long.
    """
    roots, turns = [clip.root for clip in clips], [clip.turns for clip in clips]
    whole = replace(clips[0], root=np.concatenate(roots), turns=np.concatenate(turns))
    places = skin_figure(figure, whole)
    starts = np.cumsum([0, *(len(root) for root in roots[:-1])])
    lows, highs = (way.reduceat(places, starts, axis=0) for way in (np.minimum, np.maximum))
    return lows.min(axis=1), highs.max(axis=1)


def _rest(rig: Rig) -> NDArray[np.float64]:
    return rig.to_world.apply(joint_positions(rig.skeleton)).astype(np.float64)


def _in_bytes(weights: Weights) -> NDArray[np.uint8]:
    """Shares in 255ths; what rounding leaves over goes to the first."""
    shares = np.floor(weights.shares * 255).astype(np.int64)
    shares[:, 0] += 255 - shares.sum(axis=1)
    return shares.astype(np.uint8)


def _between(
    values: NDArray[np.float64], times: NDArray[np.float64], *, loops: bool
) -> NDArray[np.float64]:
    """Values (F, n) at times, in frames; in a loop of turns the first follows the last."""
    before = np.minimum(np.floor(times).astype(int), len(values) - 1)
    after = before + 1
    following = values[np.minimum(after, len(values) - 1)]
    if loops:
        seam = after == len(values)
        away = values[:1] - values[-1:]
        following[seam] = values[-1] + (away + np.pi) % (2 * np.pi) - np.pi
    return np.asarray(values[before] + (times - before)[:, None] * (following - values[before]))


def _telling(track: JointTrack, times: NDArray[np.float64]) -> int:
    """The frame whose joints are farthest from where they are on the whole."""
    shape = track.places - track.places[:, :1]
    away = np.linalg.norm(shape - np.median(shape, axis=0), axis=2).sum(axis=1)
    return int(np.argmax(away[np.minimum(np.rint(times).astype(int), len(away) - 1)]))
