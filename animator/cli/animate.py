"""`animator animate`: drawings in, moving pictures out."""

import argparse
import sys
from pathlib import Path

from animator.cli import Subparsers
from animator.cli.backdrops import backdrop_from_text, bytes_from_text
from animator.cli.complaints import about
from animator.cli.playing import add_playing, motion_name, wrong_playing
from animator.cli.rigging import add_rigging
from animator.core.animation import FORMATS, AnimationFormat, format_of
from animator.core.errors import AnimatorError

__all__ = ("add_parser", "run")

_ROWS = "\n".join(
    f"  {form:<10} .{facts.suffix:<14} {facts.title}{'' if facts.has_alpha else ', no alpha'}"
    for form, facts in FORMATS.items()
)

_EPILOG = f"""\
formats, and the ends of their files' names:
{_ROWS}

examples:
  animator animate drawing.jpg                       dances, into drawing-dance.gif
  animator animate drawing.jpg --motion wave -o wave.mp4
  animator animate drawing.jpg --background transparent --side 256
  animator animate drawing.jpg --background transparent -o dance.webm
  animator animate drawing.jpg --background paper -o alive.mp4
  animator animate drawing.jpg --background meadow.jpg --shadow -o meadow.mp4
  animator animate drawing.jpg --max-bytes 500k -o small.gif
  animator animate drawing.jpg --motion run --side 128 -o run.sheet.zip
  animator animate drawing.jpg --motion walk --then wave --loop -o hello.gif
  animator animate drawing.jpg --motion recorded.bvh --trim 1.0:3.5 --speed 0.5 --mirror
  animator animate drawing.jpg -o bob.character.zip
  animator animate bob.character.zip --motion skip -o skip.gif
  animator animate drawings/*.jpg --motion jump -o animations/

`animator motions` lists the motions, `animator motions check FILE.bvh` looks into a file. The exit
code is 0 when all drawings were animated, else 1.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the parser of `animate`."""
    parser = subparsers.add_parser(
        "animate",
        help="turn drawings into animations",
        description="Finds the figures of drawings and makes them move. Needs no server.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "files",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="pictures of drawings, or characters: folders with char_cfg.yaml, or zips of them",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE|FOLDER",
        help="a file, whose end says the format, or a folder (beside you: DRAWING-MOTION.gif)",
    )
    parser.add_argument(
        "--format",
        choices=tuple(str(form) for form in FORMATS),
        metavar="NAME",
        help="one of the formats below (as the output's name says; else gif)",
    )
    parser.add_argument(
        "--side", type=_side, default=512, metavar="N", help="longer side, pixels, even (512)"
    )
    parser.add_argument(
        "--frame",
        type=_frame,
        default=0,
        metavar="N",
        help="the frame that a .png shows; the first is 0 (0)",
    )
    parser.add_argument(
        "--background",
        type=backdrop_from_text,
        default="white",
        metavar="WHAT",
        help="white, black, #rrggbb, transparent (not MP4), paper (the drawing's own, without the "
        "figures), or a picture's file (white)",
    )
    _add_looks(parser)
    add_playing(parser)


def _add_looks(parser: argparse.ArgumentParser) -> None:
    """Add what is rarely asked for."""
    parser.add_argument(
        "--fit",
        choices=("cover", "contain", "stretch"),
        default="cover",
        help="how a background picture fills the frame: cut off, whole, or bent (cover)",
    )
    parser.add_argument(
        "--shadow", action="store_true", help="lay a soft shadow on the ground under each figure"
    )
    parser.add_argument(
        "--overlays",
        type=_overlays,
        default=(),
        metavar="LIST",
        help="show how figures are moved: any of bones,mesh,weights",
    )
    add_rigging(parser)
    parser.add_argument(
        "--max-bytes",
        type=bytes_from_text,
        metavar="N",
        help="make the GIF no larger than this, such as 800k or 2M: with fewer colours, then fewer "
        "frames, then smaller",
    )
    parser.add_argument(
        "--plays",
        type=_plays,
        default=0,
        metavar="N",
        help="how often a GIF, WebP or APNG plays before it stops (0: for ever)",
    )


def run(args: argparse.Namespace) -> int:
    """Animate each drawing; go on after a bad one."""
    named = format_of(args.output or "")
    form = AnimationFormat(args.format or named or AnimationFormat.GIF)
    problem = _wrong_use(args, named, form)
    if problem is not None:
        print(f"animator animate: {problem}", file=sys.stderr)
        return 2
    # Arrays, pictures and models are loaded only for this command: `--help` needs none of them.
    from animator.cli.animating import animate_file, order_for
    from animator.cli.drawings import LocalModels

    order = order_for(args, form)
    models = LocalModels()
    failures = 0
    for file in args.files:
        target = _target(file, args, named, form)
        try:
            animate_file(file, target, order, models)
        except AnimatorError as error:
            print(about(file, error.message), file=sys.stderr)
            failures += 1
    return 1 if failures else 0


def _wrong_use(
    args: argparse.Namespace, named: AnimationFormat | None, form: AnimationFormat
) -> str | None:
    """What is wrong with the options together; `named` is what the output's name says."""
    if named and len(args.files) > 1:
        return f"{len(args.files)} drawings cannot go into one file; name a folder after -o"
    if named and named is not form:
        return f"the output's name ends in .{named.suffix}, but --format says {form}"
    suffix = Path(args.output or "").suffix
    if suffix and not named and not Path(args.output).is_dir():
        known = ", ".join(f".{facts.suffix}" for facts in FORMATS.values())
        return f"cannot write {suffix}; end the output's name in one of {known}"
    if args.max_bytes is not None and form is not AnimationFormat.GIF:
        return f"--max-bytes works for GIF only, not for {form.upper()}"
    if args.background.kind == "transparent" and not FORMATS[form].has_alpha:
        return f"{form.upper()} has no transparency; write WebM or GIF, or choose a background"
    return wrong_playing(args)


def _target(
    file: Path, args: argparse.Namespace, named: AnimationFormat | None, form: AnimationFormat
) -> Path:
    if named:
        return Path(args.output)
    stem = file.resolve().stem.removesuffix(".character")
    return Path(args.output or ".") / f"{stem}-{motion_name(args)}.{form.suffix}"


def _side(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 64 <= int(text) <= 1024 or int(text) % 2:
        msg = "the side must be an even number from 64 to 1024"
        raise argparse.ArgumentTypeError(msg)
    return int(text)


def _frame(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 6:
        msg = "the frame must be a number, 0 or more"
        raise argparse.ArgumentTypeError(msg)
    return int(text)


def _plays(text: str) -> int:
    from animator.core.documents import MOST_PLAYS

    if not (text.isascii() and text.isdigit() and int(text) <= MOST_PLAYS):
        msg = f"it can play from 0 (for ever) to {MOST_PLAYS} times"
        raise argparse.ArgumentTypeError(msg)
    return int(text)


def _overlays(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    if not set(names) <= {"bones", "mesh", "weights"}:
        msg = f"{text!r} is no list of bones, mesh and weights, such as bones,mesh"
        raise argparse.ArgumentTypeError(msg)
    return names
