"""One drawing to one file, with progress on stderr."""

import argparse
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import msgspec

from animator.cli.backdrops import Backdrop
from animator.cli.drawings import read_drawing
from animator.cli.playing import files_for, playback_for
from animator.cli.progress_line import ProgressLine
from animator.cli.rigging import note_moved_joints, rigging_for
from animator.core.animation import AnimationFormat
from animator.core.annotation import Annotation
from animator.core.documents import AnimationRequest, Part
from animator.core.drawing import Drawing
from animator.core.errors import EncodingFailed
from animator.core.job import Step
from animator.core.rotation import rotate_drawing
from animator.core.scene import Background
from animator.directing import Directions, direct
from animator.ingest import is_character, read_character
from animator.pipeline import annotate, film, move_figures, set_stage
from animator.vision import Predictor

__all__ = ("Order", "animate_file", "order_for")

_ANNOTATING = 0.4
"""Share of the time that passes before the animation begins."""


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """What the options of `animator animate` ask for.

    Attributes:
        request: how it looks.
        directions: what the figures do.
        picture: what a background of the kind "picture" shows.
    """

    request: AnimationRequest
    directions: Directions
    picture: Drawing | None


def order_for(args: argparse.Namespace, form: AnimationFormat) -> Order:
    """Read what the options name.

    Raises:
        UnknownMotion: when no motion has a name asked for.
        InvalidMotion: when a motion's file cannot be read, or played as asked.
        InvalidImage: when the background's picture cannot be read.
    """
    request = _request_for(args, form)
    directions = direct(request, files_for(args))
    file = args.background.file
    picture = None if file is None else read_drawing(file)
    return Order(request, directions, picture)


def _request_for(args: argparse.Namespace, form: AnimationFormat) -> AnimationRequest:
    backdrop: Backdrop = args.background
    background = {
        "kind": backdrop.kind,
        "colour": backdrop.colour,
        "fit": args.fit,
        "shadow": args.shadow,
    }
    return AnimationRequest(
        motion=args.motion,
        figures={figure: Part(motion=motion) for figure, motion in args.figure},
        playback=playback_for(args),
        side=args.side,
        background=msgspec.convert(background, Background),
        formats=(form,),
        still=args.frame,
        overlays=args.overlays,
        rigging=rigging_for(args),
        max_bytes=args.max_bytes,
        plays=args.plays,
    )


def animate_file(file: Path, target: Path, order: Order, predictor: Predictor) -> None:
    """Animate a drawing and say on stderr what was written.

    Raises:
        AnimatorError: whatever keeps it from being animated; no file is written then.
    """
    began = time.monotonic()
    request = order.request
    line = ProgressLine(file.name)

    def tell(step: Step, share: float) -> None:
        line.show(step, _ANNOTATING + (1 - _ANNOTATING) * share)

    try:
        line.show("reading", 0.0)
        drawing, annotation = _read(file, predictor, line)
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".animator-") as folder:
            upright = rotate_drawing(drawing, annotation.rotation)
            moved = move_figures(upright, annotation, order.directions, tell, request.rigging)
            stage = set_stage(upright, moved, request, order.picture)
            (form,) = request.formats
            draft = Path(folder) / f"animation.{form.suffix}"
            (animation,) = film(stage, {form: draft}, tell, request.finish)
            draft.replace(target)
    except OSError as error:
        msg = f"{target} cannot be written: {error.strerror}."
        raise EncodingFailed(msg) from error
    finally:
        line.clear()
    note_moved_joints(file, moved)
    _note_missing_figures(file, request, annotation)
    seconds = animation.frame_count / animation.fps
    is_still = animation.frame_count == 1
    length = "" if is_still else f", {seconds:.1f} s at {animation.fps:.0f} frames a second"
    print(
        f"{target}: {animation.width} x {animation.height}{length}, "
        f"{animation.bytes / 1000:.0f} kB, made in {time.monotonic() - began:.1f} s",
        file=sys.stderr,
    )
    if animation.given_up:
        print(f"{target}: to fit, it has only {animation.given_up}", file=sys.stderr)


def _note_missing_figures(file: Path, request: AnimationRequest, found: Annotation) -> None:
    """Say on stderr which figures should do something of their own, and are not there."""
    there = {figure.id for figure in found.figures}
    missing = [figure.removeprefix("figure-") for figure in request.figures if figure not in there]
    if missing:
        count = f"{len(there)} of them" if len(there) > 1 else "one"
        print(f"{file}: there is no figure {', '.join(missing)}, only {count}", file=sys.stderr)


def _read(file: Path, predictor: Predictor, line: ProgressLine) -> tuple[Drawing, Annotation]:
    """A drawing and its figures; a character brings them along, and no model is asked."""
    if is_character(file):
        return read_character(file)
    drawing = read_drawing(file)
    found = annotate(drawing, predictor, lambda step, share: line.show(step, _ANNOTATING * share))
    return drawing, found
