"""`animator render`: a scene's file in, its animation out."""

import argparse
import re
import sys
from pathlib import Path

from animator.cli import Subparsers

__all__ = ("add_parser", "run")

_EPILOG = """\
A scene is ours (.toml: figures, their motions, places and times) or AnimatedDrawings' (.yaml, its
"mvc config"), whose motion, retarget and character files are read as they are.
docs/animated-drawings.md says what is done better here, and what a scene of ours can say.

examples:
  animator render party.toml
  animator render party.toml -o party.webm
  animator render examples/config/mvc/multiple_characters_example.yaml
  animator render examples/config/mvc/export_mp4_example.yaml -o zombie.gif --camera fixed
"""


def add_parser(subparsers: Subparsers) -> None:
    """Add the parser of `render`."""
    parser = subparsers.add_parser(
        "render",
        help="turn scene files into animations",
        description="Renders scenes: several figures, each with its own motion, place and time.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("scene", type=Path, metavar="SCENE", help="a .toml or .yaml file")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="a file, whose end says the format (what the scene names)",
    )
    parser.add_argument(
        "--size",
        type=_size,
        metavar="WxH",
        help="of the frames, pixels, even, such as 640x480 (what the scene says)",
    )
    parser.add_argument(
        "--fit",
        choices=("cover", "contain", "stretch"),
        help="how a background picture fills the frame (what the scene says)",
    )
    parser.add_argument(
        "--camera",
        choices=("inside", "fixed"),
        help="inside: steps back where a figure would leave the frame (inside)",
    )


def run(args: argparse.Namespace) -> int:
    """Render one scene."""
    # Arrays, pictures and models are loaded only for this command: `--help` needs none of them.
    from animator.cli.rendering import Wishes, render_scene

    wishes = Wishes(
        output=args.output,
        size=args.size,
        fit=args.fit,
        moves_camera=None if args.camera is None else args.camera == "inside",
    )
    written = render_scene(args.scene, wishes)
    print(written, file=sys.stderr)
    return 0


def _size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"([0-9]{2,4})x([0-9]{2,4})", text)
    sides = tuple(int(side) for side in found.groups()) if found else ()
    if not sides or not all(16 <= side <= 2048 and side % 2 == 0 for side in sides):
        msg = "the size must be such as 640x480, sides even and from 16 to 2048"
        raise argparse.ArgumentTypeError(msg)
    width, height = sides
    return width, height
