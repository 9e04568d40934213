"""Moved figures to files for other software, which need no frames drawn."""

from collections.abc import Callable, Mapping
from pathlib import Path

from animator.core.animation import Animation, AnimationFormat
from animator.core.errors import EncodingFailed
from animator.core.stage import Stage
from animator.render.backdrop import backdrop_of
from animator.render.character import characters_of
from animator.render.gltf import gltf_of
from animator.render.joints import joints_of
from animator.render.previewing import previews_of
from animator.render.tracks import track_of

__all__ = ("EXPORTERS", "export")

EXPORTERS: Mapping[AnimationFormat, Callable[[Stage], bytes]] = {
    AnimationFormat.JOINTS: joints_of,
    AnimationFormat.CHARACTER: characters_of,
    AnimationFormat.GLTF: gltf_of,
    AnimationFormat.TRACK: track_of,
    AnimationFormat.BACKDROP: backdrop_of,
    AnimationFormat.PREVIEWS: previews_of,
}


def export(stage: Stage, targets: Mapping[AnimationFormat, Path]) -> tuple[Animation, ...]:
    """Write one file a target, each a format of `EXPORTERS`.

    Raises:
        EncodingFailed: when a file cannot be written.
    """
    scene = stage.scene
    made = []
    for form, path in targets.items():
        try:
            path.write_bytes(EXPORTERS[form](stage))
        except OSError as error:
            msg = f"The file could not be written: {error.strerror}."
            raise EncodingFailed(msg) from error
        animation = Animation(
            blob=path.name,
            format=form,
            width=scene.size.width,
            height=scene.size.height,
            fps=scene.fps,
            frame_count=scene.frame_count,
            bytes=path.stat().st_size,
        )
        made.append(animation)
    return tuple(made)
