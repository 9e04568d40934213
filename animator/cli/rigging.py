"""Options of `animator animate` that say how figures are made movable, and a note about joints."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from animator.core.rigging import TEMPLATES, RigOptions

if TYPE_CHECKING:
    from animator.core.moved_figure import MovedFigure

__all__ = ("add_rigging", "note_moved_joints", "rigging_for")


def add_rigging(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--skeleton",
        choices=tuple(TEMPLATES),
        metavar="NAME",
        help="lay this skeleton into every figure instead of the one found: "
        + ", ".join(TEMPLATES),
    )
    parser.add_argument(
        "--stiff",
        type=_names,
        default=(),
        metavar="LIST",
        help="bones, by their outer joint, whose paint does not bend, such as torso,neck",
    )
    parser.add_argument(
        "--stretchy",
        type=_names,
        default=(),
        metavar="LIST",
        help="bones that may become longer or shorter, such as left_hand,right_hand",
    )


def rigging_for(args: argparse.Namespace) -> RigOptions:
    """What the options ask for."""
    return RigOptions(stiff=args.stiff, stretchy=args.stretchy, skeleton=args.skeleton)


def note_moved_joints(file: Path, moved: "Sequence[MovedFigure]") -> None:
    """Say on stderr which joints lay beside their figure and were moved onto it."""
    for number, one in enumerate(moved, start=1):
        if one.rig.moved_joints:
            which = f"figure {number}: " if len(moved) > 1 else ""
            names = ", ".join(one.rig.moved_joints)
            print(f"{file}: {which}moved onto the figure: {names}", file=sys.stderr)


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    if not all(0 < len(name) <= 100 for name in names) or len(names) > 64:
        msg = f"{text!r} is no list of joints, such as torso,neck"
        raise argparse.ArgumentTypeError(msg)
    return names
