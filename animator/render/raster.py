"""Moved meshes to frames: textured triangles, painter's order, no GL."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from animator.core.errors import EncodingFailed
from animator.core.moved_figure import MovedFigure
from animator.core.pose import VertexTrack
from animator.core.scene import Placement, Scene
from animator.core.spaces import WorldToFrame
from animator.core.stage import Stage
from animator.render.backdrop import lay_backdrop
from animator.render.order import Layer, layers, stack
from animator.render.sampling import Paint, paint_from_texture, sample
from animator.render.spans import Spans, scan

__all__ = ("rasterize",)


@dataclass(frozen=True, slots=True, eq=False)
class _Actor:
    """One figure, ready to be drawn in any frame of the scene."""

    track: VertexTrack
    frames: NDArray[np.int64]
    triangles: NDArray[np.int32]
    layers: tuple[Layer, ...]
    paint: Paint
    texels: NDArray[np.float64]
    place: Placement


def rasterize(stage: Stage, frames: Iterable[int] | None = None) -> Iterator[NDArray[np.uint8]]:
    """Frames of the scene, one after the other: (H, W, 4) uint8 RGBA, straight alpha.

    frames: which; all, when none are named.

    Raises:
        EncodingFailed: when the scene has no such frame.
    """
    scene = stage.scene
    empty = lay_backdrop(scene, stage.picture).reshape(-1, 4)
    actors = [
        _actor(one, place, stage.frames_of(number), scene.camera)
        for number, (one, place) in enumerate(zip(stage.moved, scene.placements, strict=True))
    ]
    for frame in range(scene.frame_count) if frames is None else frames:
        if not 0 <= frame < scene.frame_count:
            last = scene.frame_count - 1
            msg = f"There is no frame {frame}: the clip has the frames 0 to {last}."
            raise EncodingFailed(msg)
        canvas = empty.copy()
        for actor in actors:
            _draw(actor, int(actor.frames[frame]), scene, canvas)
        yield _finish(canvas, scene)


def _actor(
    one: MovedFigure, place: Placement, frames: NDArray[np.int64], camera: WorldToFrame
) -> _Actor:
    rig = one.rig
    paint = paint_from_texture(rig.texture, camera.scale * place.scale / rig.to_world.height)
    texels = rig.to_world.invert(rig.mesh.vertices).astype(np.float64) * paint.scale - 0.5
    return _Actor(
        track=one.track,
        frames=frames,
        triangles=rig.mesh.triangles,
        layers=layers(rig, one.track),
        paint=paint,
        texels=texels,
        place=place,
    )


def _finish(canvas: NDArray[np.uint8], scene: Scene) -> NDArray[np.uint8]:
    """The frame with straight alpha."""
    frame = canvas.reshape(scene.size.height, scene.size.width, 4)
    if scene.background.kind == "transparent":
        thin = (frame[..., 3] > 0) & (frame[..., 3] < 255)
        part = frame[thin].astype(np.float32)
        part[:, :3] *= 255 / part[:, 3:]
        frame[thin] = np.clip(np.rint(part), 0, 255).astype(np.uint8)
    return frame


def _draw(actor: _Actor, frame: int, scene: Scene, canvas: NDArray[np.uint8]) -> None:
    """Lay a figure over a canvas (H * W, 4), premultiplied."""
    place = actor.place
    moved = actor.track.vertices[frame] * np.float32(place.scale)
    moved = scene.camera.apply(moved + np.array([place.x, place.y], np.float32))
    drawn = stack(actor.layers, actor.track.order[frame])
    triangles = actor.triangles[np.concatenate([layer.triangles for layer in drawn])]
    corners = moved[triangles].astype(np.float64)
    spans = scan(corners, scene.size.width, scene.size.height)
    colours = sample(actor.paint, *_texels(_texel_maps(corners, actor.texels[triangles]), spans))
    pixels = _pixels(spans, scene.size.width)
    ends = np.cumsum([len(layer.triangles) for layer in drawn])
    done = np.concatenate(([0], np.cumsum(spans.count)))
    _blend(canvas, pixels, colours, done[np.searchsorted(spans.triangle, ends)])


def _texel_maps(corners: NDArray[np.float64], texels: NDArray[np.float64]) -> NDArray[np.float32]:
    """Affine maps (2, 3, T) float32 from pixel column and row to texture pixels.

    A triangle squeezed to nothing covers no pixel; its map is 0.
    """
    (ax, ay), (bx, by) = np.moveaxis(corners[:, 1:] - corners[:, :1], 0, -1)
    a, b = np.moveaxis(texels[:, 1:] - texels[:, :1], 1, 0)
    area = ax * by - ay * bx
    safe = np.where(area == 0, np.inf, area)[:, None]
    across = (a * by[:, None] - b * ay[:, None]) / safe
    down = (b * ax[:, None] - a * bx[:, None]) / safe
    shift = texels[:, 0] - across * (corners[:, 0, :1] - 0.5) - down * (corners[:, 0, 1:] - 0.5)
    maps = np.stack((across, down, shift)).transpose(2, 0, 1)
    return np.ascontiguousarray(maps, np.float32)


def _texels(
    maps: NDArray[np.float32], spans: Spans
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Where in the texture each covered pixel looks: x and y, (N,) float32 each."""
    starts = (np.cumsum(spans.count) - spans.count).astype(np.float32)
    along = np.arange(int(spans.count.sum()), dtype=np.float32)
    along -= np.repeat(starts, spans.count)
    column, row = spans.first.astype(np.float32), spans.row.astype(np.float32)
    x, y = (
        _steps(across * column + down * row + shift, across, along, spans)
        for across, down, shift in maps.take(spans.triangle, axis=2)
    )
    return x, y


def _steps(
    start: NDArray[np.float32], step: NDArray[np.float32], along: NDArray[np.float32], spans: Spans
) -> NDArray[np.float32]:
    """Numbers (N,) that begin anew in each span and go by its step."""
    found = np.repeat(step, spans.count)
    found *= along
    found += np.repeat(start, spans.count)
    return found


def _pixels(spans: Spans, width: int) -> NDArray[np.int64]:
    """The place of each covered pixel on the flattened canvas: (N,)."""
    start = spans.row * width + spans.first - (np.cumsum(spans.count) - spans.count)
    found = np.repeat(start, spans.count)
    found += np.arange(len(found))
    return found


def _blend(
    canvas: NDArray[np.uint8],
    pixels: NDArray[np.int64],
    colours: NDArray[np.uint8],
    ends: NDArray[np.int64],
) -> None:
    """Lay premultiplied colours (N, 4) over pixels (N,) of the canvas, layer by layer.

    ends: of each layer, in pixels.
    """
    alpha = np.ascontiguousarray(colours[:, 3])
    solid = np.flatnonzero(alpha == 255)
    thin = np.flatnonzero((alpha > 0) & (alpha < 255))
    # four bytes at a time are moved as one number
    whole, packed = canvas.view(np.uint32)[:, 0], colours.view(np.uint32)[:, 0]
    paint, at_solid = packed.take(solid), pixels.take(solid)
    soft, at_thin = colours.take(thin, axis=0), pixels.take(thin)
    left = np.uint16(255) - soft[:, 3:].astype(np.uint16)
    a = b = 0
    for c, d in zip(np.searchsorted(solid, ends), np.searchsorted(thin, ends), strict=True):
        whole[at_solid[a:c]] = paint[a:c]
        below = whole[at_thin[b:d]].view(np.uint8).reshape(-1, 4)
        behind = (below * left[b:d] + np.uint16(127)) // np.uint16(255)
        whole[at_thin[b:d]] = (soft[b:d] + behind.astype(np.uint8)).view(np.uint32)[:, 0]
        a, b = c, d
