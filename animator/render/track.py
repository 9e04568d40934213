"""The vertex track: a clip as moved vertices that a page plays, packed into few bytes."""

import struct
import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from animator.core.errors import InvalidTrack

__all__ = ("TrackClip", "TrackFigure", "pack_track", "read_track")

MAGIC = b"ANVT"
VERSION = 1

FILE_HEAD = struct.Struct("<4sHHI")
"""Magic, version, 0, bytes of the payload before it was packed."""

CLIP_HEAD = struct.Struct("<fIHHBBBBHH")
"""Frames a second, frames, width, height; whether there is a background, its RGB; figures, 0."""

FIGURE_HEAD = struct.Struct("<IIHHfffI")
"""Vertices, triangles, groups, 0; origin x and y, step; bytes of the texture."""

STEPS = 8192
"""Positions are this fine: parts of the frame's longer side."""

MOST = 65_536
"""Most vertices of a figure: triangles name them in sixteen bits, and so are positions counted."""

MAX_PAYLOAD = 256 * 1024 * 1024
"""Most bytes that are unpacked."""


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
    """

    vertices: NDArray[np.float32]
    texels: NDArray[np.float32]
    triangles: NDArray[np.int32]
    groups: NDArray[np.int64]
    order: NDArray[np.uint8]
    texture: bytes


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
    return FILE_HEAD.pack(MAGIC, VERSION, 0, len(payload)) + zlib.compress(payload, 9)


def read_track(data: bytes) -> TrackClip:
    """Read a clip.

    Raises:
        InvalidTrack: when the bytes are no track, of another version, incomplete or damaged.
    """
    if len(data) < FILE_HEAD.size or data[:4] != MAGIC:
        msg = "This is no vertex track."
        raise InvalidTrack(msg)
    _, version, _, length = FILE_HEAD.unpack_from(data)
    if version != VERSION:
        msg = f"This vertex track is of version {version}; only {VERSION} is read."
        raise InvalidTrack(msg)
    return _read_clip(_Reader(_unpack(data[FILE_HEAD.size :], length)))


def _pack_figure(figure: TrackFigure, step: float) -> bytes:
    count, groups = figure.vertices.shape[1], len(figure.groups) - 1
    if count > MOST or groups > 255:
        msg = f"a track holds {MOST} vertices and 255 groups a figure, got {count} and {groups}"
        raise ValueError(msg)
    low = figure.vertices.min(axis=(0, 1), initial=np.inf) if count else np.zeros(2)
    high = figure.vertices.max(axis=(0, 1), initial=-np.inf) if count else np.zeros(2)
    step = float(np.float32(max(step, float((high - low).max()) / (MOST - 1) * 1.000001)))
    origin = low.astype(np.float32)
    head = FIGURE_HEAD.pack(
        count, len(figure.triangles), groups, 0, *origin, step, len(figure.texture)
    )
    counted = np.rint((figure.vertices.astype(np.float64) - origin) / step)
    places = np.clip(counted, 0, MOST - 1).astype(np.uint16)
    texels = np.clip(np.rint((figure.texels + 0.5) * 32768), 0, 65535).astype("<u2")
    return b"".join(
        (
            head,
            figure.texture,
            np.ascontiguousarray(texels.T).tobytes(),
            figure.triangles.astype("<u2").tobytes(),
            figure.groups.astype("<u4").tobytes(),
            figure.order.astype(np.uint8).tobytes(),
            *(_pack_places(places[..., axis]) for axis in range(2)),
        )
    )


def _pack_places(places: NDArray[np.uint16]) -> bytes:
    """Places (F, V) as what is left of them when neighbours and frames before foretell them.

    Low bytes first, then high ones, which are nearly all 0.
    """
    left = places.copy()
    for axis in (0, 0, 1):
        left = np.diff(left, axis=axis, prepend=np.zeros_like(left.take([0], axis=axis)))
    signed = left.view(np.int16)
    zigzag = ((signed << 1) ^ (signed >> 15)).view(np.uint16)
    return (zigzag & 255).astype(np.uint8).tobytes() + (zigzag >> 8).astype(np.uint8).tobytes()


def _unpack(packed: bytes, length: int) -> bytes:
    if length > MAX_PAYLOAD:
        msg = f"This vertex track holds {length} bytes; at most {MAX_PAYLOAD} are read."
        raise InvalidTrack(msg)
    unpacker = zlib.decompressobj()
    try:
        payload = unpacker.decompress(packed, length + 1)
    except zlib.error as error:
        msg = "This vertex track is damaged."
        raise InvalidTrack(msg) from error
    if len(payload) != length or not unpacker.eof or unpacker.unused_data:
        msg = "This vertex track is incomplete or damaged."
        raise InvalidTrack(msg)
    return payload


class _Reader:
    """Takes one thing after the other out of a payload."""

    def __init__(self, payload: bytes) -> None:
        self._payload = payload
        self._place = 0

    def take(self, count: int) -> bytes:
        """The next bytes."""
        if count > len(self._payload) - self._place:
            msg = "This vertex track ends too early."
            raise InvalidTrack(msg)
        self._place += count
        return self._payload[self._place - count : self._place]

    def head(self, kind: struct.Struct) -> tuple[int | float, ...]:
        """The next numbers."""
        return kind.unpack(self.take(kind.size))

    def array(self, kind: str, *shape: int) -> NDArray[np.generic]:
        """The next array."""
        count = int(np.prod(shape, dtype=np.int64))
        data = self.take(count * np.dtype(kind).itemsize)
        return np.frombuffer(data, kind).reshape(shape)

    def end(self) -> None:
        """See that nothing is left."""
        if self._place != len(self._payload):
            msg = "This vertex track has bytes that belong to nothing."
            raise InvalidTrack(msg)


def _read_clip(reader: _Reader) -> TrackClip:
    fps, frames, width, height, shown, red, green, blue, count, _ = reader.head(CLIP_HEAD)
    if not (np.isfinite(fps) and fps > 0 and frames and width and height):
        msg = "This vertex track has no frames, no size or no speed."
        raise InvalidTrack(msg)
    figures = tuple(_read_figure(reader, int(frames)) for _ in range(int(count)))
    reader.end()
    background = (int(red), int(green), int(blue)) if shown else None
    return TrackClip(float(fps), int(width), int(height), background, figures)


def _read_figure(reader: _Reader, frames: int) -> TrackFigure:
    numbers = reader.head(FIGURE_HEAD)
    count, triangle_count, group_count, texture_bytes = (int(numbers[i]) for i in (0, 1, 2, 7))
    origin, step = np.array(numbers[4:6]), float(numbers[6])
    if count > MOST or group_count > 255 or not np.isfinite([*origin, step]).all():
        msg = "A figure of this vertex track is out of all bounds."
        raise InvalidTrack(msg)
    texture = reader.take(texture_bytes)
    texels = reader.array("<u2", 2, count).T.astype(np.float32) / 32768 - 0.5
    triangles = reader.array("<u2", triangle_count, 3).astype(np.int32)
    groups = reader.array("<u4", group_count + 1).astype(np.int64)
    order = reader.array("u1", frames, group_count).astype(np.uint8)
    _check_figure(count, triangles, groups, order)
    places = np.stack([_read_places(reader, frames, count) for _ in range(2)], axis=2)
    vertices = (places * step + origin).astype(np.float32)
    return TrackFigure(vertices, texels.astype(np.float32), triangles, groups, order, texture)


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


def _read_places(reader: _Reader, frames: int, count: int) -> NDArray[np.uint16]:
    """Places (F, V); the sums go around at 65,536."""
    low, high = (reader.array("u1", frames, count).astype(np.uint16) for _ in range(2))
    zigzag = low | (high << 8)
    left = np.asarray((zigzag >> 1) ^ (zigzag & 1) * np.uint16(65535), np.uint16)
    for axis in (1, 0, 0):
        left = np.cumsum(left, axis=axis, dtype=np.uint16)
    return left
