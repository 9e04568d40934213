"""MetricsStore: the older form of `context.metrics`."""

from typing import Any

from serving.handlers.compat.metrics.metric_cache_yaml_impl import MetricsCacheYamlImpl

__all__ = ("MetricsStore",)


class MetricsStore(MetricsCacheYamlImpl):
    """The metrics of one model, made by hand.

    Args:
        request_ids: place in the batch to the request's id.
        model_name: as in the URL.
    """

    def __init__(self, request_ids: Any, model_name: str) -> None:
        super().__init__()
        self.request_ids = request_ids
        self.model_name = model_name
