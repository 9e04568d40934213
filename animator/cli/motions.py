"""`animator motions`: what a figure can be made to do, and what a motion file would make it do."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from animator.cli import Subparsers
from animator.cli.complaints import about
from animator.core.errors import AnimatorError

if TYPE_CHECKING:  # arrays are loaded only when the command runs
    from animator.motion import ClipFacts

__all__ = ("add_parser", "run")

_EPILOG = """\
examples:
  animator motions                         all motions, by name
  animator motions --tag dance             those that are dances
  animator motions check clip.bvh          what a file holds, and which joint is which
  animator motions check clip.bvh --map clip.toml
"""
_LIMBS = ("left arm", "right arm", "left leg", "right leg")


def add_parser(subparsers: Subparsers) -> None:
    """Add the parser of `motions`."""
    parser = subparsers.add_parser(
        "motions",
        help="list the motions, check motion files",
        description="Lists the motions: name, length, and what it is. Checks BVH files.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--tag", metavar="WORD", help="list only those with this tag")
    verbs = parser.add_subparsers(dest="verb", metavar="[check]")
    check = verbs.add_parser(
        "check",
        help="tell what a BVH file holds, and which joint is which",
        description="Reads BVH files as `animator animate --motion FILE.bvh` would, and tells "
        "length, rate, joints, and the plane on which each part of the body is seen.",
    )
    check.add_argument("files", nargs="+", type=Path, metavar="FILE.bvh", help="motion files")
    check.add_argument("--map", type=Path, metavar="FILE.toml", help="what is known of them")


def run(args: argparse.Namespace) -> int:
    """Print one line a motion, or a few lines a file; go on after a bad one."""
    return _check(args.files, args.map) if args.verb == "check" else _list(args.tag)


def _list(tag: str | None) -> int:
    from animator.motion import list_motions

    motions = list_motions()
    listed = [motion for motion in motions if tag is None or tag.lower() in motion.tags]
    for motion in listed:
        words = f"  ({', '.join(motion.tags)})" if motion.tags else ""
        print(f"{motion.name:13} {motion.duration:4.1f} s  {motion.title}{words}")
    if not listed:
        tags = sorted({word for motion in motions for word in motion.tags})
        print(
            f"animator: no motion has the tag {tag!r}; there are {', '.join(tags)}", file=sys.stderr
        )
    return 0 if listed else 1


def _check(files: list[Path], map_file: Path | None) -> int:
    from animator.cli.clips import read_clip_file, read_map_file
    from animator.motion import inspect_clip

    options = read_map_file(map_file)
    failures = 0
    for file in files:
        try:
            facts = inspect_clip(read_clip_file(file), name=file.stem, options=options)
        except AnimatorError as error:
            print(about(file, error.message), file=sys.stderr)
            failures += 1
        else:
            print("\n".join(_describe(file, facts)))
    return 1 if failures else 0


def _describe(file: Path, facts: "ClipFacts") -> list[str]:
    """Lines for people: the file's numbers, then a line a part of the body."""
    ends = "its end leads into its beginning" if facts.loop else "it begins and ends apart"
    roles = facts.roles
    trunk = [roles[role] for role in ("hips", "chest", "neck", "head") if role in roles]
    lines = [
        f"{file}: {facts.frames / facts.fps:.2f} s, {facts.frames} frames at {facts.fps:.4g} a "
        f"second, {facts.joints} joints, {facts.up} is up; {ends}",
        _line("trunk", facts.views["trunk"], trunk),
    ]
    for limb in _LIMBS:
        side, part = limb.split()
        own = ("shoulder", "elbow", "hand") if part == "arm" else ("hip", "knee", "foot")
        joints = [roles[f"{side}_{joint}"] for joint in own if f"{side}_{joint}" in roles]
        lines.append(_line(limb, facts.views[limb.replace(" ", "_")], joints))
    return lines


def _line(part: str, view: str, joints: list[str]) -> str:
    return f"  {part:10} {view:9} {' > '.join(joints) or '-'}"
