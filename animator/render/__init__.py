"""The render room: moved figures become frames, frames become files."""

from animator.render.budget import write_gif_within
from animator.render.compose import frame_scene, plan_scene
from animator.render.encode import WRITERS, encode
from animator.render.export import EXPORTERS, export
from animator.render.filming import film_figure, show_frame, stand
from animator.render.raster import rasterize
from animator.render.shown import draw_for

__all__ = (
    "EXPORTERS",
    "WRITERS",
    "draw_for",
    "encode",
    "export",
    "film_figure",
    "frame_scene",
    "plan_scene",
    "rasterize",
    "show_frame",
    "stand",
    "write_gif_within",
)
