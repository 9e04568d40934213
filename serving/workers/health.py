"""Whether the workers are well, as far as the system and their own answers tell."""

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from serving.errors import OutOfMemory, ServingError, WorkerDied

__all__ = ("Health", "Patient", "is_stopped", "patrol", "resident_bytes")

_INTERVAL_S = 0.5
_MEMORY_INTERVAL_S = 0.05
"""Memory that runs away does so fast."""


_HALTED_S = 0.9
"""How long a process may be halted by a signal, seconds."""

_PING_EVERY_S = 5.0
_PONG_WITHIN_S = 5.0
"""How often an idle worker is asked whether it is there, and how long it may take, seconds."""


class Health:
    """What is known of one worker's health.

    Args:
        memory_limit: resident bytes that it may hold; None: as many as there are.
    """

    def __init__(self, memory_limit: int | None) -> None:
        self._memory_limit = memory_limit
        self._well_at = self._heard_at = time.monotonic()
        self._asked_at: float | None = None

    def hear(self) -> None:
        """Learn that the worker has answered that it is there."""
        self._heard_at, self._asked_at = time.monotonic(), None

    def verdict(self, pid: int) -> ServingError | None:
        """Why the process must end, by what the system tells of it; None when it is well."""
        limit, now = self._memory_limit, time.monotonic()
        if limit is not None and (held := resident_bytes(pid)) > limit:
            return OutOfMemory(
                f"the worker was ended: it held {held >> 20} MiB of memory, "
                f"{limit >> 20} are allowed"
            )
        if not is_stopped(pid):
            self._well_at = now
        elif now - self._well_at > _HALTED_S:
            return WorkerDied("the worker was ended: it had been halted by a signal")
        return None

    def verdict_of_idle(self, last_used: float, ask: Callable[[], None]) -> ServingError | None:
        """Why an idle process must end, by whether it answers; None when it does.

        Args:
            last_used: monotonic seconds.
            ask: asks it whether it is there; called now and then.
        """
        now = time.monotonic()
        if self._asked_at is None:
            if now - max(self._heard_at, last_used) > _PING_EVERY_S:
                self._asked_at = now
                ask()
            return None
        if now - self._asked_at > _PONG_WITHIN_S:
            return WorkerDied("the worker was ended: it was idle and did not answer")
        return None


class Patient(Protocol):
    """Who is looked after."""

    def check(self) -> None:
        """Look whether all is well, and end the process when it is not."""
        ...


async def patrol(patients: Callable[[], Sequence[Patient]], *, watches_memory: bool) -> None:
    """Look at everybody again and again, until cancelled."""
    interval_s = _MEMORY_INTERVAL_S if watches_memory else _INTERVAL_S
    while True:
        await asyncio.sleep(interval_s)
        for patient in patients():
            patient.check()


def is_stopped(pid: int) -> bool:
    """Whether a process is halted by a signal (SIGSTOP); False where there is no /proc."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] in "Tt"


def resident_bytes(pid: int) -> int:
    """Memory of a process; 0 where the system does not tell (no /proc)."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
