"""The supervisor: starts services in order, restarts what dies, stops all in reverse order."""

import logging
import signal
import time
from collections.abc import Callable, Sequence
from types import FrameType

from animator.launch.problems import CannotStart
from animator.launch.service import Child, Service

__all__ = ("Supervisor",)

logger = logging.getLogger(__name__)

_LOOK = 0.1
_START_LIMIT = 180.0
_BIRTHS = 3
_STOP_LIMIT = 4.0
_STOP_SHARE = 0.5
"""Seconds that are kept for each stage that stops later."""


class Supervisor:
    """Runs stages of services; a stage is begun when the one before is ready."""

    def __init__(self, stages: Sequence[Sequence[Service]], drain: float = 0.0) -> None:
        """Prepare to run; nothing is started yet.

        Args:
            stages: in the order in which they start.
            drain: seconds that the services are given to stop beside the usual ones.
        """
        self._drain = drain
        self._stages = [[Child(service) for service in stage] for stage in stages]
        self._signals = 0

    def run(self, on_ready: Callable[[], None]) -> None:
        """Run until SIGTERM, SIGINT or SIGHUP; a second one stops without any grace.

        Args:
            on_ready: called once, when every service is ready.

        Raises:
            CannotStart: when a service does not get ready.
        """
        numbers = [signal.SIGTERM, signal.SIGINT]
        # Under nohup a lost terminal is to be ignored.
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            numbers.append(signal.SIGHUP)
        handlers = {number: signal.signal(number, self._note_signal) for number in numbers}
        try:
            for stage in self._stages:
                self._start(stage)
            if not self._signals:
                on_ready()
            while not self._signals:
                self._look()
        finally:
            self._stop()
            for number, handler in handlers.items():
                signal.signal(number, handler)

    def _note_signal(self, number: int, _frame: FrameType | None) -> None:
        self._signals += 1

    def _start(self, stage: Sequence[Child]) -> None:
        for child in stage:
            child.start()
        waiting, deadline = list(stage), time.monotonic() + _START_LIMIT
        while waiting and not self._signals:
            self._look()
            waiting = [c for c in waiting if not (c.is_alive and c.service.is_ready())]
            for child in waiting:
                if child.deaths >= _BIRTHS or time.monotonic() > deadline:
                    msg = f"{child.service.name} does not start; read {child.service.log} why."
                    raise CannotStart(msg)

    def _look(self) -> None:
        """Wait a moment, bury the dead, and start again what is due."""
        time.sleep(_LOOK)
        for child in (child for stage in self._stages for child in stage):
            if self._signals:
                return
            if child.has_died:
                logger.warning(
                    "%s ended (%s); starting it again", child.service.name, child.exit_code
                )
                child.bury()
            elif child.deaths and child.is_due:
                child.start()

    def _stop(self) -> None:
        deadline = time.monotonic() + _STOP_LIMIT + self._drain
        for later, stage in reversed(list(enumerate(self._stages))):
            for child in stage:
                child.ask_to_stop()
            limit = deadline - later * _STOP_SHARE
            while (
                any(child.is_alive for child in stage)
                and time.monotonic() < limit
                and self._signals < 2
            ):
                time.sleep(_LOOK / 4)
            for child in stage:
                child.kill()
