"""Frames to files: every format asked for from one pass over the frames."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from animator.core.animation import Animation, AnimationFormat
from animator.core.errors import EncodingFailed
from animator.render.apng import apng_writer
from animator.render.gif import GifSettings, GifWriter
from animator.render.pictures import PngFramesWriter, StillWriter
from animator.render.sheet import SheetWriter
from animator.render.shown import PACES
from animator.render.webp import webp_writer
from animator.render.writer import FrameWriter

__all__ = ("encode",)

Start = Callable[[Path, float, int], FrameWriter]
"""Begins a file: its path, frames a second, and how often it plays; 0 is for ever."""


def _whatever(start: Callable[[Path, float], FrameWriter]) -> Start:
    """A format that has no say in how often it plays."""
    return lambda path, fps, _: start(path, fps)


def _mp4(path: Path, fps: float, _: int) -> FrameWriter:
    from animator.render.films import mp4_writer

    return mp4_writer(path, fps)


def _webm(path: Path, fps: float, _: int) -> FrameWriter:
    from animator.render.films import webm_writer

    return webm_writer(path, fps)


# only films need FFmpeg, which takes a twentieth of a second to load
WRITERS: Mapping[AnimationFormat, Start] = {
    AnimationFormat.GIF: lambda path, fps, plays: GifWriter(path, fps, GifSettings(plays=plays)),
    AnimationFormat.MP4: _mp4,
    AnimationFormat.WEBM: _webm,
    AnimationFormat.WEBP: webp_writer,
    AnimationFormat.APNG: apng_writer,
    AnimationFormat.PNG: _whatever(StillWriter),
    AnimationFormat.FRAMES: _whatever(PngFramesWriter),
    AnimationFormat.SHEET: _whatever(SheetWriter),
}


def encode(
    frames: Iterable[NDArray[np.uint8]],
    fps: float,
    targets: Mapping[AnimationFormat, Path],
    plays: int = 0,
) -> tuple[Animation, ...]:
    """Write one file a target; each appears under its name when all are whole.

    frames: (H, W, 4) uint8 RGBA, straight alpha, all of one size; consumed once.
    fps: frames a second, > 0.
    plays: how often those that can tell so play before they stop; 0: for ever.
    Returns one animation a target, in their order, whose blob is the name of the file.

    Raises:
        EncodingFailed: when there is no frame, or a file cannot be written.
    """
    drafts = {form: path.with_name(f".{path.name}.part") for form, path in targets.items()}
    writers = [WRITERS[form](draft, fps, plays) for form, draft in drafts.items()]
    try:
        count, size = _write_all(frames, writers)
        with _writing():
            for form, draft in drafts.items():
                draft.replace(targets[form])
    finally:
        for writer in writers:
            writer.abort()
        for draft in drafts.values():
            draft.unlink(missing_ok=True)
    return tuple(_describe(form, path, fps, count, size) for form, path in targets.items())


def _describe(
    form: AnimationFormat, path: Path, fps: float, count: int, size: tuple[int, int]
) -> Animation:
    """What a file holds of so many frames of some (width, height)."""
    held = len(PACES[form].shown(count, fps)) if form in PACES else count
    return Animation(
        blob=path.name,
        format=form,
        width=size[0],
        height=size[1],
        fps=fps * (held / count),
        frame_count=held,
        bytes=path.stat().st_size,
    )


def _write_all(
    frames: Iterable[NDArray[np.uint8]], writers: list[FrameWriter]
) -> tuple[int, tuple[int, int]]:
    """Number of frames, and their (width, height)."""
    count, size = 0, (0, 0)
    for frame in frames:
        size = (frame.shape[1], frame.shape[0])
        with _writing():
            for writer in writers:
                writer.write(frame)
        count += 1
    with _writing():
        if not count:
            msg = "no frame to write"
            raise ValueError(msg)
        for writer in writers:
            writer.close()
    return count, size


@contextmanager
def _writing() -> Iterator[None]:
    """Of the writers' own errors only: whoever makes the frames may be without a network."""
    try:
        yield
    except (OSError, ValueError) as error:
        msg = "The animation could not be written."
        raise EncodingFailed(msg) from error
