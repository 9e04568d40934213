"""Waiting: the items of a queue, and which of them go next."""

import math
from collections import deque
from collections.abc import Hashable, Iterator, Sequence
from typing import Generic, Literal, NamedTuple, TypeVar

from serving.batching.pending import BatchLimits, Pending, hold_until

__all__ = ("Departure", "LaunchReason", "Outlook", "Waiting")

Item = TypeVar("Item")
Result = TypeVar("Result")

LaunchReason = Literal["full", "idle", "delay", "slo"]
"""Why a batch left: it was full, nobody else was expected, its wait was over, or a longer one would
have made it late."""


class Outlook(NamedTuple):
    """What is known of those who are not here.

    Attributes:
        expected_until: when nobody more is expected, monotonic seconds; -inf: nobody is.
        idle_since: since when somebody has nothing to do, monotonic seconds.
    """

    expected_until: float
    idle_since: float


class Departure(NamedTuple, Generic[Item, Result]):
    """When (monotonic seconds) and why a group may leave."""

    at: float
    reason: LaunchReason
    group: "deque[Pending[Item, Result]]"

    def choose(self, most: int) -> "list[Pending[Item, Result]]":
        """The first of the group, but no more than one of each sequence."""
        chosen: list[Pending[Item, Result]] = []
        sequences: set[str] = set()
        for pending in self.group:
            if len(chosen) == most:
                break
            if pending.sequence is None:
                chosen.append(pending)
            elif pending.sequence not in sequences:
                sequences.add(pending.sequence)
                chosen.append(pending)
        return chosen


class Waiting(Generic[Item, Result]):
    """The items of a queue, grouped by what may go together."""

    def __init__(self) -> None:
        # By key, each in order of rank; a key without items is removed.
        self._groups: dict[Hashable, deque[Pending[Item, Result]]] = {}
        self._count = 0

    def __len__(self) -> int:
        """How many there are."""
        return self._count

    def __iter__(self) -> Iterator[Pending[Item, Result]]:
        """All of them, as they are at the beginning."""
        return iter([pending for group in self._groups.values() for pending in group])

    def groups(self) -> "list[deque[Pending[Item, Result]]]":
        """Those that may go together, each in order; the one whose first goes first, first."""
        return sorted(self._groups.values(), key=_rank_of_first)

    def add(self, pending: Pending[Item, Result]) -> None:
        """Put one where its rank says: nearly always at the end."""
        self._count += 1
        group = self._groups.get(pending.key)
        if group is None:
            self._groups[pending.key] = deque((pending,))
            return
        at = len(group)
        while at and group[at - 1].rank > pending.rank:
            at -= 1
        group.insert(at, pending)

    def remove(self, pending: Pending[Item, Result]) -> None:
        """Take one out, who is here."""
        group = self._groups[pending.key]
        group.remove(pending)
        if not group:
            del self._groups[pending.key]
        self._count -= 1
        pending.is_queued = False

    def has_full(self, size: int) -> bool:
        """Whether some group has so many items."""
        return any(len(group) >= size for group in self._groups.values())

    def next_departure(
        self, limits: BatchLimits, now: float, outlook: Outlook
    ) -> Departure[Item, Result]:
        """Find the group that may leave first; of several that may leave now, the oldest.

        Args:
            limits: kept by every batch.
            now: monotonic seconds.
            outlook: who is expected, and since when.
        """
        if len(self._groups) == 1:
            (group,) = self._groups.values()
            return _departure(group, limits, outlook)
        departures = [_departure(group, limits, outlook) for group in self.groups()]
        return min(departures, key=lambda departure: max(departure.at, now))


def _departure(
    group: deque[Pending[Item, Result]], limits: BatchLimits, outlook: Outlook
) -> Departure[Item, Result]:
    if len(group) >= limits.size:
        return Departure(-math.inf, "full", group)
    if limits.wait == "never":
        return Departure(-math.inf, "idle", group)
    if limits.wait == "always":
        return Departure(hold_until(group, limits.delay_s), "delay", group)
    if outlook.expected_until == -math.inf:
        return Departure(-math.inf, "idle", group)
    latest = hold_until(group, limits.delay_s, outlook.idle_since)
    if outlook.expected_until < latest:
        return Departure(outlook.expected_until, "idle", group)
    return Departure(latest, "delay", group)


def _rank_of_first(group: Sequence[Pending[Item, Result]]) -> float:
    return group[0].rank
