"""Metrics of changes: what the audit log wrote, what the watcher of the models did."""

from collections.abc import Iterator
from typing import Protocol

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from serving.watch.counts import WatchCounts

__all__ = ("AuditCounts", "AuditMetrics", "WatchMetrics")


class AuditCounts(Protocol):
    """What an audit log counts."""

    @property
    def written(self) -> int:
        """Entries since the start of the server."""
        ...

    @property
    def lost(self) -> int:
        """Entries that could not be written."""
        ...

    @property
    def suppressed(self) -> int:
        """Attempts that were only counted."""
        ...


_COUNTERS = (
    ("written", "serving_audit_entries", "Entries of the audit log."),
    ("lost", "serving_audit_lost", "Entries that could not be written."),
    ("suppressed", "serving_audit_suppressed", "Attempts counted, and not told one by one."),
)


class AuditMetrics(Collector):
    """Tells an audit log's counts when somebody asks.

    Args:
        counts: of the log.
    """

    def __init__(self, counts: AuditCounts) -> None:
        self._counts = counts

    def collect(self) -> Iterator[Metric]:
        """Put the numbers into Prometheus' form."""
        for field, name, text in _COUNTERS:
            yield CounterMetricFamily(name, text, value=getattr(self._counts, field))


_WATCH_COUNTERS = (
    ("deployed", "serving_watch_deployed", "Archives and folders whose content is served."),
    ("rejected", "serving_watch_rejected", "Archives and folders that cannot be served."),
    ("removed", "serving_watch_removed", "Versions served no longer, for they were taken away."),
)


class WatchMetrics(Collector):
    """Tells what a watcher has done when somebody asks.

    Args:
        counts: of the watcher, which go on.
    """

    def __init__(self, counts: WatchCounts) -> None:
        self._counts = counts

    def collect(self) -> Iterator[Metric]:
        """Put the numbers into Prometheus' form."""
        counts = self._counts
        looks = CounterMetricFamily("serving_watch_looks", "Looks by result.", labels=("result",))
        looks.add_metric(("ok",), counts.looks)
        looks.add_metric(("failed",), counts.failed_looks)
        yield looks
        for field, name, text in _WATCH_COUNTERS:
            yield CounterMetricFamily(name, text, value=getattr(counts, field))
        yield GaugeMetricFamily("serving_watch_pending", "What is there and waits.", counts.pending)
        yield GaugeMetricFamily(
            "serving_watch_last_look_timestamp_seconds",
            "When the last look went well, since 1970.",
            counts.looked_at,
        )
