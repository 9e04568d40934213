"""`animator animate`: drawings in, moving pictures out."""

import argparse
import sys
from pathlib import Path

from animator.cli import Subparsers
from animator.core.animation import FORMATS, AnimationFormat, format_of
from animator.core.colour import colour_from_text
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
  animator animate drawing.jpg --motion run --side 128 -o run.sheet.zip
  animator animate drawing.jpg -o bob.character.zip
  animator animate bob.character.zip --motion skip -o skip.gif
  animator animate drawings/*.jpg --motion jump -o animations/

`animator motions` lists the motions. The exit code is 0 when all drawings were animated, else 1.
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
    parser.add_argument("--motion", default="dance", metavar="NAME", help="what they do (dance)")
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
        type=_colour,
        default="white",
        metavar="COLOUR",
        help="white, black, transparent (not MP4) or #rrggbb (white)",
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
    from animator.cli.animating import animate_file, request_for
    from animator.cli.drawings import LocalModels

    request = request_for(
        motion=args.motion,
        side=args.side,
        colour=args.background,
        formats=(form,),
        still=args.frame,
    )
    models = LocalModels()
    failures = 0
    for file in args.files:
        target = _target(file, args, named, form)
        try:
            animate_file(file, target, request, models)
        except AnimatorError as error:
            print(f"{file}: {error.message}", file=sys.stderr)
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
    if args.background is None and not FORMATS[form].has_alpha:
        return f"{form.upper()} has no transparency; write WebM or GIF, or choose a background"
    return None


def _target(
    file: Path, args: argparse.Namespace, named: AnimationFormat | None, form: AnimationFormat
) -> Path:
    if named:
        return Path(args.output)
    stem = file.resolve().stem.removesuffix(".character")
    return Path(args.output or ".") / f"{stem}-{args.motion}.{form.suffix}"


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


def _colour(text: str) -> tuple[int, int, int] | None:
    try:
        return colour_from_text(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
