"""Stages to frames: textured triangles, painter's order, no GL."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from animator.core.errors import EncodingFailed
from animator.core.moved_figure import MovedFigure
from animator.core.scene import Placement, Scene
from animator.core.stage import Stage
from animator.render.backdrop import lay_backdrop
from animator.render.blend import straighten
from animator.render.order import back_to_front
from animator.render.overlays import draw_overlays
from animator.render.sampling import Paint, paint_from_texture
from animator.render.shadow import Shadow, cast, shadow_of
from animator.render.spans import Points
from animator.render.triangles import fill_triangles

__all__ = ("rasterize",)


@dataclass(frozen=True, slots=True, eq=False)
class _Actor:
    """One figure, ready to be drawn in any frame of the scene."""

    one: MovedFigure
    place: Placement
    frames: NDArray[np.int64]
    paint: Paint
    texels: Points
    shadow: Shadow | None
    sorted: dict[bytes, tuple[NDArray[np.int32], Points]] = field(default_factory=dict)

    def triangles(self, frame: int) -> tuple[NDArray[np.int32], Points]:
        """Corners (T, 3) of the triangles from back to front, and where they lie in the paint.

        A clip has few orders of limbs, and each is sorted once.
        """
        order = self.one.track.order[frame]
        if (found := self.sorted.get(order.tobytes())) is None:
            rig = self.one.rig
            corners = rig.mesh.triangles[back_to_front(rig, self.one.track, order)]
            found = self.sorted[order.tobytes()] = corners, self.texels[corners]
        return found


def rasterize(stage: Stage, frames: Iterable[int] | None = None) -> Iterator[NDArray[np.uint8]]:
    """Frames of the scene, one after the other: (H, W, 4) uint8 RGBA, straight alpha.

    frames: which; all, when none are named.

    Raises:
        EncodingFailed: when the scene has no such frame.
    """
    scene = stage.scene
    empty = lay_backdrop(scene, stage.picture)
    actors = [_actor(stage, figure) for figure in range(len(stage.moved))]
    for frame in range(scene.frame_count) if frames is None else frames:
        if not 0 <= frame < scene.frame_count:
            last = scene.frame_count - 1
            msg = f"There is no frame {frame}: the clip has the frames 0 to {last}."
            raise EncodingFailed(msg)
        yield _draw(actors, frame, scene, empty.copy())


def _actor(stage: Stage, figure: int) -> _Actor:
    one, place, camera = stage.moved[figure], stage.scene.placements[figure], stage.scene.camera
    rig = one.rig
    texel = rig.to_world.height * rig.texels[1]
    paint = paint_from_texture(rig.texture, camera.scale * place.scale / texel)
    return _Actor(
        one=one,
        place=place,
        frames=stage.frames_of(figure),
        paint=paint,
        texels=_as_points(rig.texture_places() * paint.scale - 0.5),
        shadow=shadow_of(one.track, place, camera) if stage.scene.background.shadow else None,
    )


def _draw(
    actors: list[_Actor], frame: int, scene: Scene, canvas: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """A frame of the scene, drawn on a canvas (H, W, 4), premultiplied."""
    for actor in actors:
        if actor.shadow is not None:
            cast(actor.shadow, int(actor.frames[frame]), canvas)
    for actor in actors:
        _draw_figure(actor, int(actor.frames[frame]), scene, canvas)
    if scene.background.kind == "transparent":
        straighten(canvas)
    if scene.overlays:
        for actor in actors:
            draw_overlays(canvas, scene, actor.one, actor.place, int(actor.frames[frame]))
    return canvas


def _draw_figure(actor: _Actor, frame: int, scene: Scene, canvas: NDArray[np.uint8]) -> None:
    """Lay a frame of a figure's track over a canvas (H, W, 4), premultiplied."""
    moved = scene.camera.apply(actor.place.apply(actor.one.track.vertices[frame]))
    triangles, texels = actor.triangles(frame)
    fill_triangles(canvas, _as_points(moved).take(triangles), actor.paint, texels)


def _as_points(places: NDArray[np.floating]) -> Points:
    """Places (V, 2) as x + iy."""
    return np.ascontiguousarray(places, np.float64).view(np.complex128)[:, 0]
