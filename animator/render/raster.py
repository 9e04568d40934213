"""Moved meshes to frames: textured triangles, painter's order, no GL."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from animator.core.pose import VertexTrack
from animator.core.rig import Rig
from animator.core.scene import Background, Placement, Scene
from animator.core.spaces import WorldToFrame
from animator.render.order import Layer, layers, stack
from animator.render.sampling import Paint, paint_from_texture, sample
from animator.render.spans import Cover, cover

__all__ = ("rasterize",)


@dataclass(frozen=True, slots=True, eq=False)
class _Actor:
    """One figure, ready to be drawn in any frame."""

    track: VertexTrack
    triangles: NDArray[np.int32]
    layers: tuple[Layer, ...]
    paint: Paint
    texels: NDArray[np.float64]
    place: Placement


def rasterize(
    rigs: Sequence[Rig], tracks: Sequence[VertexTrack], scene: Scene
) -> Iterator[NDArray[np.uint8]]:
    """Frames of the scene, one after the other: (H, W, 4) uint8 RGBA, straight alpha.

    There are as many frames as the longest track has; shorter ones begin again.

    Raises:
        ValueError: when rigs, tracks and placements are not equally many.
    """
    actors = [
        _actor(rig, track, place, scene.camera)
        for rig, track, place in zip(rigs, tracks, scene.placements, strict=True)
    ]
    count = max((len(track.vertices) for track in tracks), default=0)
    for frame in range(count):
        canvas = _canvas(scene)
        for actor in actors:
            _draw(actor, frame % len(actor.track.vertices), scene, canvas)
        yield _finish(canvas, scene)


def _actor(rig: Rig, track: VertexTrack, place: Placement, camera: WorldToFrame) -> _Actor:
    paint = paint_from_texture(rig.texture, camera.scale * place.scale / rig.to_world.height)
    texels = rig.to_world.invert(rig.mesh.vertices).astype(np.float64) * paint.scale - 0.5
    return _Actor(
        track=track,
        triangles=rig.mesh.triangles,
        layers=layers(rig, track),
        paint=paint,
        texels=texels,
        place=place,
    )


def _canvas(scene: Scene) -> NDArray[np.uint8]:
    """An empty frame, premultiplied, flattened to (H * W, 4)."""
    background: Background = scene.background
    colour = (0, 0, 0, 0) if background.kind == "transparent" else (*background.colour, 255)
    pixels = scene.size.width * scene.size.height
    return np.tile(np.array(colour, np.uint8), (pixels, 1))


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
