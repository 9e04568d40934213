"""MetricsCacheYamlImpl: the metrics that a file names, and those that a handler adds."""

from pathlib import Path
from typing import Any

from serving.handlers.compat.metrics import metric_cache_errors as errors
from serving.handlers.compat.metrics.caching_metric import CachingMetric
from serving.handlers.compat.metrics.metric_cache_abstract import MetricCacheAbstract
from serving.handlers.compat.metrics.metric_type_enum import MetricTypes

__all__ = ("MetricsCacheYamlImpl",)

_DEFAULTS: dict[str, list[dict[str, Any]]] = {
    "gauge": [
        {"name": name, "unit": "ms", "dimensions": ["ModelName", "Level"]}
        for name in ("HandlerTime", "PredictionTime")
    ]
}
"""What every model measures."""


class MetricsCacheYamlImpl(MetricCacheAbstract):
    """The metrics of one model.

    Args:
        config_file_path: a YAML file with a table `model_metrics`; None: the default ones.
    """

    def __init__(self, config_file_path: str | None = None) -> None:
        super().__init__(config_file_path)
        self._section = _DEFAULTS if config_file_path is None else _read_section(config_file_path)

    def initialize_cache(self) -> None:
        """Make the metrics that the file names."""
        for kind, metrics in self._section.items():
            for metric in metrics:
                try:
                    self.add_metric_to_cache(
                        metric["name"], metric["unit"], metric["dimensions"], MetricTypes(kind)
                    )
                except (KeyError, ValueError) as error:
                    msg = f"a metric of {self.config_file_path} is not valid: {error}"
                    raise errors.MetricsCacheKeyError(msg) from error

    def add_metric_to_cache(
        self,
        metric_name: str,
        unit: str,
        dimension_names: list[str] | None = None,
        metric_type: MetricTypes = MetricTypes.COUNTER,
    ) -> CachingMetric:
        """Make a metric; one of that name and kind is replaced."""
        _check_types(metric_name, unit, dimension_names or [], metric_type)
        metric = CachingMetric(metric_name, unit, dimension_names, metric_type)
        self.cache.setdefault(metric_type, {})[metric_name] = metric
        return metric

    def get_metric(
        self, metric_name: str, metric_type: MetricTypes = MetricTypes.COUNTER
    ) -> CachingMetric:
        """Find a metric by name and kind.

        Raises:
            MetricsCacheKeyError: when there is none.
        """
        _check_types(metric_name, "", [], metric_type)
        try:
            metric: CachingMetric = self.cache[metric_type][metric_name]
        except KeyError as error:
            msg = f"there is no {metric_type.value} {metric_name}"
            raise errors.MetricsCacheKeyError(msg) from error
        return metric

    def cache_keys(self) -> list[str]:
        """List the metrics, each as "kind:name"."""
        return [f"{kind.value}:{name}" for kind, metrics in self.cache.items() for name in metrics]


def _check_types(name: object, unit: object, dimensions: object, kind: object) -> None:
    wanted = ((name, str), (unit, str), (dimensions, list), (kind, MetricTypes))
    for value, expected in wanted:
        if not isinstance(value, expected):
            msg = f"{value!r} must be of type {expected.__name__}"
            raise errors.MetricsCacheTypeError(msg)


def _read_section(path: str) -> dict[str, list[dict[str, Any]]]:
    # Workers without such a file start without it.
    import yaml

    try:
        section = yaml.safe_load(Path(path).read_text())["model_metrics"]
    except yaml.YAMLError as error:
        msg = f"{path} is no YAML: {error}"
        raise errors.MetricsCachePyYamlError(msg) from error
    except OSError as error:
        msg = f"cannot read {path}: {error.strerror}"
        raise errors.MetricsCacheIOError(msg) from error
    except (KeyError, TypeError) as error:
        msg = f"{path} has no table model_metrics"
        raise errors.MetricsCacheKeyError(msg) from error
    if not isinstance(section, dict):
        msg = f"model_metrics of {path} must be a table"
        raise errors.MetricsCacheValueError(msg)
    return section
