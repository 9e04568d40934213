"""Service: one process of ours, and the child that runs it."""

import functools
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from animator.jobs.lifeline import die_with_parent

__all__ = ("Child", "Service")

_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 5.0
_STEADY = 10.0
"""Seconds of life after which a service counts as well again."""


def _always() -> bool:
    """Ready as soon as it runs."""
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """What is to run.

    Attributes:
        name: for people.
        command: program and arguments.
        environment: variables beside those of this process.
        is_ready: asks whether it can be used; must answer within a second or so.
        log: where to read why it does not start.
    """

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    is_ready: Callable[[], bool] = _always
    log: str = "above"


class Child:
    """A service as a process, which never outlives this one."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.deaths = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._born = 0.0
        self._not_before = 0.0

    @property
    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self._process is not None and self._process.poll() is None

    @property
    def exit_code(self) -> int | None:
        """Of the last process; negative for a signal, None while it runs."""
        return self._process.poll() if self._process else None

    def start(self) -> None:
        """Start the process, in a session of its own: a Ctrl-C here is not one there."""
        self._born = time.monotonic()
        self._process = subprocess.Popen(
            self.service.command,
            env={**os.environ, **self.service.environment},
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            # Safe: this process has no threads.
            preexec_fn=functools.partial(  # noqa: PLW1509
                die_with_parent, signal.SIGTERM, os.getpid()
            ),
        )

    def bury(self) -> None:
        """End what a dead process left behind, and set the time of its next birth."""
        self.kill()
        if time.monotonic() - self._born > _STEADY:
            self.deaths = 0
        pause = min(_FIRST_PAUSE * 2**self.deaths, _LONGEST_PAUSE)
        self.deaths += 1
        self._not_before = time.monotonic() + pause
        self._process = None

    @property
    def is_due(self) -> bool:
        """Whether it is dead and may be started again."""
        return self._process is None and time.monotonic() >= self._not_before

    @property
    def has_died(self) -> bool:
        """Whether it was started, is dead, and not buried."""
        return self._process is not None and self._process.poll() is not None

    def ask_to_stop(self) -> None:
        """Send SIGTERM."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()

    def kill(self) -> None:
        """Kill the process and all of its session's process group; wait for it."""
        if self._process is None:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
