"""The options that say what figures do and how: a motion of the library, or a file."""

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # arrays are loaded only when the command runs
    from animator.motion import Performance

__all__ = ("add_playing", "motion_name", "performance_for", "wrong_playing")


def add_playing(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    group = parser.add_argument_group("what they do")
    group.add_argument(
        "--motion",
        default="dance",
        metavar="NAME|FILE",
        help="a motion, a .bvh file, or keyframes in a .toml file (dance)",
    )
    group.add_argument(
        "--map",
        type=Path,
        metavar="FILE.toml",
        help="which joint of a motion file is which, where that is not found out by itself",
    )
    group.add_argument(
        "--speed", type=_speed, default=1.0, metavar="N", help="times as fast, 0.25 to 4 (1)"
    )
    group.add_argument("--mirror", action="store_true", help="let left and right change places")
    group.add_argument(
        "--trim", type=_trim, metavar="FROM:TO", help="only this part, in seconds, such as 1.0:3.5"
    )
    group.add_argument(
        "--stay", action="store_true", help="stay on the spot instead of walking away"
    )
    group.add_argument("--loop", action="store_true", help="let the end lead into the beginning")
    group.add_argument(
        "--then",
        action="append",
        default=[],
        metavar="NAME",
        help="a motion that follows; may be given up to 8 times",
    )


def motion_name(args: argparse.Namespace) -> str:
    """Of what is asked for, as it stands in the name of the output."""
    return "-".join((Path(args.motion).stem if _suffix(args) else args.motion, *args.then))


def wrong_playing(args: argparse.Namespace) -> str | None:
    """What is wrong with the options together."""
    if args.map is not None and _suffix(args) != ".bvh":
        return "--map is for .bvh files; other motions need none"
    if len(args.then) > 8:
        return f"at most 8 motions can follow, not {len(args.then)}"
    return None


def performance_for(args: argparse.Namespace) -> "Performance":
    """What the options ask for.

    Raises:
        UnknownMotion: when no motion has a name asked for.
        InvalidMotion: when a file cannot be read, or what is asked for cannot be done with it.
    """
    from animator.cli.clips import read_motion
    from animator.core.motion import Playback
    from animator.motion import load_motion, prepare

    file = Path(args.motion) if _suffix(args) else None
    clip = load_motion(args.motion) if file is None else read_motion(file, args.map)
    playback = Playback(
        speed=args.speed,
        mirror=args.mirror,
        trim=args.trim,
        stay=args.stay,
        loop=args.loop,
        then=tuple(args.then),
    )
    return prepare(*clip, playback)


def _suffix(args: argparse.Namespace) -> str:
    """Of a motion's file, lower case; empty when it is a name of the library."""
    suffix = Path(args.motion).suffix.lower()
    return suffix if suffix in (".bvh", ".toml") else ""


def _speed(text: str) -> float:
    number = _number(text)
    if not 0.25 <= number <= 4.0:
        msg = "the speed must be a number from 0.25 to 4"
        raise argparse.ArgumentTypeError(msg)
    return number


def _trim(text: str) -> tuple[float, float]:
    start, _, end = text.partition(":")
    times = (_number(start), _number(end))
    if not 0 <= times[0] < times[1] <= 86_400:
        msg = f"{text!r} is no part of a motion: write seconds, such as 1.0:3.5"
        raise argparse.ArgumentTypeError(msg)
    return times


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
