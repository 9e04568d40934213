"""GIFs of a limited size: fewer colours, then fewer frames, then smaller ones, until it fits."""

from dataclasses import dataclass
from pathlib import Path

import msgspec

from animator.core.animation import Animation, AnimationFormat, FrameSize
from animator.core.errors import EncodingFailed
from animator.core.stage import Stage
from animator.render.gif import PACE, GifSettings, GifWriter, TooManyBytes
from animator.render.palette import COLOURS
from animator.render.shown import draw_some

__all__ = ("write_gif_within",)


@dataclass(frozen=True, slots=True)
class _Rung:
    """How much is given up: colours at most, one of how many frames, share of the side."""

    colours: int = COLOURS
    every: int = 1
    share: float = 1.0


LADDER = (
    _Rung(),
    _Rung(64),
    _Rung(32),
    _Rung(32, 2),
    _Rung(32, 3),
    *(_Rung(32, 3, share) for share in (0.8, 0.65, 0.5, 0.4)),
    _Rung(16, 4, 0.33),
    _Rung(16, 4, 0.25),
    _Rung(8, 5, 0.2),
)
"""Tried one after the other."""

SMALLEST = 32
"""Least side of a frame, pixels."""


def write_gif_within(stage: Stage, path: Path, max_bytes: int, plays: int = 0) -> Animation:
    """Write the GIF of a stage as good as fits; its `given_up` says what it has less of.

    max_bytes: largest file, bytes.
    plays: how often it plays before it stops; 0: for ever.

    Raises:
        EncodingFailed: when it does not fit though all was given up, or cannot be written.
    """
    draft = path.with_name(f".{path.name}.part")
    try:
        for rung in LADDER:
            smaller = _scaled(stage, rung.share)
            if _fits(smaller, draft, GifSettings(rung.colours, rung.every, max_bytes, plays)):
                draft.replace(path)
                return _describe(path, smaller, rung)
    except OSError as error:
        msg = "The animation could not be written."
        raise EncodingFailed(msg) from error
    finally:
        draft.unlink(missing_ok=True)
    msg = (
        f"No GIF of this clip fits into {max_bytes} bytes, not even a small one of few colours. "
        "Allow more, or choose a plain background or another format."
    )
    raise EncodingFailed(msg)


def _fits(stage: Stage, path: Path, settings: GifSettings) -> bool:
    """Write the file; whether it is within its limit. It is given up as soon as it is not."""
    count, fps = stage.scene.frame_count, stage.scene.fps
    writer = GifWriter(path, fps, settings)
    try:
        for frame in draw_some(stage, PACE.shown(count, fps, settings.every)):
            writer.write(frame)
        writer.close()
    except TooManyBytes:
        return False
    finally:
        writer.abort()
    return True


def _scaled(stage: Stage, share: float) -> Stage:
    """The stage with smaller frames."""
    if share == 1.0:
        return stage
    scene = stage.scene
    sides = [
        max(2 * round(side * share / 2), min(side, SMALLEST))
        for side in (scene.size.width, scene.size.height)
    ]
    factor = min(sides[0] / scene.size.width, sides[1] / scene.size.height)
    camera = msgspec.structs.replace(
        scene.camera,
        scale=scene.camera.scale * factor,
        origin_x=scene.camera.origin_x * factor,
        origin_y=scene.camera.origin_y * factor,
    )
    size = FrameSize(width=sides[0], height=sides[1])
    smaller = msgspec.structs.replace(scene, size=size, camera=camera)
    return Stage(smaller, stage.moved, stage.picture)


def _describe(path: Path, stage: Stage, rung: _Rung) -> Animation:
    scene, given_up = stage.scene, []
    frames = len(PACE.shown(scene.frame_count, scene.fps, rung.every))
    if rung.colours < COLOURS:
        given_up.append(f"{rung.colours} colours")
    if rung.every > 1:
        given_up.append(f"{scene.fps / rung.every:g} frames a second")
    if rung.share < 1:
        given_up.append(f"{scene.size.width} x {scene.size.height} pixels")
    return Animation(
        blob=path.name,
        format=AnimationFormat.GIF,
        width=scene.size.width,
        height=scene.size.height,
        fps=scene.fps * (frames / scene.frame_count),
        frame_count=frames,
        bytes=path.stat().st_size,
        given_up=", ".join(given_up),
    )
