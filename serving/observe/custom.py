"""TorchServe's metrics: requests, times and the machine's state, and what handlers measure.

In the mode "prometheus" they are told at `/metrics`; in "log" they are written to files, a line a
value, as TorchServe writes them; in "legacy" the three counters that it had up to 0.6 are told and
all else is written.
"""

import logging
import re
import socket
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Literal

from serving.errors import ModelNotFound
from serving.handlers.points import MetricPoint
from serving.observe.families import Families, FamilyKind, FamilySpec
from serving.observe.metrics_config import DEFAULT_METRICS, MetricsConfig, read_metrics_config
from serving.settings import ServerSettings

__all__ = ("MODEL_METRICS_LOG", "TS_METRICS_LOG", "TorchServeMetrics")

MODEL_METRICS_LOG = "serving.model_metrics"
TS_METRICS_LOG = "serving.ts_metrics"

_LEGACY = (
    "ts_inference_requests_total",
    "ts_inference_latency_microseconds",
    "ts_queue_latency_microseconds",
)
_LOADED, _THREAD, _QUEUE = "WorkerLoadTime", "WorkerThreadTime", "QueueTime"

_MOST_SPECS = 1000
"""Names come from handlers, and memory is not theirs to fill; what is beyond is made each time."""

_NOT_IN_NAMES = re.compile(r"^[^a-zA-Z_]|[^a-zA-Z0-9_]")

_Owner = Literal["server", "model"]


class TorchServeMetrics:
    """TorchServe's metrics of one server.

    Args:
        settings: which, and where they go.

    Attributes:
        default_version_of: says which version of a model answers where none is named: the reference
            tells that one as "default".

    Raises:
        InvalidSettings: when the file of the metrics is not valid.
    """

    def __init__(self, settings: ServerSettings) -> None:
        self.default_version_of: Callable[[str], str] = lambda _: ""
        self._mode = settings.metrics_mode
        self._is_reference = settings.compat == "torchserve"
        self._takes_unlisted = settings.model_metrics_auto_detect
        self._host = socket.gethostname()
        config = (
            read_metrics_config(Path(settings.metrics_config))
            if settings.metrics_config
            else DEFAULT_METRICS
        )
        self._specs = _by_name(config)
        self._families = Families(
            [spec for spec in self._specs.values() if self._is_told(spec.name)],
            is_reference=self._is_reference,
        )
        self._takers: dict[tuple[str, str, str], Callable[[float], None]] = {}
        self._logs = {
            "server": logging.getLogger(TS_METRICS_LOG),
            "model": logging.getLogger(MODEL_METRICS_LOG),
        }

    def answered(self, status: int) -> None:
        """Count an answer by its status of HTTP, or by the one that stands for gRPC's code."""
        if 200 <= status < 300:
            self._often("Requests2XX", 1)
        elif 400 <= status < 500:
            self._often("Requests4XX", 1)
        else:
            self._often("Requests5XX", 1)

    def inferred(self, model: str, version: str, latency_s: float) -> None:
        """Count a request to a model, and its time from arrival to answer."""
        self._often("ts_inference_requests_total", 1, model, version)
        self._often("ts_inference_latency_microseconds", latency_s * 1e6, model, version)

    def queued(self, model: str, version: str, waits_s: Sequence[float]) -> None:
        """Count the times of requests in a model's queue."""
        if self._mode == "prometheus":
            # Nobody can tell the sum of a batch's times from the times one by one.
            self._often("ts_queue_latency_microseconds", sum(waits_s) * 1e6, model, version)
            self._often(_QUEUE, waits_s[-1] * 1e3)
            return
        for wait_s in waits_s:
            self._often("ts_queue_latency_microseconds", wait_s * 1e6, model, version)
            self._often(_QUEUE, wait_s * 1e3)

    def shipped(self, seconds: float) -> None:
        """Note what a batch cost beside the model: the way to the worker and back."""
        self._often(_THREAD, seconds * 1e3)

    def loaded(self, worker: str, seconds: float) -> None:
        """Note how long a worker took to load its model."""
        self.host(_LOADED, seconds * 1e3, WorkerName=worker)

    def host(self, name: str, number: float, **labels: str) -> None:
        """Take a value of this host."""
        self._take(name, {**labels, "Level": "Host", "Hostname": self._host}, number)

    def observe(self, model: str, version: str, point: MetricPoint) -> None:
        """Take what a handler measured."""
        if point.kind == "statistic":  # told by its drift
            return
        spec = self._specs.get(point.name)
        if spec is None:
            if not self._takes_unlisted:
                return
            spec = _spec_of(point, point.kind)
            if len(self._specs) < _MOST_SPECS:
                self._specs[point.name] = spec
        labels_ = {"ModelName": model, **point.dimensions, "Hostname": self._host}
        self._tell("model", spec, labels_, point.value, point.request_id)

    def forget(self, model: str, version: str, *, is_last: bool) -> None:
        """Tell no more of a version, its workers, and if it was the last, of anything of the model.

        Else the reference's "default" and what handlers measured stay: others have a part in them.
        """
        worker = re.compile(rf"W-\d+-{re.escape(f'{model}_{version}')}")

        def is_gone(labels: Mapping[str, str]) -> bool:
            if is_last and model in (labels.get("model_name"), labels.get("ModelName")):
                return True
            if (labels.get("model_name"), labels.get("model_version")) == (model, version):
                return True
            return worker.fullmatch(labels.get("WorkerName", "")) is not None

        self._takers = {key: take for key, take in self._takers.items() if key[1] != model}
        self._families.forget(is_gone)

    def as_text(self, names: Collection[str] = ()) -> str:
        """Write what is told, in Prometheus' text format."""
        return self._families.as_text(names)

    def _often(self, name: str, number: float, model: str = "", version: str = "") -> None:
        """Take a value of a model's version, or of this host, at the price of a look-up."""
        if model and self._is_reference and version == self._default_of(model):
            version = "default"
        take = self._takers.get((name, model, version))
        if take is not None:
            take(number)
            return
        labels = self._labels_of(model, version)
        spec = self._specs.get(name)
        if self._mode == "prometheus" and spec is not None:
            self._takers[name, model, version] = self._families.taker(spec, labels)
        self._take(name, labels, number)

    def _labels_of(self, model: str, version: str) -> dict[str, str]:
        if not model:
            return {"Level": "Host", "Hostname": self._host}
        return {"model_name": model, "model_version": version, "hostname": self._host}

    def _take(self, name: str, labels: Mapping[str, str], number: float) -> None:
        spec = self._specs.get(name)
        if spec is not None:
            self._tell("server", spec, labels, number)

    def _tell(
        self,
        owner: _Owner,
        spec: FamilySpec,
        labels: Mapping[str, str],
        number: float,
        request_id: str = "",
    ) -> None:
        if self._is_told(spec.name):
            self._families.take(spec, labels, number)
        if self._mode != "prometheus" and spec.name not in self._told_only:
            self._logs[owner].info("%s", _line(spec, labels, number, request_id))

    def _is_told(self, name: str) -> bool:
        """Whether a metric is at /metrics; only the reference leaves it empty in the mode "log"."""
        if self._mode == "legacy":
            return name in _LEGACY
        return self._mode == "prometheus" or not self._is_reference

    def _default_of(self, model: str) -> str:
        try:
            return self.default_version_of(model)
        except ModelNotFound:
            return ""

    @property
    def _told_only(self) -> Collection[str]:
        return _LEGACY if self._mode == "legacy" else ()


def _by_name(config: MetricsConfig) -> dict[str, FamilySpec]:
    return {spec.name: spec for spec in (*config.server, *config.model)}


def _spec_of(point: MetricPoint, kind: FamilyKind) -> FamilySpec:
    """Make a family of what a handler invented; Prometheus takes fewer characters than Python."""
    labels = [name for name in point.dimensions if name != "Hostname"]
    unit = " ".join(point.unit.split())
    plain = [_NOT_IN_NAMES.sub("_", name) or "_" for name in (point.name, *labels)]
    return FamilySpec(plain[0], kind, unit, (*dict.fromkeys(plain[1:]), "Hostname"))


def _line(spec: FamilySpec, labels: Mapping[str, str], number: float, request_id: str) -> str:
    """One value as TorchServe writes it to its files."""
    told = [(name, labels.get(name, "")) for name in spec.labels]
    host = next((value for name, value in told if name.lower() == "hostname"), "")
    dimensions = ",".join(f"{name}:{value}" for name, value in told if name.lower() != "hostname")
    end = f",{request_id}" if request_id else ""
    return (
        f"{spec.name}.{spec.unit}:{float(number)!r}|#{dimensions}|#hostname:{host},"
        f"timestamp:{int(time.time())}{end}"
    )
