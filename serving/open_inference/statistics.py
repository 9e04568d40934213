"""What a model has done, in the form of the statistics extension (Triton's)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from serving.observe.statistics import DurationSum, EndpointStatistics, TimeSums

__all__ = (
    "BatchStats",
    "Duration",
    "InferenceStats",
    "ModelStatistics",
    "RequestSums",
    "statistics_of",
)


class Duration(msgspec.Struct, frozen=True):
    """How often, and how long together, nanoseconds."""

    count: int = 0
    ns: int = 0


class InferenceStats(msgspec.Struct, frozen=True, kw_only=True):
    """`success` and `fail` sum over requests, the others over items: each row of one is an item."""

    success: Duration
    fail: Duration
    queue: Duration
    compute_input: Duration
    compute_infer: Duration
    compute_output: Duration
    cache_hit: Duration = Duration()
    cache_miss: Duration = Duration()


class BatchStats(msgspec.Struct, frozen=True, kw_only=True):
    """Sums over the batches of one size."""

    batch_size: int
    compute_input: Duration
    compute_infer: Duration
    compute_output: Duration


class ModelStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """One version of a model.

    `compute_input` is a worker's time until it calls the model: bodies are decoded, arrays read;
    `compute_infer` the model's; `compute_output` that until the answer is written. Code that reads
    requests itself does all three within `compute_infer`, and so does continuous batching.

    Attributes:
        name: of the model.
        version: of it.
        last_inference: milliseconds since 1970; 0: never.
        inference_count: items answered.
        execution_count: batches answered.
        inference_stats: sums over requests.
        response_stats: of models that answer in parts: none here.
        batch_stats: sums for each size of batch, the smallest first.
        memory_usage: none: the workers' memory stands in the management API.
    """

    name: str
    version: str
    last_inference: int
    inference_count: int
    execution_count: int
    inference_stats: InferenceStats
    response_stats: Mapping[str, Duration] = {}
    batch_stats: tuple[BatchStats, ...]
    memory_usage: tuple[Duration, ...] = ()


@dataclass(slots=True)
class RequestSums:
    """What became of a model's requests where each may be several items."""

    success: DurationSum = field(default_factory=DurationSum)
    failed: DurationSum = field(default_factory=DurationSum)


def statistics_of(
    name: str, version: str, sums: EndpointStatistics, requests: RequestSums | None
) -> ModelStatistics:
    """Write sums in the extension's form.

    Args:
        name: of the model.
        version: of it.
        sums: over items.
        requests: over requests; None: each item was one.
    """
    asked = requests or RequestSums(sums.success, sums.failed)
    return ModelStatistics(
        name=name,
        version=version,
        last_inference=round(sums.last_inference_at * 1000),
        inference_count=sums.computed.count,
        execution_count=sum(each.count for each in sums.batches.values()),
        inference_stats=InferenceStats(
            success=_duration(asked.success),
            fail=_duration(asked.failed),
            queue=_duration(sums.queued),
            **_times(sums.computed),
        ),
        batch_stats=tuple(
            BatchStats(batch_size=size, **_times(sums.batches[size]))
            for size in sorted(sums.batches)
        ),
    )


def _times(sums: TimeSums) -> dict[str, Duration]:
    return {
        "compute_input": Duration(sums.count, _ns(sums.input_s)),
        "compute_infer": Duration(sums.count, _ns(sums.model_s)),
        "compute_output": Duration(sums.count, _ns(sums.output_s)),
    }


def _duration(sums: DurationSum) -> Duration:
    return Duration(sums.count, _ns(sums.seconds))


def _ns(seconds: float) -> int:
    return round(seconds * 1e9)
