"""Turns: a store may hold millions, so whoever looks through it looks at a part at a time.

Where he begins goes by the clock alone, and no two parts of a store are far apart in their turns.
"""

from collections.abc import Sequence
from typing import TypeVar

__all__ = ("MOST", "TURN", "part_of", "share_of")

MOST = 20_000
"""Things that are looked at in one turn."""

TURN = 600
"""Seconds from one turn to the next."""

_GOLDEN = (5**0.5 - 1) / 2
"""Its multiples, without their whole parts, divide 0..1 as evenly as can be, however many there are
(Knuth, The Art of Computer Programming, volume 3, 6.4, theorem S)."""

_Thing = TypeVar("_Thing")


def share_of(turn: int) -> float:
    """How far into all there is a turn begins, 0..1, without 1."""
    return turn * _GOLDEN % 1.0


def part_of(things: Sequence[_Thing], instant: float, most: int = MOST) -> Sequence[_Thing]:
    """Those whose turn it is: all where there are few, else so many from somewhere on.

    Args:
        things: all there are, in an order that lasts.
        instant: seconds since 1970.
        most: how many have their turn at a time, > 0.
    """
    if len(things) <= most:
        return things
    begin = int(share_of(int(instant // TURN)) * len(things))
    part = things[begin : begin + most]
    return [*part, *things[: most - len(part)]]
