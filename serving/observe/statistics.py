"""EndpointStatistics: what one model version has done, in plain sums."""

from dataclasses import dataclass, field

__all__ = ("DurationSum", "EndpointStatistics")


@dataclass(slots=True)
class DurationSum:
    """How often something happened, and how long that took together, seconds."""

    count: int = 0
    seconds: float = 0.0

    def add(self, seconds: float, count: int = 1) -> None:
        """Count it `count` more times, which took so long together."""
        self.count += count
        self.seconds += seconds


@dataclass(slots=True)
class EndpointStatistics:
    """Sums since the start.

    Attributes:
        success: requests that were answered, from arrival to answer.
        failed: requests that were not.
        queued: items that left the queue for a worker, from arrival.
        computed: items that workers answered, each with the time of its batch.
        batches: batches by their size, with the workers' time.
        last_inference_at: seconds since 1970; 0.0 before the first.
    """

    success: DurationSum = field(default_factory=DurationSum)
    failed: DurationSum = field(default_factory=DurationSum)
    queued: DurationSum = field(default_factory=DurationSum)
    computed: DurationSum = field(default_factory=DurationSum)
    batches: dict[int, DurationSum] = field(default_factory=dict)
    last_inference_at: float = 0.0
