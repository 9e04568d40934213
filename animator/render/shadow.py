"""Soft shadows on the ground: an ellipse under each figure, fainter while it is in the air."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from animator.core.pose import VertexTrack
from animator.core.scene import Placement
from animator.core.spaces import WorldToFrame

__all__ = ("Shadow", "cast", "shadow_of")

NEAR = 0.18
"""How far above the ground parts count little for where the shadow lies; figure heights."""

DARKEST = 0.42
"""Share of the light that the middle of a shadow takes away."""

FLATNESS = 0.2
"""Height of the ellipse over its width: the ground is seen from a little above."""

RAISED = 0.3
"""How far the middle lies above the lowest point of the clip, in heights of the ellipse: feet stand
in their shadow."""

FADE = 0.4
"""Height of a jump at which a shadow has lost about two thirds of its darkness; figure heights."""

SPREAD, NARROWEST = 2.2, 0.12
"""Half the ellipse's width, in standard deviations of what is near the ground, and at least, in
figure heights."""


@dataclass(frozen=True, slots=True, eq=False)
class Shadow:
    """The shadow of one figure in every frame of its track.

    Attributes:
        centres: (F, 2) float32, frame space, pixels.
        widths: (F,) float32, half of each ellipse's, pixels, > 0.
        darkness: (F,) float32, of its middle, in [0, DARKEST].
    """

    centres: NDArray[np.float32]
    widths: NDArray[np.float32]
    darkness: NDArray[np.float32]


def shadow_of(track: VertexTrack, place: Placement, camera: WorldToFrame) -> Shadow:
    """Let a figure cast its shadow on the ground, which is where it comes lowest in its clip."""
    across, up = track.vertices[..., 0], track.vertices[..., 1]
    height = up - up.min()
    weight = np.exp(-(height - height.min(axis=1, keepdims=True)) / np.float32(NEAR))
    weight /= weight.sum(axis=1, keepdims=True)
    middle = (weight * across).sum(axis=1)
    spread = np.sqrt((weight * (across - middle[:, None]) ** 2).sum(axis=1))
    at = np.stack((middle, np.full_like(middle, up.min())), axis=1)
    fading = np.exp(-height.min(axis=1) / np.float32(FADE))
    return Shadow(
        centres=camera.apply(place.apply(at)),
        widths=np.maximum(SPREAD * spread, NARROWEST) * np.float32(place.scale * camera.scale),
        darkness=np.float32(DARKEST) * fading,
    )


def cast(shadow: Shadow, frame: int, canvas: NDArray[np.uint8]) -> None:
    """Darken a canvas (H, W, 4), premultiplied, by the shadow of a frame of the figure's track."""
    x, y = (float(value) for value in shadow.centres[frame])
    wide = float(shadow.widths[frame])
    high = wide * FLATNESS
    y -= RAISED * high
    part = canvas[max(int(y - high), 0) : max(int(y + high) + 1, 0)]
    part = part[:, max(int(x - wide), 0) : max(int(x + wide) + 1, 0)]
    down = (np.arange(part.shape[0]) + max(int(y - high), 0) + 0.5 - y) / high
    along = (np.arange(part.shape[1]) + max(int(x - wide), 0) + 0.5 - x) / wide
    inside = np.maximum(1.0 - down[:, None] ** 2 - along**2, 0.0)
    # it falls off to nothing without an edge
    taken = np.rint(255 * shadow.darkness[frame] * inside**1.5).astype(np.uint16)[..., None]
    kept = (part * (255 - taken) + 127) // 255
    kept[..., 3:] += taken
    part[...] = kept.astype(np.uint8)
