"""One scene's file to one animation, with what it names read from disk."""

import sys
import tempfile
import time
from pathlib import Path

import msgspec

from animator.cli.casting import cast_role
from animator.cli.drawings import LocalModels, read_drawing
from animator.cli.progress_line import ProgressLine
from animator.core.animation import FORMATS, Animation, AnimationFormat, FrameSize, format_of
from animator.core.errors import EncodingFailed, InvalidScene
from animator.core.scene import Fit
from animator.core.script import Script
from animator.ingest import read_scene
from animator.pipeline import film
from animator.render import EXPORTERS
from animator.staging import stage_script
from animator.vision import Predictor

__all__ = ("Wishes", "render_scene")

_CASTING = 0.4
"""Share of the time that passes before the frames are drawn."""


class Wishes(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked for instead of what the scene says; None: as it says.

    Attributes:
        output: the file to write.
        size: of the frames.
        fit: how a background picture fills the frame.
        moves_camera: whether the camera steps back where a figure would leave the frame.
    """

    output: Path | None = None
    size: tuple[int, int] | None = None
    fit: Fit | None = None
    moves_camera: bool | None = None


def render_scene(file: Path, wishes: Wishes, predictor: Predictor | None = None) -> str:
    """Render a scene, with notes on stderr; says what was written.

    predictor: finds the figures in drawings; None: the models, in this process.

    Raises:
        AnimatorError: whatever keeps it from being rendered; no file is written then.
    """
    began = time.monotonic()
    script = _as_wished(read_scene(file), wishes)
    for note in script.notes:
        print(note, file=sys.stderr)
    target, form = _target(script)
    line = ProgressLine(file.name)
    try:
        animation = _render(script, target, form, predictor or LocalModels(), line)
    finally:
        line.clear()
    seconds = animation.frame_count / animation.fps
    return (
        f"{target}: {animation.width} x {animation.height}, {seconds:.1f} s at "
        f"{animation.fps:.0f} frames a second, made in {time.monotonic() - began:.1f} s"
    )


def _as_wished(script: Script, wishes: Wishes) -> Script:
    changes: dict[str, object] = {}
    if wishes.output is not None:
        changes["output"] = wishes.output
    if wishes.size is not None:
        changes["size"] = FrameSize(width=wishes.size[0], height=wishes.size[1])
    if wishes.fit is not None:
        changes["background"] = msgspec.structs.replace(script.background, fit=wishes.fit)
    if wishes.moves_camera is not None:
        changes["moves_camera"] = wishes.moves_camera
    return msgspec.structs.replace(script, **changes)


def _target(script: Script) -> tuple[Path, AnimationFormat]:
    """The file to write, and its format.

    Raises:
        InvalidScene: when none is named, or it cannot hold a scene.
    """
    if script.output is None:
        msg = (
            f"{script.where} names no file to write: in AnimatedDrawings it opens a window. Name "
            "one, such as -o scene.gif; the page of `animator serve` plays and halts."
        )
        raise InvalidScene(msg)
    form = format_of(script.output.name)
    if form is None or form in EXPORTERS:
        films = [facts for kind, facts in FORMATS.items() if kind not in EXPORTERS]
        known = ", ".join(f".{facts.suffix}" for facts in films)
        msg = f"{script.output}: a scene is written as {known}."
        raise InvalidScene(msg)
    return script.output, form


def _render(
    script: Script, target: Path, form: AnimationFormat, predictor: Predictor, line: ProgressLine
) -> Animation:
    if not FORMATS[form].has_alpha and script.background.kind == "transparent":
        background = msgspec.structs.replace(script.background, kind="colour")
        script = msgspec.structs.replace(script, background=background)
    picture = None if script.picture is None else read_drawing(script.picture).image
    cast = []
    for number, role in enumerate(script.roles):
        line.show("reading", _CASTING * number / len(script.roles))
        cast.append(cast_role(role, predictor))
    stage = stage_script(script, cast, picture)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".animator-") as folder:
            draft = Path(folder) / f"animation.{form.suffix}"
            (animation,) = film(
                stage,
                {form: draft},
                lambda step, share: line.show(step, _CASTING + (1 - _CASTING) * share),
            )
            draft.replace(target)
    except OSError as error:
        msg = f"{target} cannot be written: {error.strerror}."
        raise EncodingFailed(msg) from error
    return animation
