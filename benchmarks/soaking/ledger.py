"""The ledger: every job that was accepted, and what became of it."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Literal

import msgspec

__all__ = ("Entry", "Fate", "Ledger", "count")

Fate = Literal["open", "done", "failed", "withdrawn", "lost"]
"""What became of a job: "withdrawn" where its owner deleted what it was about before it ended."""


class Entry(msgspec.Struct, kw_only=True):
    """One accepted job.

    Attributes:
        job: its id.
        kind: what was asked for.
        accepted: when, seconds since the beginning.
        ended: when that was known, likewise; None while it is open.
        fate: what became of it.
        code: of the problem, when it failed; of what is missing, when it is lost.
        reason: the problem's sentence.
    """

    job: str
    kind: str
    accepted: float
    ended: float | None = None
    fate: Fate = "open"
    code: str = ""
    reason: str = ""


class Ledger:
    """Jobs by their ids; may be written by several threads.

    Args:
        clock: seconds since the beginning.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._entries: dict[str, Entry] = {}
        self._lock = threading.Lock()

    def accept(self, job: str, kind: str) -> None:
        """Note a job that the product took; twice is once."""
        with self._lock:
            self._entries.setdefault(job, Entry(job=job, kind=kind, accepted=self._clock()))

    def close(self, job: str, fate: Fate, code: str = "", reason: str = "") -> None:
        """Note what became of a job; that it is lost outweighs all, else the first word counts.

        Raises:
            KeyError: when it was never accepted.
        """
        with self._lock:
            entry = self._entries[job]
            if entry.fate == "open" or fate == "lost":
                entry.fate, entry.code, entry.reason = fate, code, reason
                entry.ended = self._clock()

    def is_open(self, job: str) -> bool:
        """Whether nobody knows yet what became of it."""
        return self.fate(job) == "open"

    def fate(self, job: str) -> Fate:
        """What became of a job so far."""
        with self._lock:
            return self._entries[job].fate

    def entries(self) -> list[Entry]:
        """All jobs, in the order in which they were accepted."""
        with self._lock:
            return [msgspec.structs.replace(entry) for entry in self._entries.values()]

    def lose_open(self) -> None:
        """Call lost whatever is open still: nobody waits any longer."""
        for entry in self.entries():
            if entry.fate == "open":
                self.close(entry.job, "lost", "no_end", "It did not end.")


def count(entries: Iterable[Entry]) -> dict[str, Counter[str]]:
    """How many jobs of each kind had which fate; a failed one goes by its code."""
    table: dict[str, Counter[str]] = {}
    for entry in entries:
        fate = f"failed: {entry.code}" if entry.fate == "failed" else entry.fate
        table.setdefault(entry.kind, Counter())[fate] += 1
    return table
