"""`animator motions`: what a figure can be made to do."""

import argparse

from animator.cli import Subparsers

__all__ = ("add_parser", "run")


def add_parser(subparsers: Subparsers) -> None:
    """Add the parser of `motions`."""
    subparsers.add_parser(
        "motions",
        help="list the motions",
        description="Lists the motions: name, length, and what it is.",
    )


def run(args: argparse.Namespace) -> int:
    """Print one line a motion."""
    # Arrays and files of motions are loaded only for this command: `--help` needs none of them.
    from animator.motion import list_motions

    for motion in list_motions():
        words = f"  ({', '.join(motion.tags)})" if motion.tags else ""
        print(f"{motion.name:12} {motion.duration:5.1f} s  {motion.title}{words}")
    return 0
