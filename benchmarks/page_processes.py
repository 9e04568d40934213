"""Processor time of a running app and of the browser, by what the processes do."""

import time
from dataclasses import dataclass
from typing import Self

import psutil

__all__ = ("ProcessorTime", "wait_until_idle")

_QUIET = 0.5
"""Seconds without a job after which nothing is to come."""

_ROLES = {
    "animator.launch web": "web",
    "animator.launch worker": "jobs",
    "redis-server": "Redis",
    "valkey-server": "Redis",
    "serving": "models",
    "chromium": "browser",
}
"""A word of a process's command line -> what it does, the first that fits."""


@dataclass(frozen=True)
class ProcessorTime:
    """Seconds, user and system, by what the processes do; those that ended are counted too."""

    seconds: dict[str, float]

    @classmethod
    def now(cls) -> Self:
        """Since they began: of this process's children, and theirs."""
        seconds = dict.fromkeys(dict.fromkeys(_ROLES.values()), 0.0)
        for process in psutil.Process().children(recursive=True):
            try:
                role, times = _role_of(process), process.cpu_times()
            except psutil.NoSuchProcess:
                continue
            if role is not None:
                seconds[role] += times.user + times.system
                seconds[role] += times.children_user + times.children_system
        return cls(seconds)

    def __sub__(self, other: Self) -> Self:
        return type(self)({role: at - other.seconds[role] for role, at in self.seconds.items()})

    def print_table(self, drawings: int) -> None:
        """Milliseconds a drawing."""
        print(f"| {' | '.join(self.seconds)} |")
        print(f"|{'---:|' * len(self.seconds)}")
        cells = [f"{1000 * seconds / drawings:.0f}" for seconds in self.seconds.values()]
        print(f"| {' | '.join(cells)} |")


def wait_until_idle(worker: int) -> None:
    """Until a job worker, by its process id, has had nothing to do for a while."""
    quiet_since = time.monotonic()
    while time.monotonic() - quiet_since < _QUIET:
        time.sleep(0.05)
        if psutil.Process(worker).children():
            quiet_since = time.monotonic()


def _role_of(process: psutil.Process) -> str | None:
    line = " ".join(process.cmdline())
    return next((role for word, role in _ROLES.items() if word in line), None)
