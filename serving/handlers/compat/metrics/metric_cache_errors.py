"""What can be wrong with metrics."""

__all__ = (
    "GeneralMetricsCacheError",
    "MetricsCacheIOError",
    "MetricsCacheKeyError",
    "MetricsCachePyYamlError",
    "MetricsCacheTypeError",
    "MetricsCacheValueError",
)


class GeneralMetricsCacheError(Exception):
    """Something else."""


class MetricsCacheIOError(OSError):
    """The file cannot be read."""


class MetricsCachePyYamlError(ValueError):
    """The file is no YAML."""


class MetricsCacheTypeError(TypeError):
    """A value is of the wrong type."""


class MetricsCacheValueError(ValueError):
    """A value is out of bounds."""


class MetricsCacheKeyError(KeyError):
    """There is no such metric."""
