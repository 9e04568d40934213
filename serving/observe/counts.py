"""Counts: what has happened to one model version, in plain numbers."""

from collections import Counter

from serving.observe.distribution import Distribution

__all__ = ("Counts",)

_SECONDS = (
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5,
    1, 2.5, 5, 10, 30, 60,
)  # fmt: skip
_SIZES = (1, 2, 4, 8, 16, 32, 64, 128)


class Counts:
    """What has happened to one model version."""

    def __init__(self) -> None:
        self.request_s = Distribution(_SECONDS)
        self.queue_s = Distribution(_SECONDS)
        self.batch_wait_s = Distribution(_SECONDS)
        self.inference_s = Distribution(_SECONDS)
        self.preprocess_s = Distribution(_SECONDS)
        self.model_s = Distribution(_SECONDS)
        self.postprocess_s = Distribution(_SECONDS)
        self.batch_size = Distribution(_SIZES)
        self.batches: Counter[str] = Counter()
        self.requests: Counter[str] = Counter()
        self.shed: Counter[str] = Counter()
        self.restarts = 0
        self.late = 0
