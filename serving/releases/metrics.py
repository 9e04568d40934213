"""Metrics of releases, for Prometheus: who gets how much, what comes of it, what was taken back."""

from collections.abc import Iterable, Iterator, Sequence

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from serving.releases.release import Release
from serving.releases.releases import Releases

__all__ = ("ReleaseMetrics",)

_Row = tuple[Sequence[str], float]
_LABELS = ("model_name", "model_version")


class ReleaseMetrics(Collector):
    """Tells how releases stand when somebody asks.

    Args:
        releases: those.
    """

    def __init__(self, releases: Releases) -> None:
        self._releases = releases

    def collect(self) -> Iterator[Metric]:
        """Put the numbers into Prometheus' form."""
        found = self._releases.all
        running = [release for release in found if release.kept.is_on]
        yield _gauge(
            "serving_release_share",
            "Share of the requests that name no version, which each version answers.",
            _LABELS,
            self._releases.shares(),
        )
        yield _gauge(
            "serving_release_resting",
            "1 for a version whose workers were let go when its release was over.",
            _LABELS,
            ((version, 1.0) for version in self._releases.resting()),
        )
        yield _gauge(
            "serving_release_progress",
            "How far a rule is on its way to taking a canary back: at 1 it does.",
            (*_LABELS, "rule"),
            (
                ((release.kept.model, release.kept.candidate, rule), value)
                for release in running
                for rule, value in release.progress().items()
            ),
        )
        yield _gauge(
            "serving_release_rolled_back_timestamp_seconds",
            "When the last release took itself back, and by which rule.",
            (*_LABELS, "rule"),
            (
                ((r.kept.model, r.kept.candidate, r.kept.rule), r.kept.ended_at or 0.0)
                for r in found
                if r.kept.state == "rolled_back"
            ),
        )
        yield from self._counters(found)

    def _counters(self, found: Iterable[Release]) -> Iterator[Metric]:
        requests = CounterMetricFamily(
            "serving_release_requests",
            "Answers of requests that a release chose the version for.",
            labels=(*_LABELS, "result"),
        )
        copies = CounterMetricFamily(
            "serving_release_shadow_copies",
            "Copied requests by what came of them.",
            labels=(*_LABELS, "result"),
        )
        for release in found:
            model = release.kept.model
            if release.shadow is not None:
                counts = release.shadow.counts
                for result in ("agreed", "differed", "failed", "dropped"):
                    labels = (model, release.kept.candidate, result)
                    copies.add_metric(labels, getattr(counts, result))
            for arm in release.arms.values():
                total = arm.total
                results = {
                    "ok": total.requests - total.failures,
                    "failed": total.failures,
                    "shed": total.shed,
                    "rejected": total.rejected,
                }
                for result, count in results.items():
                    requests.add_metric((model, arm.version, result), count)
        changes = CounterMetricFamily(
            "serving_release_changes",
            "Changes of releases by what happened.",
            labels=("model_name", "change"),
        )
        for (model, kind), count in self._releases.course.counts.items():
            changes.add_metric((model, kind), count)
        yield from (requests, copies, changes)


def _gauge(name: str, text: str, labels: Sequence[str], rows: Iterable[_Row]) -> Metric:
    gauge = GaugeMetricFamily(name, text, labels=labels)
    for values, number in rows:
        gauge.add_metric(values, number)
    return gauge
