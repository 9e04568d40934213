"""Progress: one line on a terminal that is written over; elsewhere a line for each trial."""

import sys
import time
from collections.abc import Callable

from serving.bench.measured import Trial
from serving.bench.search import Try
from serving.bench.setting import Setting
from serving.bench.wording import short

__all__ = ("Progress", "planned_s")

_BAR = 20


class Progress:
    """Says what is being tried, and how much time is left.

    Args:
        planned: of all trials, seconds.
        clock: seconds.
    """

    def __init__(self, planned: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._planned = planned
        self._clock = clock
        self._done = self._spent = 0.0
        self._count = 0
        self._most = 0.0

    def watching(self, attempt: Try) -> Try:
        """The same, and says so."""

        def watched(setting: Setting, seconds: float) -> Trial:
            self._show(setting.name)
            began = self._clock()
            trial = attempt(setting, seconds)
            self._spent += self._clock() - began
            self._done += seconds
            self._count += 1
            self._tell(trial)
            return trial

        return watched

    def end(self) -> None:
        """Take the line away."""
        if sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")

    def _show(self, name: str) -> None:
        if not sys.stderr.isatty():
            return
        share = min(self._done / self._planned, 1.0) if self._planned else 1.0
        bar = ("#" * round(_BAR * share)).ljust(_BAR, ".")
        left = ""
        if self._done:
            seconds = round(self._spent / self._done * max(self._planned - self._done, 0))
            left = f", {seconds // 60}:{seconds % 60:02d} left"
        sys.stderr.write(f"\r\x1b[K[{bar}] {self._count} tried{left}, now {name}")
        sys.stderr.flush()

    def _tell(self, trial: Trial) -> None:
        if sys.stderr.isatty():
            return
        told = trial.problem or (
            f"{short(trial.median('throughput'), 4)}/s, p99 {short(trial.median('p99_ms'))} ms"
        )
        sys.stderr.write(f"{trial.measured_s:.3g} s, {trial.setting.name}: {told}\n")


def planned_s(settings: int, seconds: float, eta: int, rounds: int) -> float:
    """How long successive halving measures at most, seconds; without rounds, a full grid."""
    # A round has an eta-th of the settings of the one before, each for eta times as long.
    return (rounds + 1) * settings * seconds / float(eta**rounds)
