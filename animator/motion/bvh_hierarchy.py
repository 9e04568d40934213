"""The upper part of a BVH file: the joints, how they hang together, and their channels."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from animator.core.errors import InvalidMotion
from animator.motion.rotations import Axis

__all__ = ("END", "BvhJoint", "Channel", "Statement", "read_hierarchy", "refuse")

Statement = tuple[int, list[str]]
"""The number of a line, from 1, and its words; a brace stands alone."""

END = " End"
"""What an End Site's name adds to its parent's."""

_LARGEST = 1e6  # in the file's unit; a longer bone is a mistake
_LONGEST_NAME = 100
_AXES: dict[str, Axis] = {"x": "X", "y": "Y", "z": "Z"}
_UNREAD = (math.nan, math.nan, math.nan)


def refuse(number: int, why: str) -> NoReturn:
    """Raise InvalidMotion for a line of the file."""
    msg = f"line {number}: {why}"
    raise InvalidMotion(msg)


@dataclass(frozen=True, slots=True)
class Channel:
    """One number of a joint in each frame."""

    axis: Axis
    is_position: bool


@dataclass(slots=True)
class BvhJoint:
    """A joint while its lines are being read.

    Attributes:
        name: unique in its file.
        parent: index of the parent, -1 for the root.
        is_end: whether it is an End Site.
        offset: from the parent, in the file's unit; not a number until its line is read.
        channels: in the order of the numbers in a frame.
    """

    name: str
    parent: int
    is_end: bool
    offset: tuple[float, ...] = _UNREAD
    channels: tuple[Channel, ...] = ()

    @property
    def moves(self) -> bool:
        """Whether a position is given in each frame."""
        return any(channel.is_position for channel in self.channels)


def read_hierarchy(statements: Iterator[Statement], most: int, deepest: int) -> list[BvhJoint]:
    """Read from HIERARCHY up to MOTION; parents come before children, depth first.

    Args:
        statements: advanced just past MOTION.
        most: the largest number of joints accepted.
        deepest: the largest number of joints from the root to the end of a limb.

    Raises:
        InvalidMotion: with the number of the line where the file goes wrong.
    """
    number, words = next(statements, (1, [""]))
    if words[0].upper() != "HIERARCHY":
        refuse(number, "a BVH file begins with the word HIERARCHY")
    reader = _Reader(most, deepest)
    for number, words in statements:
        if words[0].upper() == "MOTION":
            return reader.finish(number)
        reader.take(number, words)
    refuse(number, "the file ends before MOTION")


class _Reader:
    """Takes one statement at a time; holds the joints that are still open."""

    def __init__(self, most: int, deepest: int) -> None:
        self._most = most
        self._deepest = deepest
        self._joints: list[BvhJoint] = []
        self._open: list[int] = []
        self._awaits_brace = False

    def take(self, number: int, words: list[str]) -> None:
        word = words[0].upper()
        if self._awaits_brace != (word == "{"):
            refuse(
                number, f"expected {'{' if self._awaits_brace else 'a joint'}, got {word[:40]!r}"
            )
        match word:
            case "{":
                self._awaits_brace = False
            case "}":
                self._close(number)
            case "ROOT" | "JOINT" | "END":
                self._begin(number, word, " ".join(words[1:]))
            case "OFFSET":
                self._current(number).offset = _offset(number, words[1:])
            case "CHANNELS":
                self._current(number).channels = _channels(number, words[1:])
            case _:
                refuse(number, f"unknown keyword {words[0][:40]!r}")

    def finish(self, number: int) -> list[BvhJoint]:
        if self._awaits_brace or self._open or not self._joints:
            refuse(number, "MOTION comes before the hierarchy is complete")
        return self._joints

    def _begin(self, number: int, word: str, name: str) -> None:
        if word == "ROOT" and self._joints:
            refuse(number, "a second ROOT begins; only files with one skeleton are read")
        if (word == "ROOT") != (not self._joints) or (word != "ROOT" and not self._open):
            refuse(number, "one ROOT comes first, and every other joint lies inside it")
        if self._open and self._joints[self._open[-1]].is_end:
            refuse(number, "nothing hangs on an End Site")
        if len(self._joints) >= self._most:
            refuse(number, f"there are more than {self._most} joints")
        if len(self._open) >= self._deepest:
            refuse(number, f"joints are nested more than {self._deepest} deep")
        if word == "END":
            name = self._current(number).name + END
        elif not 0 < len(name) <= _LONGEST_NAME:
            refuse(number, f"a joint's name has 1 to {_LONGEST_NAME} characters, not {len(name)}")
        parent = self._open[-1] if self._open else -1
        self._open.append(len(self._joints))
        self._joints.append(BvhJoint(self._unique(name), parent, word == "END"))
        self._awaits_brace = True

    def _close(self, number: int) -> None:
        joint = self._current(number)
        if joint.offset is _UNREAD:
            refuse(number, f"{joint.name!r} has no OFFSET")
        self._open.pop()
        if joint.is_end and not any(joint.offset) and not joint.channels:
            self._joints.pop()  # it has no children, so it is the last one

    def _current(self, number: int) -> BvhJoint:
        if not self._open:
            refuse(number, "this line lies outside every joint")
        return self._joints[self._open[-1]]

    def _unique(self, name: str) -> str:
        taken = {joint.name for joint in self._joints}
        copies = (f"{name} {i}" for i in range(2, self._most + 2))
        return name if name not in taken else next(c for c in copies if c not in taken)


def _offset(number: int, words: list[str]) -> tuple[float, ...]:
    try:
        offset = tuple(float(word) for word in words)
    except ValueError:
        offset = ()
    if len(offset) != 3 or not all(math.isfinite(x) and abs(x) <= _LARGEST for x in offset):
        refuse(number, f"OFFSET needs three numbers, got {' '.join(words)[:40]!r}")
    return offset


def _channels(number: int, words: list[str]) -> tuple[Channel, ...]:
    channels = tuple(_channel(number, word) for word in words[1:])
    if not words or words[0] != str(len(channels)):
        refuse(number, f"CHANNELS announces {' '.join(words[:1])!r}, but {len(channels)} follow")
    return channels


def _channel(number: int, word: str) -> Channel:
    axis, kind = _AXES.get(word[:1].lower()), word[1:].lower()
    if axis is None or kind not in ("position", "rotation"):
        refuse(number, f"unknown channel {word[:40]!r}")
    return Channel(axis, kind == "position")
