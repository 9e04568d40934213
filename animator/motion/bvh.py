"""BVH files to Motion: tolerant of what real tools write, exact about what is wrong, by line.

Accepted: blank lines, doubled spaces, tabs, any line ends or none at the end, a byte-order mark,
keywords in either case, braces on the line of the joint, joint names with spaces, End Sites with
names, numbers with exponents, any rotation order, position channels on any joint, +z up. The number
after "Frames:" is often wrong, so the lines of numbers are counted instead.

A Motion's bones never change their length: position channels of joints below the root are read
over. A root that only wraps the real one (one child, which has position channels) is folded into
that child. An End Site becomes a joint named "<parent> End", unless it has no length.

Angles are degrees in the file and nowhere else.
"""

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from animator.core.errors import InvalidMotion
from animator.core.motion import Motion
from animator.motion.bvh_hierarchy import BvhJoint, Statement, read_hierarchy, refuse
from animator.motion.rotations import compose_turns, multiply, normalise, rotate, turn_about

__all__ = ("DEFAULT_LIMITS", "BvhLimits", "Up", "read_bvh")

Floats = NDArray[np.float64]
Up = Literal["+y", "+z"]

_LARGEST = 1e6  # metres or degrees; beyond it a number is a mistake, and float32 loses the rest
_MOST_WORDS = 10_000  # in a line: more than twice the channels of as many joints as are read
_FRAME_TIME = re.compile(r"frame\s*time\s*:?\s*(\S+)$", re.IGNORECASE)


class BvhLimits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much of a file is read at most; all > 0.

    Attributes:
        size: characters or bytes of the file.
        joints: in the hierarchy, end sites included.
        depth: joints from the root to the end of a limb.
        frames: lines of numbers.
        numbers: in all these lines.
    """

    size: int = 32 * 1024 * 1024
    joints: int = 512
    depth: int = 128
    frames: int = 36_000
    numbers: int = 6_000_000


DEFAULT_LIMITS = BvhLimits()


def read_bvh(
    data: bytes | str,
    *,
    name: str = "motion",
    up: Up = "+y",
    metres_per_unit: float = 1.0,
    limits: BvhLimits = DEFAULT_LIMITS,
) -> Motion:
    """Read a BVH file.

    Args:
        data: the file, UTF-8 (bytes of another code page are kept apart by Latin-1).
        name: of the motion, as shown to people.
        up: the axis of the file that points upwards; the motion's is always y.
        metres_per_unit: of the file's lengths, > 0; most files do not say what they use.
        limits: how much is read at most.

    Raises:
        InvalidMotion: with the number of the line where the file goes wrong.
    """
    if len(data) > limits.size:
        msg = f"the motion file is larger than {limits.size} bytes"
        raise InvalidMotion(msg)
    statements = _statements(_decode(data))
    joints = read_hierarchy(statements, limits.joints, limits.depth)
    width = sum(len(joint.channels) for joint in joints)
    fps, values = _read_frames(
        statements, width, min(limits.frames, limits.numbers // max(width, 1))
    )
    tracks = _fold_wrappers(_tracks(joints, values))
    upright = turn_about("X", np.array(-np.pi / 2 if up == "+z" else 0.0))
    turns = np.stack([track.turns for track in tracks], axis=1)
    turns[:, 0] = multiply(upright, turns[:, 0])
    offsets = np.array([track.joint.offset for track in tracks])
    places = rotate(upright, tracks[0].places)
    return Motion(
        name=name,
        fps=fps,
        joints=tuple(track.joint.name for track in tracks),
        parents=np.array([track.parent for track in tracks], dtype=np.int16),
        offsets=(offsets * metres_per_unit).astype(np.float32),
        root=(places * metres_per_unit).astype(np.float32),
        rotations=normalise(turns).astype(np.float32),
    )


def _decode(data: bytes | str) -> str:
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _statements(text: str) -> Iterator[Statement]:
    """Lines as words, braces apart, blank ones left out, each with its number from 1."""
    for number, line in enumerate(io.StringIO(text, newline=None), start=1):
        for part in re.split(r"([{}])", line):
            # What is longer is refused anyway, and need not be cut up.
            words = part.split(maxsplit=_MOST_WORDS)
            if words:
                yield number, words


def _read_frames(statements: Iterator[Statement], width: int, most: int) -> tuple[float, Floats]:
    """Frames a second, and (F, width) numbers, from the part below MOTION."""
    fps = 0.0
    rows: list[Floats] = []
    lines: list[int] = []
    for number, words in statements:
        if words[0].lower().startswith("frame"):
            found = _FRAME_TIME.match(" ".join(words))
            fps = _frame_rate(number, found[1]) if found else fps
            continue
        rows.append(_numbers(number, words, width if fps else 0))
        lines.append(number)
        if len(rows) > most:
            refuse(number, f"there are more than {most} frames")
    if not rows:
        msg = "the file ends before its first frame"
        raise InvalidMotion(msg)
    values = np.stack(rows)
    wild = ~(np.abs(values) <= _LARGEST).all(axis=1)
    if wild.any():
        refuse(lines[int(np.argmax(wild))], "a number is not finite, or far too large")
    return fps, values


def _numbers(number: int, words: list[str], width: int) -> Floats:
    if not width:
        refuse(number, f'expected "Frame Time: ...", got {" ".join(words)[:40]!r}')
    if len(words) != width:
        refuse(number, f"a frame has {width} numbers, this line has {len(words)}")
    try:
        return np.array([float(word) for word in words])
    except ValueError:
        refuse(number, f"not all of {' '.join(words)[:40]!r} are numbers")


def _frame_rate(number: int, word: str) -> float:
    try:
        seconds = float(word)
    except ValueError:
        seconds = 0.0
    if not 1e-4 <= seconds <= 10.0:
        refuse(number, f"a frame time lies between 0.0001 and 10 seconds, not {word[:40]!r}")
    # Tools round to 0.03333; thirty frames a second are meant.
    rate = 1.0 / seconds
    return float(round(rate)) if abs(rate - round(rate)) < 2e-4 * rate else rate


@dataclass(frozen=True, slots=True, eq=False)
class _Track:
    """A joint over time: places (F, 3) as its position channels say, turns (F, 4)."""

    joint: BvhJoint
    parent: int
    places: Floats
    turns: Floats


def _tracks(joints: list[BvhJoint], values: Floats) -> list[_Track]:
    tracks = []
    first = 0
    for joint in joints:
        columns = values[:, first : first + len(joint.channels)]
        first += len(joint.channels)
        places = np.broadcast_to(np.array(joint.offset), (len(values), 3))
        places = places.copy() if joint.moves else places
        for column, channel in zip(columns.T, joint.channels, strict=True):
            if channel.is_position:
                places[:, "XYZ".index(channel.axis)] = column
        turning = [i for i, c in enumerate(joint.channels) if not c.is_position]
        axes = tuple(joint.channels[i].axis for i in turning)
        turns = compose_turns(axes, np.radians(columns[:, turning]))
        tracks.append(_Track(joint, joint.parent, places, turns))
    return tracks


def _fold_wrappers(tracks: list[_Track]) -> list[_Track]:
    while len(tracks) > 1 and tracks[1].joint.moves and [t.parent for t in tracks].count(0) == 1:
        wrapper, real, *rest = tracks
        places = wrapper.places + rotate(wrapper.turns, real.places)
        folded = _Track(real.joint, -1, places, multiply(wrapper.turns, real.turns))
        tracks = [folded, *(replace(track, parent=track.parent - 1) for track in rest)]
    return tracks
