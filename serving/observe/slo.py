"""What a version that keeps an SLO has set itself, in Prometheus' form."""

from collections.abc import Iterator, Mapping
from typing import Protocol

from prometheus_client.core import GaugeMetricFamily, Metric

from serving.batching.pending import BatchLimits
from serving.batching.tuner import Tuner

__all__ = ("Tuned", "collect_slo")

_LABELS = ("model_name", "model_version")

# Name, what it is.
_GAUGES = (
    ("serving_slo_seconds", "Time that 99 of 100 answers shall keep."),
    ("serving_slo_reachable", "1; 0 where even one item alone takes longer than the SLO."),
    ("serving_slo_aim", "Share that what is expected is of the time planned for it."),
    ("serving_tuned_batch_size", "Largest batch that an item which has just come can go in."),
    ("serving_tuned_delay_seconds", "Longest that a lone item can wait for company."),
)


class Tuned(Protocol):
    """A queue that may have an SLO."""

    @property
    def limits(self) -> BatchLimits:
        """What it keeps to."""
        ...

    @property
    def tuner(self) -> Tuner:
        """What it has learned."""
        ...


def collect_slo(tuned: Mapping[tuple[str, str], Tuned]) -> Iterator[Metric]:
    """Tell what each model version with an SLO has set itself; nothing of one without.

    Args:
        tuned: the queue of each, by name and version.
    """
    kept = [(labels, queue) for labels, queue in tuned.items() if queue.limits.slo_s is not None]
    rows = [(labels, _values(queue)) for labels, queue in kept]
    for number, (name, text) in enumerate(_GAUGES):
        gauge = GaugeMetricFamily(name, text, labels=_LABELS)
        for labels, values in rows:
            gauge.add_metric(labels, values[number])
        yield gauge
    cost = GaugeMetricFamily(
        "serving_batch_cost_seconds",
        "What a batch is expected to take: fixed, and for each item.",
        labels=(*_LABELS, "part"),
    )
    for labels, queue in kept:
        learned = queue.tuner.costs.overall
        cost.add_metric((*labels, "fixed"), learned.fixed_s)
        cost.add_metric((*labels, "each"), learned.each_s)
    yield cost


def _values(queue: Tuned) -> tuple[float, ...]:
    """In the order of `_GAUGES`."""
    limits, tuner = queue.limits, queue.tuner
    return (
        limits.slo_s or 0.0,
        float(not tuner.is_hopeless),
        tuner.aim,
        tuner.size(limits.size),
        tuner.delay_s(limits.delay_s),
    )
