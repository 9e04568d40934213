"""ServerMetrics: the metrics of all model versions of a server, and of who else has some."""

from collections.abc import Collection, Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from serving.observe.counts import Counts
from serving.observe.endpoint_metrics import EndpointMetrics, MetricsListener
from serving.observe.exposition import expose

__all__ = ("ServerMetrics",)


class ServerMetrics(Collector):
    """All metrics of a server, in a registry of its own.

    They are counted in plain numbers, and put into Prometheus' form when somebody asks.

    Attributes:
        listeners: told of what happens as well.
    """

    def __init__(self) -> None:
        self.listeners: list[MetricsListener] = []
        self._versions: dict[tuple[str, str], EndpointMetrics] = {}
        self._registry = CollectorRegistry(auto_describe=True)
        self._registry.register(self)

    def for_endpoint(self, name: str, version: str) -> EndpointMetrics:
        """Take down what happens to a model version from now on.

        It goes on counting where one of the same name and version is that is not forgotten yet.
        """
        former = self._versions.get((name, version))
        counts = former.counts if former is not None else Counts()
        found = EndpointMetrics((name, version), counts, self.listeners)
        self._versions[name, version] = found
        return found

    def forget_endpoint(self, name: str, version: str) -> None:
        """Tell nothing more of a model version that is no longer served.

        Its counters go as well: should it come back, they begin at 0, which Prometheus takes for
        the restart that it is. A server that is given new versions for months would else tell of
        them all.
        """
        found = self._versions.pop((name, version), None)
        if found is None:
            return
        found.fall_silent()
        is_last = all(other != name for other, _ in self._versions)
        for listener in self.listeners:
            listener.forget(name, version, is_last=is_last)

    def as_text(self, names: Collection[str] = ()) -> bytes:
        """Write the metrics of these names, or all, in Prometheus' text format 0.0.4."""
        if names:
            return generate_latest(self._registry.restricted_registry(names))
        return generate_latest(self._registry)

    def add(self, collector: Collector) -> None:
        """Tell the metrics of another one as well."""
        self._registry.register(collector)

    def collect(self) -> Iterator[Metric]:
        """Put the numbers into Prometheus' form."""
        return expose(self._versions)
