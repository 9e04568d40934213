"""From a stage to files."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from animator.core.animation import PLAIN, Animation, AnimationFormat, Finish
from animator.core.stage import Stage
from animator.core.tracing import part, piecewise
from animator.pipeline.progress import Progress
from animator.render import EXPORTERS, draw_for, encode, export, rasterize, write_gif_within

__all__ = ("film",)

_DRAWING = 0.25
"""Share of the work of an animation that comes before its first frame."""


def film(
    stage: Stage,
    targets: Mapping[AnimationFormat, Path],
    progress: Progress,
    finish: Finish = PLAIN,
) -> tuple[Animation, ...]:
    """Draw a stage and write one file a target, in their order; no frame is drawn twice.

    Raises:
        EncodingFailed: when a file cannot be written, or there is no such frame.
    """
    progress("drawing", _DRAWING)
    films = dict(targets)
    stills = {form: films.pop(form) for form in (AnimationFormat.PNG,) if form in films}
    exports = {form: films.pop(form) for form in EXPORTERS if form in films}
    made: list[Animation] = []
    if exports:
        with part("export"):
            made += export(stage, exports)
    if finish.max_bytes is not None and AnimationFormat.GIF in films:
        gif = films.pop(AnimationFormat.GIF)
        with part("encode"):
            made.append(write_gif_within(stage, gif, finish.max_bytes, finish.plays))
    if stills:
        with part("encode"):
            still = piecewise("render", rasterize(stage, [finish.still]))
            made += encode(still, stage.scene.fps, stills)
    if films:
        with part("encode"):
            drawn = piecewise("render", draw_for(stage, films))
            frames = _tell(drawn, stage.scene.frame_count, progress)
            made += encode(frames, stage.scene.fps, films, finish.plays)
    order = list(targets)
    return tuple(sorted(made, key=lambda animation: order.index(animation.format)))


def _tell(
    frames: Iterable[NDArray[np.uint8]], count: int, progress: Progress
) -> Iterator[NDArray[np.uint8]]:
    """Hand on frames (H, W, 4), and tell how many of them are drawn."""
    for index, frame in enumerate(frames):
        progress("drawing", _DRAWING + (1.0 - _DRAWING) * index / count)
        yield frame
