"""Stages: where a request's time goes in the server, from its metrics before and after a load."""

import re
from collections.abc import Mapping

import msgspec

__all__ = ("Histogram", "Stages", "read_histogram", "stages_between")

_LINE = r"^{name}_(bucket|sum|count)\{{([^}}]*)\}} (\S+)$"
_COUNTER = r"^{name}\{{([^}}]*)\}} (\S+)$"
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


class Stages(msgspec.Struct, frozen=True, kw_only=True):
    """Milliseconds, from the server's own histograms; zeros where it tells none.

    Attributes:
        model_p50: a worker's time on a batch.
        model_p90: likewise.
        model_p99: likewise.
        model_mean: likewise.
        queue_p50: from arrival to a worker.
        queue_p90: likewise.
        queue_p99: likewise.
        queue_mean: likewise.
        batch_mean: items in a batch.
    """

    model_p50: float = 0.0
    model_p90: float = 0.0
    model_p99: float = 0.0
    model_mean: float = 0.0
    queue_p50: float = 0.0
    queue_p90: float = 0.0
    queue_p99: float = 0.0
    queue_mean: float = 0.0
    batch_mean: float = 0.0


class Histogram(msgspec.Struct, frozen=True, kw_only=True):
    """One of Prometheus' histograms.

    Attributes:
        buckets: upper bound to the count of what is not above it.
        total: sum of all values.
    """

    buckets: dict[float, float]
    total: float = 0.0

    @property
    def count(self) -> float:
        """Of all values."""
        return max(self.buckets.values(), default=0.0)

    @property
    def mean(self) -> float:
        """Of all values; 0 without any."""
        return self.total / self.count if self.count else 0.0

    def since(self, before: "Histogram") -> "Histogram":
        """What came after `before`."""
        counts = {b: n - before.buckets.get(b, 0.0) for b, n in self.buckets.items()}
        return Histogram(buckets=counts, total=self.total - before.total)

    def quantile(self, share: float) -> float:
        """As PromQL's histogram_quantile: in a straight line through the bucket; 0 without any."""
        wanted, below, floor = share * self.count, 0.0, 0.0
        if not self.count:
            return 0.0
        for bound, count in sorted(self.buckets.items()):
            if count >= wanted:
                if bound == float("inf"):
                    return floor
                return floor + (bound - floor) * (wanted - below) / ((count - below) or 1.0)
            below, floor = count, bound
        return floor


def read_histogram(text: str, name: str, labels: Mapping[str, str]) -> Histogram:
    """Read one from Prometheus' text, summed over all series that have these labels."""
    buckets: dict[float, float] = {}
    total = 0.0
    for kind, said, number in re.findall(_LINE.format(name=name), text, re.MULTILINE):
        found = dict(_LABEL.findall(said))
        if any(found.get(key) != value for key, value in labels.items()):
            continue
        if kind == "bucket":
            bound = float(found["le"])
            buckets[bound] = buckets.get(bound, 0.0) + float(number)
        elif kind == "sum":
            total += float(number)
    return Histogram(buckets=buckets, total=total)


def stages_between(before: str, after: str, model: str) -> Stages:
    """Where the time went between two looks at the metrics; TorchServe tells one mean alone."""
    labels = {"model_name": model}

    def grown(name: str) -> Histogram:
        return read_histogram(after, name, labels).since(read_histogram(before, name, labels))

    inference, queue = grown("serving_inference_seconds"), grown("serving_queue_seconds")
    if not queue.count:
        return Stages(queue_mean=_reference_queue_ms(before, after, model))
    return Stages(
        model_p50=1000 * inference.quantile(0.5),
        model_p90=1000 * inference.quantile(0.9),
        model_p99=1000 * inference.quantile(0.99),
        model_mean=1000 * inference.mean,
        queue_p50=1000 * queue.quantile(0.5),
        queue_p90=1000 * queue.quantile(0.9),
        queue_p99=1000 * queue.quantile(0.99),
        queue_mean=1000 * queue.mean,
        batch_mean=grown("serving_batch_size").mean,
    )


def _reference_queue_ms(before: str, after: str, model: str) -> float:
    """The mean wait, from TorchServe's counters; 0 where there are none."""

    def grown(name: str) -> float:
        return _sum_of(after, name, model) - _sum_of(before, name, model)

    requests = grown("ts_inference_requests_total")
    return grown("ts_queue_latency_microseconds") / 1000 / requests if requests > 0 else 0.0


def _sum_of(text: str, name: str, model: str) -> float:
    found = re.findall(_COUNTER.format(name=name), text, re.MULTILINE)
    return sum(float(n) for said, n in found if dict(_LABEL.findall(said))["model_name"] == model)
