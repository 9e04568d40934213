"""Metrics in Prometheus' form, per model and version, one set for each server."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple, Protocol

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from serving.batching.waiting import LaunchReason
from serving.handlers.points import MetricPoint
from serving.observe.distribution import Distribution
from serving.observe.drift import DriftMonitor
from serving.observe.reference import Reference
from serving.observe.slo import Tuned, collect_slo
from serving.observe.statistics import BatchTimes, EndpointStatistics

__all__ = ("EndpointMetrics", "MetricsListener", "ServerMetrics")

_LABELS = ("model_name", "model_version")
_SECONDS = (
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5,
    1, 2.5, 5, 10, 30, 60,
)  # fmt: skip
_SIZES = (1, 2, 4, 8, 16, 32, 64, 128)

# Field of `_Counts`, name, what it is.
_DISTRIBUTIONS = (
    ("request_s", "serving_request_seconds", "From arrival to answer."),
    ("queue_s", "serving_queue_seconds", "From arrival to a worker."),
    ("batch_wait_s", "serving_batch_wait_seconds", "Wait of a batch's oldest item."),
    ("inference_s", "serving_inference_seconds", "A worker's time on a batch."),
    ("preprocess_s", "serving_preprocess_seconds", "Its part before the model: decoding."),
    ("model_s", "serving_model_seconds", "Its part in the model."),
    ("postprocess_s", "serving_postprocess_seconds", "Its part after the model: encoding."),
    ("batch_size", "serving_batch_size", "Items in a batch."),
)
# Field of `_Counts`, name, what it is, label.
_COUNTERS = (
    ("batches", "serving_batches", "Batches by why they left.", "reason"),
    ("requests", "serving_requests", "Answers by result.", "result"),
    ("shed", "serving_shed", "Items not run, by reason.", "reason"),
)
# Field of `_Present`, name, what it is.
_GAUGES = (
    ("in_flight", "serving_in_flight", "Requests not yet answered."),
    ("waiting", "serving_queue_length", "Requests that wait for a worker."),
    ("workers", "serving_workers", "Workers that hold the model."),
)


# Field of `Drift`, name, what it is.
_DRIFTS = (
    ("samples", "serving_drift_samples", "Latest values that are compared with the reference."),
    ("mean", "serving_drift_mean", "Mean of the latest values."),
    ("reference_mean", "serving_drift_reference_mean", "Mean of the reference's values."),
    ("psi", "serving_drift_psi", "Population stability index against the reference."),
    ("ks", "serving_drift_ks", "Kolmogorov-Smirnov distance from the reference."),
)


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


class _Counts:
    """What has happened to one model version, whether or not it is still served."""

    def __init__(self) -> None:
        self.request_s = Distribution(_SECONDS)
        self.queue_s = Distribution(_SECONDS)
        self.batch_wait_s = Distribution(_SECONDS)
        self.inference_s = Distribution(_SECONDS)
        self.preprocess_s = Distribution(_SECONDS)
        self.model_s = Distribution(_SECONDS)
        self.postprocess_s = Distribution(_SECONDS)
        self.batch_size = Distribution(_SIZES)
        self.batches: Counter[str] = Counter()
        self.requests: Counter[str] = Counter()
        self.shed: Counter[str] = Counter()
        self.restarts = 0
        self.late = 0


class _Present(NamedTuple):
    """Where the present numbers of one model version can be read."""

    in_flight: Callable[[], int]
    waiting: Callable[[], int]
    workers: Callable[[], int]


class ServerMetrics(Collector):
    """All metrics of a server, in a registry of its own.

    They are counted in plain numbers, and put into Prometheus' form when somebody asks.

    Attributes:
        listeners: told of what happens as well.
    """

    def __init__(self) -> None:
        self.listeners: list[MetricsListener] = []
        self._counts: dict[tuple[str, str], _Counts] = {}
        self._present: dict[tuple[str, str], _Present] = {}
        self._monitors: dict[tuple[str, str], DriftMonitor] = {}
        self._tuned: dict[tuple[str, str], Tuned] = {}
        self._registry = CollectorRegistry(auto_describe=True)
        self._registry.register(self)

    def for_endpoint(self, name: str, version: str) -> "EndpointMetrics":
        """Bind the metrics to one model version."""
        return EndpointMetrics(self, name, version)

    def forget_endpoint(self, name: str, version: str) -> None:
        """Stop telling the present numbers of a model version that is no longer served."""
        self._present.pop((name, version), None)
        self._monitors.pop((name, version), None)
        self._tuned.pop((name, version), None)

    def as_text(self, names: Collection[str] = ()) -> bytes:
        """Write the metrics of these names, or all, in Prometheus' text format 0.0.4."""
        if names:
            return generate_latest(self._registry.restricted_registry(names))
        return generate_latest(self._registry)

    def counts_of(self, labels: tuple[str, str]) -> _Counts:
        """The counts of a model version."""
        return self._counts.setdefault(labels, _Counts())

    def watch(self, labels: tuple[str, str], present: _Present) -> None:
        """Learn where the present numbers of a model version can be read."""
        self._present[labels] = present

    def watch_slo(self, labels: tuple[str, str], queue: Tuned) -> None:
        """Learn where a model version's SLO can be read, and what it has set itself."""
        self._tuned[labels] = queue

    def compare(self, labels: tuple[str, str], monitor: DriftMonitor | None) -> None:
        """Tell the drift of a model version, or of None no more."""
        if monitor is None:
            self._monitors.pop(labels, None)
        else:
            self._monitors[labels] = monitor

    def add(self, collector: Collector) -> None:
        """Tell the metrics of another one as well."""
        self._registry.register(collector)

    def collect(self) -> Iterator[Metric]:
        """Put the numbers into Prometheus' form."""
        for field, name, text in _DISTRIBUTIONS:
            histogram = HistogramMetricFamily(name, text, labels=_LABELS)
            for labels, counts in self._counts.items():
                values: Distribution = getattr(counts, field)
                histogram.add_metric(labels, values.buckets(), values.sum)
            yield histogram
        for field, name, text, label in _COUNTERS:
            counter = CounterMetricFamily(name, text, labels=(*_LABELS, label))
            for labels, counts in self._counts.items():
                for value, count in getattr(counts, field).items():
                    counter.add_metric((*labels, value), count)
            yield counter
        restarts = CounterMetricFamily(
            "serving_worker_restarts", "Workers replaced.", labels=_LABELS
        )
        for labels, counts in self._counts.items():
            restarts.add_metric(labels, counts.restarts)
        yield restarts
        late = CounterMetricFamily(
            "serving_slo_late", "Answers that came after the SLO.", labels=_LABELS
        )
        for labels, counts in self._counts.items():
            late.add_metric(labels, counts.late)
        yield late
        yield from collect_slo(self._tuned)
        for field, name, text in _GAUGES:
            gauge = GaugeMetricFamily(name, text, labels=_LABELS)
            for labels, present in self._present.items():
                gauge.add_metric(labels, getattr(present, field)())
            yield gauge
        yield from self._collect_drifts()

    def _collect_drifts(self) -> Iterator[Metric]:
        found = [
            ((*labels, name), drift)
            for labels, monitor in self._monitors.items()
            for name, drift in monitor.drifts()
        ]
        for field, name, text in _DRIFTS:
            gauge = GaugeMetricFamily(name, text, labels=(*_LABELS, "statistic"))
            for labels, drift in found:
                value = getattr(drift, field)
                if value is not None:
                    gauge.add_metric(labels, value)
            yield gauge


class EndpointMetrics:
    """The metrics of one model version; what a batcher asks of an observer, and more."""

    def __init__(self, metrics: ServerMetrics, name: str, version: str) -> None:
        self._metrics = metrics
        self._labels = (name, version)
        self._counts = metrics.counts_of(self._labels)
        self._statistics = EndpointStatistics()
        self._monitor: DriftMonitor | None = None
        self._tuned: Tuned | None = None

    def compare_with(self, reference: Reference | None) -> None:
        """Tell the drift from a reference from now on; None: tell none."""
        self._monitor = DriftMonitor(reference) if reference is not None else None
        self._metrics.compare(self._labels, self._monitor)

    def watch(
        self, in_flight: Callable[[], int], waiting: Callable[[], int], workers: Callable[[], int]
    ) -> None:
        """Say where the present numbers can be read whenever someone looks."""
        self._metrics.watch(self._labels, _Present(in_flight, waiting, workers))

    def watch_slo(self, queue: Tuned) -> None:
        """Say where the SLO can be read whenever a request is answered, and what is set for it."""
        self._tuned = queue
        self._metrics.watch_slo(self._labels, queue)

    def launched(self, waits_s: Sequence[float], reason: LaunchReason) -> None:
        """Count a batch that left the queue."""
        counts = self._counts
        counts.batch_size.observe(len(waits_s))
        counts.batch_wait_s.observe(max(waits_s))
        for wait_s in waits_s:
            counts.queue_s.observe(wait_s)
        self._statistics.queued.add(sum(waits_s), len(waits_s))
        counts.batches[reason] += 1
        for listener in self._metrics.listeners:
            listener.queued(*self._labels, waits_s)

    def dropped(self, reason: str) -> None:
        """Count an item that was not run."""
        self._counts.shed[reason] += 1

    def inferred(self, times: BatchTimes, size: int, points: Sequence[MetricPoint] = ()) -> None:
        """Count a worker's time on one batch of that size, and what its handler measured."""
        counts = self._counts
        counts.inference_s.observe(times.whole_s)
        counts.preprocess_s.observe(times.input_s)
        counts.model_s.observe(times.model_s)
        counts.postprocess_s.observe(times.output_s)
        self._statistics.add_batch(times, size)
        if not points:
            return
        if self._monitor is not None:
            self._monitor.take([point for point in points if point.kind == "statistic"])
        for listener in self._metrics.listeners:
            for point in points:
                listener.observe(*self._labels, point)

    def coded(self, seconds: float, is_input: bool) -> None:
        """Count the decoding of a body (input), or of an answer the encoding, beside workers."""
        counts = self._counts
        (counts.preprocess_s if is_input else counts.postprocess_s).observe(seconds)

    def shipped(self, seconds: float) -> None:
        """Note what a batch cost beside the model: the way to the worker and back."""
        for listener in self._metrics.listeners:
            listener.shipped(seconds)

    def loaded(self, number: int, seconds: float) -> None:
        """Note how long a worker took to load the model."""
        name, version = self._labels
        for listener in self._metrics.listeners:
            listener.loaded(f"W-{number}-{name}_{version}", seconds)

    def answered(self, seconds: float, result: str) -> None:
        """Count a request: its time from arrival to answer, and "ok" or the error's code."""
        self._counts.request_s.observe(seconds)
        self._counts.requests[result] += 1
        slo_s = self._tuned.limits.slo_s if self._tuned is not None else None
        if slo_s is not None and seconds > slo_s and result == "ok":
            self._counts.late += 1
        statistics = self._statistics
        (statistics.success if result == "ok" else statistics.failed).add(seconds)
        for listener in self._metrics.listeners:
            listener.inferred(*self._labels, seconds)

    def statistics(self) -> EndpointStatistics:
        """What it has done since its start; go on reading, it goes on counting."""
        return self._statistics

    def restarted(self, count: int) -> None:
        """Count workers that were replaced."""
        self._counts.restarts += count
