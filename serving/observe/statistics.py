"""EndpointStatistics: what one model version has done, in plain sums."""

import time
from dataclasses import dataclass, field
from typing import NamedTuple

__all__ = ("BatchTimes", "DurationSum", "EndpointStatistics", "TimeSums")


@dataclass(slots=True)
class DurationSum:
    """How often something happened, and how long that took together, seconds."""

    count: int = 0
    seconds: float = 0.0

    def add(self, seconds: float, count: int = 1) -> None:
        """Count it `count` more times, which took so long together."""
        self.count += count
        self.seconds += seconds


class BatchTimes(NamedTuple):
    """A worker's time on one batch, seconds.

    Attributes:
        input_s: until the model was called: its inputs were read.
        whole_s: from the batch's coming to its answer.
        output_s: since the model was done: its outputs were written.
    """

    input_s: float
    whole_s: float
    output_s: float

    @property
    def model_s(self) -> float:
        """In the model."""
        return self.whole_s - self.input_s - self.output_s


@dataclass(slots=True)
class TimeSums:
    """Times of batches, summed.

    Attributes:
        count: how often.
        input_s: reading inputs.
        model_s: the model.
        output_s: writing outputs.
    """

    count: int = 0
    input_s: float = 0.0
    model_s: float = 0.0
    output_s: float = 0.0

    def add(self, times: BatchTimes, count: int = 1) -> None:
        """Count them so often."""
        self.count += count
        self.input_s += times.input_s * count
        self.model_s += times.model_s * count
        self.output_s += times.output_s * count


@dataclass(slots=True)
class EndpointStatistics:
    """Sums since the start.

    Attributes:
        success: requests that were answered, from arrival to answer.
        failed: requests that were not.
        queued: items that left the queue for a worker, from arrival.
        computed: items that workers answered, each with the times of its batch.
        batches: batches by their size, with their times.
        last_inference_at: seconds since 1970; 0.0 before the first.
    """

    success: DurationSum = field(default_factory=DurationSum)
    failed: DurationSum = field(default_factory=DurationSum)
    queued: DurationSum = field(default_factory=DurationSum)
    computed: TimeSums = field(default_factory=TimeSums)
    batches: dict[int, TimeSums] = field(default_factory=dict)
    last_inference_at: float = 0.0

    def add_batch(self, times: BatchTimes, size: int) -> None:
        """Count a batch of so many items that a worker has answered just now."""
        self.computed.add(times, size)
        self.batches.setdefault(size, TimeSums()).add(times)
        self.last_inference_at = time.time()
