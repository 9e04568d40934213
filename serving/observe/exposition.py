"""Exposition: the metrics of model versions in Prometheus' form."""

from collections.abc import Iterator, Mapping

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)

from serving.observe.distribution import Distribution
from serving.observe.endpoint_metrics import EndpointMetrics
from serving.observe.slo import collect_slo

__all__ = ("expose",)

_Versions = Mapping[tuple[str, str], EndpointMetrics]

_LABELS = ("model_name", "model_version")

# Field of `Counts`, name, what it is.
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
# Field of `Counts`, name, what it is, label.
_COUNTERS = (
    ("batches", "serving_batches", "Batches by why they left.", "reason"),
    ("requests", "serving_requests", "Answers by result.", "result"),
    ("shed", "serving_shed", "Items not run, by reason.", "reason"),
)
# Field of `Counts`, name, what it is.
_SUMS = (
    ("restarts", "serving_worker_restarts", "Workers replaced."),
    ("late", "serving_slo_late", "Answers that came after the SLO."),
)
# Field of `Present`, name, what it is.
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


def expose(versions: _Versions) -> Iterator[Metric]:
    """Put the numbers of model versions, by name and version, into Prometheus' form."""
    yield from _distributions(versions)
    yield from _counters(versions)
    yield from collect_slo(
        {labels: each.tuned for labels, each in versions.items() if each.tuned is not None}
    )
    yield from _gauges(versions)
    yield from _drifts(versions)


def _distributions(versions: _Versions) -> Iterator[Metric]:
    for field, name, text in _DISTRIBUTIONS:
        histogram = HistogramMetricFamily(name, text, labels=_LABELS)
        for labels, each in versions.items():
            values: Distribution = getattr(each.counts, field)
            histogram.add_metric(labels, values.buckets(), values.sum)
        yield histogram


def _counters(versions: _Versions) -> Iterator[Metric]:
    for field, name, text, label in _COUNTERS:
        counter = CounterMetricFamily(name, text, labels=(*_LABELS, label))
        for labels, each in versions.items():
            for value, count in getattr(each.counts, field).items():
                counter.add_metric((*labels, value), count)
        yield counter
    for field, name, text in _SUMS:
        counter = CounterMetricFamily(name, text, labels=_LABELS)
        for labels, each in versions.items():
            counter.add_metric(labels, getattr(each.counts, field))
        yield counter


def _gauges(versions: _Versions) -> Iterator[Metric]:
    for field, name, text in _GAUGES:
        gauge = GaugeMetricFamily(name, text, labels=_LABELS)
        for labels, each in versions.items():
            if each.present is not None:
                gauge.add_metric(labels, getattr(each.present, field)())
        yield gauge


def _drifts(versions: _Versions) -> Iterator[Metric]:
    found = [
        ((*labels, name), drift)
        for labels, each in versions.items()
        if each.monitor is not None
        for name, drift in each.monitor.drifts()
    ]
    for field, name, text in _DRIFTS:
        gauge = GaugeMetricFamily(name, text, labels=(*_LABELS, "statistic"))
        for labels, drift in found:
            value = getattr(drift, field)
            if value is not None:
                gauge.add_metric(labels, value)
        yield gauge
