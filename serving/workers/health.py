"""Whether the workers are well, as far as the system and their own answers tell."""

import asyncio
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

__all__ = ("Patient", "is_stopped", "patrol", "resident_bytes")

_INTERVAL_S = 0.5
_MEMORY_INTERVAL_S = 0.05
"""Memory that runs away does so fast."""


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
