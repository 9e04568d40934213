"""Arm: what one version has done in a release, with the requests that were drawn for it."""

from collections import deque
from typing import TYPE_CHECKING

from serving.releases.intervals import Moments
from serving.releases.result import Result
from serving.releases.tally import Tally

if TYPE_CHECKING:
    from serving.releases.trial import Trial

__all__ = ("MOST_METRICS", "Arm")

_KEPT_LATENCIES = 1000
_LARGEST = 1e100
"""Magnitude of a value; squares and sums of such are numbers still."""

MOST_METRICS = 64
"""Different metrics that are kept of a version; more are passed over."""


class Arm:
    """One version of a release.

    Args:
        version: which.

    Attributes:
        total: how its requests ended.
        step: those since the present step began.
        latency: moments of the times from choice to answer, seconds.
        latencies: the last of these times, seconds.
        metrics: moments of what its handler and its clients measure, by name.
        in_flight: requests that are not answered yet.
        unready_since: when it was first seen without a worker, monotonic seconds; None: it has one.
    """

    def __init__(self, version: str) -> None:
        self.version = version
        self.total = Tally()
        self.step = Tally()
        self.latency = Moments()
        self.latencies: deque[float] = deque(maxlen=_KEPT_LATENCIES)
        self.metrics: dict[str, Moments] = {}
        self.in_flight: set[Trial] = set()
        self.unready_since: float | None = None

    def note(self, seconds: float, result: Result) -> None:
        """Count how a request ended; how long it took only where the model answered."""
        self.total.note(result)
        self.step.note(result)
        if result in {"ok", "failed"}:
            self.latency.add(seconds)
            self.latencies.append(seconds)

    def measure(self, name: str, value: float) -> None:
        """Count a value of a metric; what is no number, or beyond 1e100, is passed over."""
        if not abs(value) <= _LARGEST:
            return
        moments = self.metrics.get(name)
        if moments is None:
            if len(self.metrics) >= MOST_METRICS:
                return
            moments = self.metrics[name] = Moments()
        moments.add(value)

    def begin_step(self) -> None:
        """Count what belongs to a step from the beginning."""
        self.step = Tally()
