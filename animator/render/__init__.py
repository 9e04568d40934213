"""The render room: moved figures become frames, frames become files."""

from animator.render.compose import plan_scene
from animator.render.encode import encode
from animator.render.pictures import frame_of
from animator.render.raster import rasterize

__all__ = ("encode", "frame_of", "plan_scene", "rasterize")
