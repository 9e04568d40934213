"""Metrics in Prometheus' form, per model and version, one set for each server."""

import contextlib
import socket
import time
from collections.abc import Callable, Sequence

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)

from serving.batching.batcher import LaunchReason
from serving.handlers.points import MetricPoint
from serving.observe.statistics import DurationSum, EndpointStatistics

__all__ = ("EndpointMetrics", "PointListener", "ServerMetrics")

PointListener = Callable[[str, str, MetricPoint], None]
"""Learns of what handlers measure: the model's name and version, and the point."""

_LABELS = ("model_name", "model_version")
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_SIZES = (1, 2, 4, 8, 16, 32, 64, 128)


class ServerMetrics:
    """All metrics of a server, in a registry of its own."""

    def __init__(self) -> None:
        # When each series began, as a series of its own: nobody here asks for it.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        registry = CollectorRegistry()
        self._registry = registry
        self.point_listeners: list[PointListener] = []

        def seconds(name: str, text: str) -> Histogram:
            return Histogram(name, text, _LABELS, buckets=_SECONDS, registry=registry)

        def gauge(name: str, text: str) -> Gauge:
            return Gauge(name, text, _LABELS, registry=registry)

        def legacy(name: str, text: str) -> Gauge:
            # TorchServe's counters: this library would add "_total" to a counter's name, and
            # dashboards ask for the reference's own.
            return Gauge(name, text, (*_LABELS, "hostname"), registry=registry)

        self.request_seconds = seconds("serving_request_seconds", "From arrival to answer.")
        self.queue_seconds = seconds("serving_queue_seconds", "From arrival to a worker.")
        self.batch_wait_seconds = seconds(
            "serving_batch_wait_seconds", "Wait of a batch's oldest item."
        )
        self.inference_seconds = seconds("serving_inference_seconds", "A worker's time on a batch.")
        self.batch_size = Histogram(
            "serving_batch_size", "Items in a batch.", _LABELS, buckets=_SIZES, registry=registry
        )
        self.batches = Counter(
            "serving_batches", "Batches by why they left.", (*_LABELS, "reason"), registry=registry
        )
        self.requests = Counter(
            "serving_requests", "Answers by result.", (*_LABELS, "result"), registry=registry
        )
        self.shed = Counter(
            "serving_shed", "Items not run, by reason.", (*_LABELS, "reason"), registry=registry
        )
        self.in_flight = gauge("serving_in_flight", "Requests not yet answered.")
        self.queue_length = gauge("serving_queue_length", "Requests that wait for a worker.")
        self.workers = gauge("serving_workers", "Workers that hold the model.")
        self.worker_restarts = Counter(
            "serving_worker_restarts", "Workers replaced.", _LABELS, registry=registry
        )
        self.ts_requests = legacy("ts_inference_requests_total", "Requests for inference.")
        self.ts_latency = legacy("ts_inference_latency_microseconds", "Sum of request times.")
        self.ts_queue = legacy("ts_queue_latency_microseconds", "Sum of times in the queue.")

    def for_endpoint(self, name: str, version: str) -> "EndpointMetrics":
        """Bind the metrics to one model version."""
        return EndpointMetrics(self, name, version)

    def forget_endpoint(self, name: str, version: str) -> None:
        """Stop telling the present numbers of a model version that is no longer served."""
        for gauge in (self.in_flight, self.queue_length, self.workers):
            with contextlib.suppress(KeyError):
                gauge.remove(name, version)

    def as_text(self) -> bytes:
        """Write them in Prometheus' text format 0.0.4."""
        return generate_latest(self._registry)


class EndpointMetrics:
    """The metrics of one model version; what a batcher asks of an observer, and more."""

    def __init__(self, metrics: ServerMetrics, name: str, version: str) -> None:
        labels = (name, version)
        legacy = (name, version, socket.gethostname())
        self._metrics = metrics
        self._labels = labels
        self._statistics = EndpointStatistics()
        self._request_seconds = metrics.request_seconds.labels(*labels)
        self._queue_seconds = metrics.queue_seconds.labels(*labels)
        self._batch_wait_seconds = metrics.batch_wait_seconds.labels(*labels)
        self._inference_seconds = metrics.inference_seconds.labels(*labels)
        self._batch_size = metrics.batch_size.labels(*labels)
        self._restarts = metrics.worker_restarts.labels(*labels)
        self._ts_requests = metrics.ts_requests.labels(*legacy)
        self._ts_latency = metrics.ts_latency.labels(*legacy)
        self._ts_queue = metrics.ts_queue.labels(*legacy)

    def watch(
        self, in_flight: Callable[[], int], waiting: Callable[[], int], workers: Callable[[], int]
    ) -> None:
        """Say where the present numbers can be read whenever someone looks."""
        self._metrics.in_flight.labels(*self._labels).set_function(in_flight)
        self._metrics.queue_length.labels(*self._labels).set_function(waiting)
        self._metrics.workers.labels(*self._labels).set_function(workers)

    def launched(self, waits_s: Sequence[float], reason: LaunchReason) -> None:
        """Count a batch that left the queue."""
        self._batch_size.observe(len(waits_s))
        self._batch_wait_seconds.observe(max(waits_s))
        for wait_s in waits_s:
            self._queue_seconds.observe(wait_s)
        queued_s = sum(waits_s)
        self._ts_queue.inc(queued_s * 1e6)
        self._statistics.queued.add(queued_s, len(waits_s))
        self._metrics.batches.labels(*self._labels, reason).inc()

    def dropped(self, reason: str) -> None:
        """Count an item that was not run."""
        self._metrics.shed.labels(*self._labels, reason).inc()

    def inferred(self, seconds: float, size: int, points: Sequence[MetricPoint] = ()) -> None:
        """Count a worker's time on one batch of that size, and what its handler measured."""
        self._inference_seconds.observe(seconds)
        statistics = self._statistics
        statistics.computed.add(seconds * size, size)
        statistics.batches.setdefault(size, DurationSum()).add(seconds)
        statistics.last_inference_at = time.time()
        for point in points:
            for listener in self._metrics.point_listeners:
                listener(*self._labels, point)

    def answered(self, seconds: float, result: str) -> None:
        """Count a request: its time from arrival to answer, and "ok" or the error's code."""
        self._request_seconds.observe(seconds)
        self._metrics.requests.labels(*self._labels, result).inc()
        self._ts_requests.inc()
        self._ts_latency.inc(seconds * 1e6)
        statistics = self._statistics
        (statistics.success if result == "ok" else statistics.failed).add(seconds)

    def statistics(self) -> EndpointStatistics:
        """What it has done since its start; go on reading, it goes on counting."""
        return self._statistics

    def restarted(self, count: int) -> None:
        """Count workers that were replaced."""
        self._restarts.inc(count)
