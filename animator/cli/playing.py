"""The options that say what figures do and how: a motion of the library, or a file."""

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # arrays are loaded only when the command runs
    from animator.core.motion import Playback
    from animator.directing import Clip

__all__ = ("add_playing", "files_for", "motion_name", "playback_for", "wrong_playing")


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
    group.add_argument(
        "--fps", type=_rate, metavar="N", help="at most so many frames a second (as the motion has)"
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
    group.add_argument(
        "--blend",
        type=_blend,
        metavar="NAME[:SHARE]",
        help="a motion to mix in, and how much of it, 0 to 1 (0.5), such as sneak:0.3",
    )
    group.add_argument(
        "--figure",
        action="append",
        default=[],
        type=_figure,
        metavar="N=NAME|FILE",
        help="what one of several figures does, the surest being 1; may be given for each",
    )


def motion_name(args: argparse.Namespace) -> str:
    """Of what is asked for, as it stands in the name of the output."""
    return "-".join((Path(args.motion).stem if _suffix(args.motion) else args.motion, *args.then))


def wrong_playing(args: argparse.Namespace) -> str | None:
    """What is wrong with the options together."""
    if args.map is not None and _suffix(args.motion) != ".bvh":
        return "--map is for .bvh files; other motions need none"
    if len(args.then) > 8:
        return f"at most 8 motions can follow, not {len(args.then)}"
    return None


def playback_for(args: argparse.Namespace) -> "Playback":
    """How it is played."""
    from animator.core.motion import Blend, Playback

    blend = None if args.blend is None else Blend(motion=args.blend[0], share=args.blend[1])
    return Playback(
        speed=args.speed,
        mirror=args.mirror,
        trim=args.trim,
        stay=args.stay,
        loop=args.loop,
        then=tuple(args.then),
        blend=blend,
        fps=args.fps,
    )


def files_for(args: argparse.Namespace) -> "dict[str, Clip]":
    """The motions that are files, by what stands for them.

    Raises:
        InvalidMotion: when a file cannot be read.
    """
    from animator.cli.clips import read_motion

    names = {args.motion, *dict(args.figure).values()}
    return {name: read_motion(Path(name), args.map) for name in names if _suffix(name)}


def _figure(text: str) -> tuple[str, str]:
    """The id of a figure, which are counted from 1, and its motion."""
    number, _, motion = text.partition("=")
    if not (number.isascii() and number.isdigit() and 1 <= int(number) <= 20 and motion):
        msg = f"{text!r} says not which figure does what: write 2=walk"
        raise argparse.ArgumentTypeError(msg)
    return f"figure-{int(number)}", motion


def _blend(text: str) -> tuple[str, float]:
    """The motion that is mixed in, and its share."""
    name, colon, share = text.partition(":")
    number = _number(share) if colon else 0.5
    if not (name and 0.0 <= number <= 1.0):
        msg = f"{text!r} is no motion with a share from 0 to 1: write sneak:0.3"
        raise argparse.ArgumentTypeError(msg)
    return name, number


def _suffix(motion: str) -> str:
    """Of a motion's file, lower case; empty when it is a name of the library."""
    suffix = Path(motion).suffix.lower()
    return suffix if suffix in (".bvh", ".toml") else ""


def _speed(text: str) -> float:
    number = _number(text)
    if not 0.25 <= number <= 4.0:
        msg = "the speed must be a number from 0.25 to 4"
        raise argparse.ArgumentTypeError(msg)
    return number


def _rate(text: str) -> float:
    number = _number(text)
    if not 1.0 <= number <= 60.0:
        msg = "frames a second must be a number from 1 to 60"
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
