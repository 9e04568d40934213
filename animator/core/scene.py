"""Scene: who moves where, in front of what."""

from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from animator.core.animation import FrameSize
from animator.core.spaces import WorldToFrame

__all__ = ("Background", "BackgroundKind", "Fit", "Overlay", "Placement", "Scene")

BackgroundKind = Literal["transparent", "colour", "picture", "paper"]

Fit = Literal["cover", "contain", "stretch"]

Overlay = Literal["bones", "mesh", "weights"]
"""What is shown over the figures of how they are moved: their bones; the triangles' edges; each
triangle in the colour of the bone that it follows."""


class Background(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What lies behind the figures.

    Attributes:
        kind: "transparent"; "colour"; "picture", which is handed in beside the scene; or "paper",
            the drawing itself without the figures that move.
        colour: RGB, 0..255 each; used by "colour", and where a picture does not reach.
        fit: how a picture fills the frame: "cover" cuts off what is too much, "contain" shows all
            of it, "stretch" bends it to the frame's shape.
        shadow: whether a soft shadow lies on the ground under each figure.
    """

    kind: BackgroundKind = "colour"
    colour: tuple[int, int, int] = (255, 255, 255)
    fit: Fit = "cover"
    shadow: bool = False

    def __post_init__(self) -> None:
        if not all(0 <= level <= 255 for level in self.colour):
            msg = f"a colour has three levels from 0 to 255, got {self.colour}"
            raise ValueError(msg)


class Placement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where and when one figure moves; figures later in the scene are drawn in front.

    Attributes:
        x: of its root in the scene, in world units of the scene.
        y: of its root in the scene, in world units of the scene, upwards.
        scale: height of the figure in world units of the scene, > 0.
        start: when its clip begins, seconds after the scene does, >= 0; it stands in its first
            frame until then.
        repeats: whether a clip that ends before the scene begins again; else its last frame stays.
    """

    x: float = 0.0
    y: float = 0.0
    scale: float = 1.0
    start: float = 0.0
    repeats: bool = True

    def apply(self, points: NDArray[np.float32]) -> NDArray[np.float32]:
        """The figure's own world space (..., 2) to the scene's (..., 2), float32."""
        shift = np.array([self.x, self.y], np.float32)
        return np.asarray(points * np.float32(self.scale) + shift, np.float32)


class Scene(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The plan of one animation.

    Attributes:
        size: of every frame.
        fps: frames a second, > 0.
        frame_count: > 0.
        camera: the scene's world units to pixels of the frame.
        background: behind all figures.
        placements: one a figure, back to front.
        drawing_unit: pixels of the drawing that are one world unit of the scene, > 0; a paper is
            laid by it, with its top left corner at the scene's origin.
        overlays: shown over the figures.
    """

    size: FrameSize
    fps: float
    frame_count: int
    camera: WorldToFrame
    background: Background
    placements: tuple[Placement, ...]
    drawing_unit: float = 1.0
    overlays: tuple[Overlay, ...] = ()
