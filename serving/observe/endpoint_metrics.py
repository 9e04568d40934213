"""EndpointMetrics: what happens to one model version, taken down as it happens."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from serving.batching.waiting import LaunchReason
from serving.handlers.points import MetricPoint
from serving.observe.counts import Counts
from serving.observe.drift import DriftMonitor
from serving.observe.reference import Reference
from serving.observe.slo import Tuned
from serving.observe.statistics import BatchTimes, EndpointStatistics

__all__ = ("EndpointMetrics", "MetricsListener", "Present")


class MetricsListener(Protocol):
    """Learns of what happens to a model's version, to tell it in another form."""

    def inferred(self, model: str, version: str, latency_s: float) -> None:
        """A request was answered, so long after it came."""
        ...

    def queued(self, model: str, version: str, waits_s: Sequence[float]) -> None:
        """Requests left the queue, each after its wait."""
        ...

    def shipped(self, seconds: float) -> None:
        """A batch was with a worker for so long beside the model's own time."""
        ...

    def loaded(self, worker: str, seconds: float) -> None:
        """A worker of that name took so long to load its model."""
        ...

    def observe(self, model: str, version: str, point: MetricPoint) -> None:
        """A handler measured something."""
        ...

    def forget(self, model: str, version: str, *, is_last: bool) -> None:
        """It is served no longer, nor if it was the last any other of the model: tell no more."""
        ...


class Present(NamedTuple):
    """Where the present numbers of one model version can be read."""

    in_flight: Callable[[], int]
    waiting: Callable[[], int]
    workers: Callable[[], int]


class EndpointMetrics:
    """The metrics of one model version; what a batcher asks of an observer, and more.

    Args:
        labels: name and version of the model.
        counts: what has happened to it so far.
        listeners: told of what happens as well.

    Attributes:
        counts: what has happened.
        present: where its present numbers can be read; None: nobody said.
        tuned: where its SLO can be read, and what it has set itself for it; None: nobody said.
        monitor: of its drift; None: there is no reference.
    """

    def __init__(
        self, labels: tuple[str, str], counts: Counts, listeners: Sequence[MetricsListener]
    ) -> None:
        self._labels = labels
        self._listeners = listeners
        self._statistics = EndpointStatistics()
        self.counts = counts
        self.present: Present | None = None
        self.tuned: Tuned | None = None
        self.monitor: DriftMonitor | None = None

    def compare_with(self, reference: Reference | None) -> None:
        """Tell the drift from a reference from now on; None: tell none."""
        self.monitor = DriftMonitor(reference) if reference is not None else None

    def watch(
        self, in_flight: Callable[[], int], waiting: Callable[[], int], workers: Callable[[], int]
    ) -> None:
        """Say where the present numbers can be read whenever someone looks."""
        self.present = Present(in_flight, waiting, workers)

    def watch_slo(self, queue: Tuned) -> None:
        """Say where the SLO can be read whenever a request is answered, and what is set for it."""
        self.tuned = queue

    def fall_silent(self) -> None:
        """Tell listeners no more: they have forgotten the version, but it may still owe answers."""
        self._listeners = ()

    def launched(self, waits_s: Sequence[float], reason: LaunchReason) -> None:
        """Count a batch that left the queue."""
        counts = self.counts
        counts.batch_size.observe(len(waits_s))
        counts.batch_wait_s.observe(max(waits_s))
        for wait_s in waits_s:
            counts.queue_s.observe(wait_s)
        self._statistics.queued.add(sum(waits_s), len(waits_s))
        counts.batches[reason] += 1
        for listener in self._listeners:
            listener.queued(*self._labels, waits_s)

    def dropped(self, reason: str) -> None:
        """Count an item that was not run."""
        self.counts.shed[reason] += 1

    def inferred(self, times: BatchTimes, size: int, points: Sequence[MetricPoint] = ()) -> None:
        """Count a worker's time on one batch of that size, and what its handler measured."""
        counts = self.counts
        counts.inference_s.observe(times.whole_s)
        counts.preprocess_s.observe(times.input_s)
        counts.model_s.observe(times.model_s)
        counts.postprocess_s.observe(times.output_s)
        self._statistics.add_batch(times, size)
        if not points:
            return
        if self.monitor is not None:
            self.monitor.take([point for point in points if point.kind == "statistic"])
        for listener in self._listeners:
            for point in points:
                listener.observe(*self._labels, point)

    def coded(self, seconds: float, is_input: bool) -> None:
        """Count the decoding of a body (input), or of an answer the encoding, beside workers."""
        counts = self.counts
        (counts.preprocess_s if is_input else counts.postprocess_s).observe(seconds)

    def shipped(self, seconds: float) -> None:
        """Note what a batch cost beside the model: the way to the worker and back."""
        for listener in self._listeners:
            listener.shipped(seconds)

    def loaded(self, number: int, seconds: float) -> None:
        """Note how long a worker took to load the model."""
        name, version = self._labels
        for listener in self._listeners:
            listener.loaded(f"W-{number}-{name}_{version}", seconds)

    def answered(self, seconds: float, result: str) -> None:
        """Count a request: its time from arrival to answer, and "ok" or the error's code."""
        self.counts.request_s.observe(seconds)
        self.counts.requests[result] += 1
        slo_s = self.tuned.limits.slo_s if self.tuned is not None else None
        if slo_s is not None and seconds > slo_s and result == "ok":
            self.counts.late += 1
        statistics = self._statistics
        (statistics.success if result == "ok" else statistics.failed).add(seconds)
        for listener in self._listeners:
            listener.inferred(*self._labels, seconds)

    def statistics(self) -> EndpointStatistics:
        """What it has done since its start; go on reading, it goes on counting."""
        return self._statistics

    def restarted(self, count: int) -> None:
        """Count workers that were replaced."""
        self.counts.restarts += count
