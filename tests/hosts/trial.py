"""A trial, and what it cost."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ("Cost", "Trial")


class Trial(NamedTuple):
    """Something that happens.

    Attributes:
        name: for people.
        do: what happens.
        undo: what puts it right.
        seconds: how long it lasts.
    """

    name: str
    do: Callable[[], None]
    undo: Callable[[], None]
    seconds: float


@dataclass
class Cost:
    """What one trial cost.

    Attributes:
        trial: its name.
        begun: when, seconds of the clock that all share.
        over: when it was put right, likewise.
        served: seconds from its beginning until somebody who came after it had a film.
    """

    trial: str
    begun: float
    over: float = 0.0
    served: float = 0.0
