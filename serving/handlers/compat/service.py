"""What runs a handler's code: here, the server's own worker."""

import logging
from collections.abc import Iterable

__all__ = ("PREDICTION_METRIC", "emit_metrics")

PREDICTION_METRIC = "PredictionTime"

_log = logging.getLogger(__name__)


def emit_metrics(metrics: Iterable[object]) -> None:
    """Write metrics to the log."""
    for metric in metrics or ():
        _log.info("[METRICS]%s", metric)
