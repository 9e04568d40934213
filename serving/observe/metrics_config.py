"""Which metrics TorchServe tells: its default ones, or those of a metrics.yaml.

Names, units and labels are those of TorchServe 0.12's default configuration.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import msgspec
import yaml

from serving.errors import reason_of
from serving.observe.families import FamilyKind, FamilySpec
from serving.settings import InvalidSettings

__all__ = ("DEFAULT_METRICS", "MetricsConfig", "read_metrics_config")

_HOST = ("Level", "Hostname")
_GPU = ("Level", "DeviceId", "Hostname")
_MODEL = ("ModelName", "Level", "Hostname")
_TS = ("model_name", "model_version", "hostname")


@dataclass(frozen=True, slots=True)
class MetricsConfig:
    """Which metrics are told.

    Attributes:
        server: the server's own.
        model: the handlers'.
    """

    server: tuple[FamilySpec, ...]
    model: tuple[FamilySpec, ...]


DEFAULT_METRICS = MetricsConfig(
    server=(
        FamilySpec("Requests2XX", "counter", "Count", _HOST),
        FamilySpec("Requests4XX", "counter", "Count", _HOST),
        FamilySpec("Requests5XX", "counter", "Count", _HOST),
        FamilySpec("ts_inference_requests_total", "counter", "Count", _TS),
        FamilySpec("ts_inference_latency_microseconds", "counter", "Microseconds", _TS),
        FamilySpec("ts_queue_latency_microseconds", "counter", "Microseconds", _TS),
        FamilySpec("QueueTime", "gauge", "Milliseconds", _HOST),
        FamilySpec("WorkerThreadTime", "gauge", "Milliseconds", _HOST),
        FamilySpec("WorkerLoadTime", "gauge", "Milliseconds", ("WorkerName", *_HOST)),
        FamilySpec("CPUUtilization", "gauge", "Percent", _HOST),
        FamilySpec("MemoryUsed", "gauge", "Megabytes", _HOST),
        FamilySpec("MemoryAvailable", "gauge", "Megabytes", _HOST),
        FamilySpec("MemoryUtilization", "gauge", "Percent", _HOST),
        FamilySpec("DiskUsage", "gauge", "Gigabytes", _HOST),
        FamilySpec("DiskUtilization", "gauge", "Percent", _HOST),
        FamilySpec("DiskAvailable", "gauge", "Gigabytes", _HOST),
        FamilySpec("GPUMemoryUtilization", "gauge", "Percent", _GPU),
        FamilySpec("GPUMemoryUsed", "gauge", "Megabytes", _GPU),
        FamilySpec("GPUUtilization", "gauge", "Percent", _GPU),
    ),
    model=(
        FamilySpec("HandlerTime", "gauge", "ms", _MODEL),
        FamilySpec("PredictionTime", "gauge", "ms", _MODEL),
    ),
)
"""TorchServe's own."""


class _Metric(msgspec.Struct, frozen=True):
    name: str
    unit: str
    dimensions: tuple[str, ...] = ()


_Kinds = dict[FamilyKind, tuple[_Metric, ...]]


class _File(msgspec.Struct, frozen=True):
    ts_metrics: _Kinds = {}
    model_metrics: _Kinds = {}
    dimensions: Any = None


def read_metrics_config(path: Path) -> MetricsConfig:
    """Read a metrics.yaml.

    Raises:
        InvalidSettings: when it cannot be read, or is not of TorchServe's form.
    """
    try:
        found = msgspec.convert(yaml.safe_load(path.read_bytes()) or {}, _File)
    except (OSError, yaml.YAMLError, msgspec.ValidationError) as error:
        msg = f"metrics_config {path}: {reason_of(error)}"
        raise InvalidSettings(msg) from error
    return MetricsConfig(
        server=tuple(_specs(found.ts_metrics, ())),
        # Of a handler's metrics the host is always told.
        model=tuple(_specs(found.model_metrics, ("Hostname",))),
    )


def _specs(kinds: _Kinds, more: tuple[str, ...]) -> Iterator[FamilySpec]:
    for kind in get_args(FamilyKind):
        for metric in kinds.get(kind, ()):
            labels = tuple(dict.fromkeys((*metric.dimensions, *more)))
            yield FamilySpec(metric.name, kind, metric.unit, labels)
