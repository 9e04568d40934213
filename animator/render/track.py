"""The vertex track: a clip as moved vertices that a page plays, packed into few bytes."""

import struct
import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from animator.core.errors import InvalidTrack
from animator.render.packed import (
    Kind,
    Reader,
    pack,
    pack_places,
    pack_texels,
    read_places,
    read_texels,
    unpack,
)

__all__ = ("TrackClip", "TrackFigure", "pack_track", "read_track")

# What is left of places repeats itself next to itself or not at all: to look no further finds as
# much, in a twentieth of the time.
KIND = Kind(magic=b"ANVT", version=1, noun="vertex track", strategy=zlib.Z_RLE)

CLIP_HEAD = struct.Struct("<fIHHBBBBHH")
"""Frames a second, frames, width, height; whether there is a background, its RGB; figures, 0."""

FIGURE_HEAD = struct.Struct("<IIHHfffI")
"""Vertices, triangles, groups, columns; origin x and y, step; bytes of the texture."""

STEPS = 8192
"""Positions are this fine: parts of the frame's longer side."""

MOST = 65_536
"""Most vertices of a figure: triangles name them in sixteen bits, and so are positions counted."""


@dataclass(frozen=True, slots=True, eq=False)
class TrackFigure:
    """One figure of a clip.

    Attributes:
        vertices: (F, V, 2) float32, frame space, pixels.
        texels: (V, 2) float32, in [-0.5, 1.5); 0 and 1 are the texture's edges, y down.
        triangles: (T, 3) int32, group by group, each from its back to its front.
        groups: (G + 1,) int64, where each group's triangles begin; ends with T.
        order: (F, G) uint8, groups from back to front.
        texture: a WebP picture, straight alpha.
        columns: pixels of the frame that the texture's width covers, 0..65,535; 0: not told.
    """

    vertices: NDArray[np.float32]
    texels: NDArray[np.float32]
    triangles: NDArray[np.int32]
    groups: NDArray[np.int64]
    order: NDArray[np.uint8]
    texture: bytes
    columns: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class TrackClip:
    """All that is played.

    Attributes:
        fps: frames a second, > 0.
        width: of the frames, pixels.
        height: of the frames, pixels.
        background: RGB behind the figures; None: nothing.
        figures: back to front, all of as many frames.
    """

    fps: float
    width: int
    height: int
    background: tuple[int, int, int] | None
    figures: tuple[TrackFigure, ...]


def pack_track(clip: TrackClip) -> bytes:
    """Write a clip.

    Raises:
        ValueError: when a figure has more than 65,536 vertices, or more than 255 groups.
    """
    frames = len(clip.figures[0].vertices) if clip.figures else 0
    shown, colour = clip.background is not None, clip.background or (0, 0, 0)
    head = CLIP_HEAD.pack(
        clip.fps, frames, clip.width, clip.height, shown, *colour, len(clip.figures), 0
    )
    step = max(clip.width, clip.height) / STEPS
    payload = head + b"".join(_pack_figure(figure, step) for figure in clip.figures)
    return pack(KIND, payload)


def read_track(data: bytes) -> TrackClip:
    """Read a clip.

    Raises:
        InvalidTrack: when the bytes are no track, of another version, incomplete or damaged.
    """
    return _read_clip(unpack(KIND, data))


def _pack_figure(figure: TrackFigure, step: float) -> bytes:
    count, groups = figure.vertices.shape[1], len(figure.groups) - 1
    if count > MOST or groups > 255:
        msg = f"a track holds {MOST} vertices and 255 groups a figure, got {count} and {groups}"
        raise ValueError(msg)
    low = figure.vertices.min(axis=0, initial=np.inf).min(axis=0) if count else np.zeros(2)
    high = figure.vertices.max(axis=0, initial=-np.inf).max(axis=0) if count else np.zeros(2)
    step = float(np.float32(max(step, float((high - low).max()) / (MOST - 1) * 1.000001)))
    origin = low.astype(np.float32)
    head = FIGURE_HEAD.pack(
        count, len(figure.triangles), groups, figure.columns, *origin, step, len(figure.texture)
    )
    counted = np.rint((figure.vertices.astype(np.float64) - origin) / step)
    places = np.clip(counted, 0, MOST - 1).astype(np.uint16)
    return b"".join(
        (
            head,
            figure.texture,
            pack_texels(figure.texels),
            figure.triangles.astype("<u2").tobytes(),
            figure.groups.astype("<u4").tobytes(),
            figure.order.astype(np.uint8).tobytes(),
            *(pack_places(places[..., axis]) for axis in range(2)),
        )
    )


def _read_clip(reader: Reader) -> TrackClip:
    fps, frames, width, height, shown, red, green, blue, count, _ = reader.head(CLIP_HEAD)
    if not (np.isfinite(fps) and fps > 0 and frames and width and height):
        msg = "This vertex track has no frames, no size or no speed."
        raise InvalidTrack(msg)
    figures = tuple(_read_figure(reader, int(frames)) for _ in range(int(count)))
    reader.end()
    background = (int(red), int(green), int(blue)) if shown else None
    return TrackClip(float(fps), int(width), int(height), background, figures)


def _read_figure(reader: Reader, frames: int) -> TrackFigure:
    numbers = reader.head(FIGURE_HEAD)
    count, triangle_count, group_count, texture_bytes = (int(numbers[i]) for i in (0, 1, 2, 7))
    origin, step = np.array(numbers[4:6]), float(numbers[6])
    if count > MOST or group_count > 255 or not np.isfinite([*origin, step]).all():
        msg = "A figure of this vertex track is out of all bounds."
        raise InvalidTrack(msg)
    texture = reader.take(texture_bytes)
    texels = read_texels(reader, count).astype(np.float32)
    triangles = reader.array("<u2", triangle_count, 3).astype(np.int32)
    groups = reader.array("<u4", group_count + 1).astype(np.int64)
    order = reader.array("u1", frames, group_count).astype(np.uint8)
    _check_figure(count, triangles, groups, order)
    places = np.stack([read_places(reader, frames, count) for _ in range(2)], axis=2)
    vertices = (places * step + origin).astype(np.float32)
    return TrackFigure(vertices, texels, triangles, groups, order, texture, int(numbers[3]))


def _check_figure(
    count: int,
    triangles: NDArray[np.int32],
    groups: NDArray[np.int64],
    order: NDArray[np.uint8],
) -> None:
    sound = (
        (not triangles.size or triangles.max() < count)
        and groups[0] == 0
        and groups[-1] == len(triangles)
        and (np.diff(groups) >= 0).all()
        and (np.sort(order, axis=1) == np.arange(order.shape[1])).all()
    )
    if not sound:
        msg = (
            "A figure of this vertex track names vertices, triangles or groups that are not there."
        )
        raise InvalidTrack(msg)
