"""The frames of a stage that formats show, so that no other needs to be drawn."""

from collections.abc import Collection, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from animator.core.animation import AnimationFormat
from animator.core.stage import Stage
from animator.render.changes import PACE as CHANGES_PACE
from animator.render.gif import PACE as GIF_PACE
from animator.render.raster import rasterize

__all__ = ("PACES", "draw_for", "draw_some")

PACES = {
    AnimationFormat.GIF: GIF_PACE,
    AnimationFormat.WEBP: CHANGES_PACE,
    AnimationFormat.APNG: CHANGES_PACE,
}
"""Formats that leave frames out; all others show every one."""


def draw_for(stage: Stage, forms: Collection[AnimationFormat]) -> Iterator[NDArray[np.uint8]]:
    """Frames (H, W, 4) for films of some formats, see `draw_some`."""
    count, fps = stage.scene.frame_count, stage.scene.fps
    kept: set[int] = set()
    for form in forms:
        kept.update(PACES[form].shown(count, fps) if form in PACES else range(count))
    return draw_some(stage, sorted(kept))


def draw_some(stage: Stage, kept: Sequence[int]) -> Iterator[NDArray[np.uint8]]:
    """As many frames (H, W, 4) as the scene has; for those not kept the one before stands in.

    kept: the frames that are drawn, ascending, the first among them.
    """
    ends = [*kept[1:], stage.scene.frame_count]
    for start, end, frame in zip(kept, ends, rasterize(stage, kept), strict=True):
        for _ in range(end - start):
            yield frame
