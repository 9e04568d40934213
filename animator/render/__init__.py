"""The render room: moved figures become frames, frames become files."""

from animator.render.compose import plan_scene
from animator.render.encode import WRITERS, encode
from animator.render.export import EXPORTERS, export
from animator.render.pictures import frame_of
from animator.render.raster import rasterize

__all__ = ("EXPORTERS", "WRITERS", "encode", "export", "frame_of", "plan_scene", "rasterize")
