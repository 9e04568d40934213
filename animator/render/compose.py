"""The plan: where and when the figures move, and a camera that keeps them in every frame."""

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from animator.core.animation import FrameSize
from animator.core.moved_figure import MovedFigure
from animator.core.scene import Background, Placement, Scene
from animator.core.spaces import WorldToFrame, figure_to_drawing

__all__ = ("frame_scene", "plan_scene")

MARGIN = 0.05
"""Empty rim on every side, of the frame's shorter side."""

NARROWEST = 0.6
"""Least width over height, and height over width, of a frame."""

Corner = NDArray[np.float64]
"""x and y, (2,), scene units."""


def plan_scene(
    moved: Sequence[MovedFigure],
    long_side: int,
    background: Background,
    page: tuple[int, int] | None = None,
) -> Scene:
    """Place figures as they stand in their drawing, and frame the whole clip.

    The scene's unit is the height of the tallest figure; its origin is the drawing's corner. On
    the drawing's own paper the frame shows the whole page; else the figures fill it.

    moved: back to front.
    long_side: longer side of the frame, pixels, even, 16..2048.
    page: (width, height) of the drawing, pixels; for a background of the kind "paper" only.

    Raises:
        ValueError: when there is no figure.
    """
    if not moved:
        msg = "a scene needs at least one figure"
        raise ValueError(msg)
    unit = max(one.rig.to_world.height for one in moved)
    placements = tuple(_place(one, unit) for one in moved)
    (low, high), margin = extent_of(moved, placements), MARGIN
    if background.kind == "paper" and page is not None:
        (low, high), margin = _page_around((low, high), page, unit), 0.0
    size = _frame_size(high - low, long_side)
    scene = _scene(moved, placements, size, _frame(low, high, size, margin))
    return msgspec.structs.replace(scene, background=background, drawing_unit=unit)


def frame_scene(
    moved: Sequence[MovedFigure],
    placements: Sequence[Placement],
    background: Background,
    size: FrameSize,
) -> Scene:
    """Frame the whole clip of figures that stand where they are told to, in a frame of this size.

    moved: one a placement, back to front.

    Raises:
        ValueError: when there is no figure, or the numbers of figures and placements differ.
    """
    camera = _frame(*extent_of(moved, placements), size, MARGIN)
    scene = _scene(moved, placements, size, camera)
    return msgspec.structs.replace(scene, background=background)


def extent_of(
    moved: Sequence[MovedFigure], placements: Sequence[Placement]
) -> tuple[Corner, Corner]:
    """Lowest and highest x and y of all figures in the whole clip.

    Raises:
        ValueError: when there is no figure, or the numbers of figures and placements differ.
    """
    lows, highs = [], []
    for one, place in zip(moved, placements, strict=True):
        shift = np.array([place.x, place.y])
        # frames first: over both axes at once it takes a hundred times as long
        vertices = one.track.vertices
        lows.append(vertices.min(axis=0).min(axis=0) * place.scale + shift)
        highs.append(vertices.max(axis=0).max(axis=0) * place.scale + shift)
    return np.min(lows, axis=0), np.max(highs, axis=0)


def _place(one: MovedFigure, unit: float) -> Placement:
    to_world = one.rig.to_world
    root = np.array([to_world.root_x, to_world.root_y], np.float32)
    x, y = figure_to_drawing(root, one.figure.box) / unit
    scale = to_world.height / unit
    return Placement(x=float(x), y=-float(y), scale=scale, start=one.start)


def _scene(
    moved: Sequence[MovedFigure],
    placements: Sequence[Placement],
    size: FrameSize,
    camera: WorldToFrame,
) -> Scene:
    """So many frames a second as the fastest track has, until the last clip has ended once."""
    fps = max(one.track.fps for one in moved)
    ends = [
        place.start + len(one.track.vertices) / one.track.fps
        for one, place in zip(moved, placements, strict=True)
    ]
    return Scene(
        size=size,
        fps=fps,
        frame_count=max(round(max(ends) * fps), 1),
        camera=camera,
        background=Background(),
        placements=tuple(placements),
    )


def _page_around(
    extent: tuple[Corner, Corner], page: tuple[int, int], unit: float
) -> tuple[Corner, Corner]:
    """A page (width, height) in pixels, or more where figures leave it."""
    rim = MARGIN * min(page) / unit
    low = np.minimum(extent[0] - rim, [0.0, -page[1] / unit])
    return low, np.maximum(extent[1] + rim, [page[0] / unit, 0.0])


def _frame_size(extent: Corner, long_side: int) -> FrameSize:
    """A frame as wide and high as what it shows, but not too narrow."""
    ratio = float(np.clip(extent[0] / extent[1], NARROWEST, 1 / NARROWEST))
    short = 2 * round(long_side * min(ratio, 1 / ratio) / 2)
    if ratio < 1:
        return FrameSize(width=max(short, 16), height=long_side)
    return FrameSize(width=long_side, height=max(short, 16))


def _frame(low: Corner, high: Corner, size: FrameSize, margin: float) -> WorldToFrame:
    """The largest scale at which everything fits, centred."""
    rim = 2 * margin * min(size.width, size.height)
    scale = float(
        min((size.width - rim) / (high[0] - low[0]), (size.height - rim) / (high[1] - low[1]))
    )
    middle = (low + high) / 2 * scale
    return WorldToFrame(
        scale=scale,
        origin_x=float(size.width / 2 - middle[0]),
        origin_y=float(size.height / 2 + middle[1]),
    )
