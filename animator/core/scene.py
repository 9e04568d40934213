"""Scene: who moves where, in front of what."""

from typing import Literal

import msgspec

from animator.core.animation import FrameSize
from animator.core.spaces import WorldToFrame

__all__ = ("Background", "Placement", "Scene")


class Background(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What lies behind the figures.

    Attributes:
        kind: "transparent", or "colour".
        colour: RGB, 0..255 each; used by "colour".
    """

    kind: Literal["transparent", "colour"] = "colour"
    colour: tuple[int, int, int] = (255, 255, 255)


class Placement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where one figure stands; figures later in the scene are drawn in front.

    Attributes:
        x: of its root in the scene, in world units of the scene.
        y: of its root in the scene, in world units of the scene, upwards.
        scale: height of the figure in world units of the scene, > 0.
    """

    x: float = 0.0
    y: float = 0.0
    scale: float = 1.0


class Scene(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The stage for one animation.

    Attributes:
        size: of every frame.
        camera: the scene's world units to pixels of the frame.
        background: behind all figures.
        placements: one a figure, back to front.
    """

    size: FrameSize
    camera: WorldToFrame
    background: Background
    placements: tuple[Placement, ...]
