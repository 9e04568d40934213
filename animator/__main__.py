"""The command `animator`: finds the command asked for and runs it."""

import argparse
import atexit
import gc
import importlib
import os
import sys
from collections.abc import Sequence

from animator import __version__
from animator.cli import COMMANDS
from animator.core.errors import AnimatorError
from serving.console.parser import Parser

__all__ = ("build_parser", "main")

_INTERRUPTED = 130

_NEW_THINGS = 50_000
"""So many things are made before circles of dead ones are looked for, in place of 700: a command
makes many that stay, when it loads its libraries, and hardly any that go in circles."""

_EXAMPLES = """\
examples:
  animator animate drawing.jpg --motion wave -o wave.gif
  animator render party.toml -o party.mp4
  animator annotate drawings/*.jpg --json > figures.jsonl
  animator motions
"""


def build_parser(commands: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    """The parser with the commands' own parsers in it."""
    parser = Parser(
        prog="animator",
        description="Turns a photo of a drawing into an animation.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"animator {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in commands:
        importlib.import_module(f"animator.cli.{name}").add_parser(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is 0 done, 1 failed, 2 wrong usage, 130 interrupted."""
    # The deformation solves many small systems: threads of the linear algebra would only fight over
    # the cores (two to four times the CPU time). Child processes inherit it.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _collect_seldom()
    words = sys.argv[1:] if argv is None else argv
    known = words[:1] if words and words[0] in COMMANDS else COMMANDS
    args = build_parser(known).parse_args(words)
    command = importlib.import_module(f"animator.cli.{args.command}")
    try:
        return int(command.run(args))
    except AnimatorError as error:
        print(f"animator: {error.message}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader (such as `head`) went away; Python would complain again while it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return _INTERRUPTED


def _collect_seldom() -> None:
    """Spare the search for dead things where it finds nothing: a tenth of a short command's work.

    At the end everything goes; Python would look through all of it once more.
    """
    gc.set_threshold(_NEW_THINGS)
    atexit.register(gc.freeze)


if __name__ == "__main__":
    sys.exit(main())
