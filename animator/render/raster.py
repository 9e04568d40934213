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
from animator.render.spans import Cover, cover

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
    covered = cover(corners, scene.size.width, scene.size.height)
    maps = _texel_maps(corners, actor.texels[triangles])
    colours = sample(actor.paint, *_apply(maps, covered))
    pixels = covered.y * scene.size.width + covered.x
    ends = np.cumsum([len(layer.triangles) for layer in drawn])
    start = 0
    for end in np.searchsorted(covered.triangle, ends):
        _blend(canvas, pixels[start:end], colours[start:end])
        start = end


def _texel_maps(corners: NDArray[np.float64], texels: NDArray[np.float64]) -> NDArray[np.float32]:
    """Affine maps (T, 2, 3) float32 from pixel column and row to texture pixels.

    A triangle squeezed to nothing covers no pixel; its map is 0.
    """
    sides = corners[:, 1:] - corners[:, :1]
    area = sides[:, 0, 0] * sides[:, 1, 1] - sides[:, 0, 1] * sides[:, 1, 0]
    safe = np.where(area == 0, np.inf, area)
    inverse = (
        np.stack(
            (sides[:, 1, 1], -sides[:, 0, 1], -sides[:, 1, 0], sides[:, 0, 0]), axis=1
        ).reshape(-1, 2, 2)
        / safe[:, None, None]
    )
    linear = np.swapaxes(inverse @ (texels[:, 1:] - texels[:, :1]), 1, 2)
    shift = texels[:, 0] - (linear @ (corners[:, 0] - 0.5)[..., None])[..., 0]
    return np.concatenate((linear, shift[..., None]), axis=2).astype(np.float32)


def _apply(
    maps: NDArray[np.float32], covered: Cover
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Where in the texture each covered pixel looks: x and y, (N,) float32 each."""
    of = maps[covered.triangle]
    column, row = covered.x.astype(np.float32), covered.y.astype(np.float32)
    x, y = (of[:, k, 0] * column + of[:, k, 1] * row + of[:, k, 2] for k in range(2))
    return x, y


def _blend(
    canvas: NDArray[np.uint8], pixels: NDArray[np.int64], colours: NDArray[np.uint8]
) -> None:
    """Lay premultiplied colours (N, 4) over pixels (N,) of the canvas."""
    left = np.uint16(255) - colours[:, 3:].astype(np.uint16)
    behind = (canvas[pixels] * left + np.uint16(127)) // np.uint16(255)
    canvas[pixels] = colours + behind.astype(np.uint8)
