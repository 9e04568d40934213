"""Metrics of changes: what the audit log wrote, and what it could not."""

from collections.abc import Iterator
from typing import Protocol

from prometheus_client.core import CounterMetricFamily, Metric
from prometheus_client.registry import Collector

__all__ = ("AuditCounts", "AuditMetrics")


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
