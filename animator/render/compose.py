"""The stage: where the figures stand, and a camera that keeps all of them in every frame."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from animator.core.animation import FrameSize
from animator.core.geometry import Box
from animator.core.pose import VertexTrack
from animator.core.rig import Rig
from animator.core.scene import Background, Placement, Scene
from animator.core.spaces import WorldToFrame, figure_to_drawing

__all__ = ("plan_scene",)

MARGIN = 0.05
"""Empty rim on every side, of the frame's shorter side."""

NARROWEST = 0.6
"""Least width over height, and height over width, of a frame."""


def plan_scene(
    rigs: Sequence[Rig],
    tracks: Sequence[VertexTrack],
    boxes: Sequence[Box],
    long_side: int,
    background: Background,
) -> Scene:
    """Place figures as they stand in their drawing, and frame the whole clip.

    The scene's unit is the height of the tallest figure; its origin is the drawing's corner.

    rigs, tracks: one a figure, back to front.
    boxes: drawing space, of each figure.
    long_side: longer side of the frame, pixels, even, 16..2048.

    Raises:
        ValueError: when there is no figure, or the numbers of rigs, tracks and boxes differ.
    """
    if not rigs:
        msg = "a scene needs at least one figure"
        raise ValueError(msg)
    unit = max(rig.to_world.height for rig in rigs)
    placements = tuple(
        _place(rig, box, unit) for rig, _, box in zip(rigs, tracks, boxes, strict=True)
    )
    low, high = _extent(tracks, placements)
    size = _frame_size(high - low, long_side)
    return Scene(
        size=size,
        camera=_frame(low, high, size),
        background=background,
        placements=placements,
    )


def _place(rig: Rig, box: Box, unit: float) -> Placement:
    root = np.array([rig.to_world.root_x, rig.to_world.root_y], np.float32)
    x, y = figure_to_drawing(root, box) / unit
    return Placement(x=float(x), y=-float(y), scale=rig.to_world.height / unit)


def _extent(
    tracks: Sequence[VertexTrack], placements: Sequence[Placement]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lowest and highest x and y of all figures in the whole clip: (2,) each, scene units."""
    lows, highs = [], []
    for track, place in zip(tracks, placements, strict=True):
        shift = np.array([place.x, place.y])
        lows.append(track.vertices.min(axis=(0, 1)) * place.scale + shift)
        highs.append(track.vertices.max(axis=(0, 1)) * place.scale + shift)
    return np.min(lows, axis=0), np.max(highs, axis=0)


def _frame_size(extent: NDArray[np.float64], long_side: int) -> FrameSize:
    """A frame as wide and high as what it shows, but not too narrow."""
    ratio = float(np.clip(extent[0] / extent[1], NARROWEST, 1 / NARROWEST))
    short = 2 * round(long_side * min(ratio, 1 / ratio) / 2)
    if ratio < 1:
        return FrameSize(width=max(short, 16), height=long_side)
    return FrameSize(width=long_side, height=max(short, 16))


def _frame(low: NDArray[np.float64], high: NDArray[np.float64], size: FrameSize) -> WorldToFrame:
    """The largest scale at which everything fits, centred."""
    margin = 2 * MARGIN * min(size.width, size.height)
    scale = float(
        min((size.width - margin) / (high[0] - low[0]), (size.height - margin) / (high[1] - low[1]))
    )
    middle = (low + high) / 2 * scale
    return WorldToFrame(
        scale=scale,
        origin_x=float(size.width / 2 - middle[0]),
        origin_y=float(size.height / 2 + middle[1]),
    )
