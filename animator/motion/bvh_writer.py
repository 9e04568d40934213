"""Motion to a BVH file, as `read_bvh` and other tools read it."""

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from animator.core.errors import InvalidMotion
from animator.core.motion import Motion
from animator.motion.bvh_hierarchy import END
from animator.motion.rotations import to_zxy

__all__ = ("write_bvh",)

_TURNS = "Zrotation Xrotation Yrotation"
_NAME = re.compile(r"[^\s{}]+( [^\s{}]+)*")


def write_bvh(motion: Motion) -> str:
    """The text of a BVH file; lengths in metres, y up, turns about Z, X and Y in that order.

    Joints come depth first. A joint "<parent> End" without children or turns becomes an End Site;
    any other joint without children gets one without length, which the reader leaves out.

    Raises:
        InvalidMotion: when a joint's name would not be read back.
    """
    for name in motion.joints:
        if not _NAME.fullmatch(name):
            msg = f"the joint name {name!r} cannot be written to a BVH file"
            raise InvalidMotion(msg)
    turning: list[int] = []
    lines = ["HIERARCHY", *_hierarchy(motion, 0, turning), "MOTION"]
    lines += [f"Frames: {len(motion.root)}", f"Frame Time: {1 / motion.fps:.8g}"]
    turns = to_zxy(motion.rotations[:, turning].astype(np.float64))
    angles = np.degrees(turns).reshape(len(turns), -1)
    lines += [_row(row) for row in np.hstack((motion.root, angles))]
    return "\n".join(lines) + "\n"


def _hierarchy(motion: Motion, joint: int, turning: list[int], depth: int = 0) -> Iterator[str]:
    """Lines of a joint and all below it; appends the joints that turn, in file order."""
    indent, name, parent = "  " * depth, motion.joints[joint], motion.parents[joint]
    children = np.flatnonzero(motion.parents == joint)
    offset = f"{indent}  OFFSET {_row(motion.offsets[joint])}"
    if parent >= 0 and name == motion.joints[parent] + END and _is_still(motion, joint, children):
        yield from (f"{indent}End Site", indent + "{", offset, indent + "}")
        return
    turning.append(joint)
    channels = f"3 {_TURNS}" if joint else f"6 Xposition Yposition Zposition {_TURNS}"
    yield from (f"{indent}{'JOINT' if joint else 'ROOT'} {name}", indent + "{", offset)
    yield f"{indent}  CHANNELS {channels}"
    for child in children:
        yield from _hierarchy(motion, int(child), turning, depth + 1)
    if not len(children):
        yield from (f"{indent}  End Site", indent + "  {", f"{indent}    OFFSET 0 0 0")
        yield indent + "  }"
    yield indent + "}"


def _is_still(motion: Motion, joint: int, children: NDArray[np.intp]) -> bool:
    return not len(children) and bool((np.abs(motion.rotations[:, joint, 1:]) < 1e-7).all())


def _row(numbers: NDArray[np.float32]) -> str:
    return " ".join(
        f"{number:.5f}".rstrip("0").rstrip(".") for number in np.round(numbers, 5) + 0.0
    )
