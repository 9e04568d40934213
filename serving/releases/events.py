"""ReleaseEvent: one change of a release, as whoever keeps a record of changes is told of it."""

from typing import Literal, Protocol

import msgspec

__all__ = ("Audit", "ReleaseEvent", "ReleaseEventKind")

ReleaseEventKind = Literal[
    "begun",
    "stepped",
    "paused",
    "resumed",
    "completed",
    "rolled_back",
    "aborted",
    "restored",
    "renewed",
]


class ReleaseEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One change.

    Attributes:
        at: when, seconds since 1970.
        model: whose.
        release: its id.
        kind: what happened.
        by: who did it: "management", "settings", "watch"; "itself" for what a release decides.
        version: the new one.
        stable: the one before.
        share_before: of the requests that the new one got, in [0, 1].
        share: that it gets from now on.
        reason: why, a sentence with its numbers; "" where somebody wanted it so.
        numbers: those by name.
    """

    at: float
    model: str
    release: str
    kind: ReleaseEventKind
    by: str
    version: str
    stable: str
    share_before: float
    share: float
    reason: str = ""
    numbers: dict[str, float] = {}


class Audit(Protocol):
    """Keeps a record of changes."""

    def note(self, event: ReleaseEvent) -> None:
        """Write one down; must neither wait for long nor raise."""
        ...
