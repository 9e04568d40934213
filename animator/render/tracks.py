"""Stages to vertex tracks: what a page needs to draw the clip by itself."""

from io import BytesIO

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from animator.core.moved_figure import MovedFigure
from animator.core.scene import Placement
from animator.core.spaces import WorldToFrame
from animator.core.stage import Stage
from animator.render.blend import straighten
from animator.render.order import back_to_front
from animator.render.sampling import paint_from_texture
from animator.render.track import TrackClip, TrackFigure, pack_track

__all__ = ("clip_of", "picture_of", "track_of")

FINENESS = 2.0
"""Pixels of the texture for each of the frame's, at most: for screens with small pixels."""

MOST_COLUMNS = 65_535
"""A track has no room for more; nobody sees a figure so large."""

ROWS = 24
"""Rows of a texture along which vertices are numbered; with more, or fewer, files grow."""

REACH = 5
"""Side of the square over which paint may be mixed with what lies under clear pixels beside it."""

QUALITY = 92
"""Of the texture's colour, 0..100; higher is better and larger. Alpha is kept as it is."""

METHOD = 2
"""How hard WebP tries, 0..6; with 4 a texture is a tenth smaller, and takes three times as long."""


def track_of(stage: Stage) -> bytes:
    """The vertex track of a stage; a picture behind the figures is left to the page."""
    return pack_track(clip_of(stage))


def clip_of(stage: Stage) -> TrackClip:
    """What the vertex track of a stage holds."""
    scene = stage.scene
    return TrackClip(
        fps=scene.fps,
        width=scene.size.width,
        height=scene.size.height,
        background=scene.background.colour if scene.background.kind == "colour" else None,
        figures=tuple(
            _figure(one, place, scene.camera)
            for one, place in zip(stage.played(), scene.placements, strict=True)
        ),
    )


def _figure(one: MovedFigure, place: Placement, camera: WorldToFrame) -> TrackFigure:
    """Triangles are put in the order in which frames are drawn, group by group."""
    rig, track = one.rig, one.track
    groups = track.order.shape[1]
    counts = np.bincount(track.group_of, minlength=groups)
    chosen = back_to_front(rig, track, np.arange(groups))
    # the texture is of the whole figure, in whatever size
    height, width = one.figure.image.shape[:2]
    texels = rig.to_world.invert(rig.mesh.vertices) / np.array([width, height])
    order = _row_by_row(texels)
    number = np.argsort(order)
    scale = camera.scale * place.scale / rig.to_world.height
    columns = round(rig.texture.shape[1] * scale / rig.texels[1])
    return TrackFigure(
        vertices=camera.apply(place.apply(track.vertices[:, order])),
        texels=texels[order].astype(np.float32),
        triangles=number[rig.mesh.triangles[chosen]].astype(np.int32),
        groups=np.concatenate(([0], np.cumsum(counts))),
        order=track.order.astype(np.uint8),
        texture=picture_of(rig.texture, FINENESS * scale / rig.texels[0]),
        columns=min(columns, MOST_COLUMNS),
    )


def _row_by_row(texels: NDArray[np.float64]) -> NDArray[np.int64]:
    """Vertices (V,) to and fro along rows of the texture: what moves alike comes together."""
    row = np.floor(texels[:, 1] * ROWS)
    return np.lexsort((np.where(row % 2, -texels[:, 0], texels[:, 0]), row))


def picture_of(texture: NDArray[np.uint8], scale: float) -> bytes:
    """A texture (h, w, 4) as a WebP picture, no larger than it is."""
    paint = paint_from_texture(texture, scale)
    small = texture.copy() if paint.scale == (1.0, 1.0) else straighten(paint.data)
    # what is clear, and far from all paint, is never seen; of one colour it takes fewest bytes
    seen = small[..., 3] > 0
    unseen = cv2.dilate(seen.astype(np.uint8), np.ones((REACH, REACH), np.uint8)) == 0
    if seen.any():
        small[unseen, :3] = small[seen][:, :3].mean(axis=0)
    data = BytesIO()
    Image.fromarray(small).save(data, "WEBP", quality=QUALITY, method=METHOD, exact=True)
    return data.getvalue()
