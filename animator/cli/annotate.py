"""`animator annotate`: find the figures of drawings, their outlines and joints."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from animator.cli import Subparsers
from animator.cli.complaints import about
from animator.core.errors import AnimatorError

if TYPE_CHECKING:
    from animator.cli.records import Record

__all__ = ("add_parser", "run")

_EPILOG = """\
examples:
  animator annotate drawing.jpg
  animator annotate drawings/*.jpg --json > figures.jsonl

With --json, one line a picture, in the order given; a picture that fails has an "error":
  {"file", "width", "height", "rotation", "figures": [{"box": [x1, y1, x2, y2], "score",
   "joints": {"root": [x, y], ...}, "joint_scores": {...},
   "mask": {"size": [height, width], "counts": COCO run lengths}}], "error": null}
Coordinates are pixels of the picture, turned as its EXIF tag says and no further. "rotation" is
how far it must then be turned clockwise to be upright: 0, 90, 180 or 270 degrees.
The exit code is 0 when all pictures could be read, else 1.
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the parser of `annotate`."""
    parser = subparsers.add_parser(
        "annotate",
        help="find figures, their outlines and joints",
        description="Finds the figures of drawings, with outline and joints. Needs no server.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="pictures of drawings")
    parser.add_argument("--json", action="store_true", help="print one JSON line a picture")


def run(args: argparse.Namespace) -> int:
    """Annotate each file and print what was found; go on after a bad one."""
    # Arrays, pictures and models are loaded only for this command: `--help` needs none of them.
    from animator.cli.drawings import LocalModels, read_drawing
    from animator.cli.records import encode_record, failed_record, record_of
    from animator.pipeline import annotate, say_nothing

    models = LocalModels()
    failures = 0
    for file in args.files:
        try:
            annotation = annotate(read_drawing(file), models, say_nothing)
            record = record_of(str(file), annotation)
        except AnimatorError as error:
            record = failed_record(str(file), error)
            failures += 1
        if args.json:
            sys.stdout.buffer.write(encode_record(record) + b"\n")
            sys.stdout.flush()
        else:
            _print_summary(record)
    return 1 if failures else 0


def _print_summary(record: "Record") -> None:
    """A few lines for people; what failed goes to stderr."""
    if record.error is not None:
        print(about(record.file, record.error.message), file=sys.stderr)
        return
    count = len(record.figures)
    what = "no figure" if not count else "1 figure" if count == 1 else f"{count} figures"
    print(f"{record.file}: {record.width} x {record.height}, {what}", flush=True)
    for figure in record.figures:
        x1, y1, x2, y2 = (round(value) for value in figure.box)
        weakest = min(figure.joint_scores, key=lambda name: figure.joint_scores[name])
        print(
            f"  {figure.score:.0%} sure: {x2 - x1} x {y2 - y1} pixels at ({x1}, {y1}); "
            f"least sure joint: {weakest} ({figure.joint_scores[weakest]:.0%})"
        )
