"""Trial: what was measured of one setting, and the spread over its repeats."""

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from serving.bench.records import Result, is_good, percentile
from serving.bench.setting import Setting
from serving.bench.stages import Stages
from serving.bench.usage import Usage

__all__ = (
    "SLICES",
    "Measured",
    "Slice",
    "Spread",
    "Trial",
    "longest",
    "measure",
    "slices_of",
    "spread",
)

SLICES = 5
"""Parts of a repeat, of equal time, that count as looks of their own."""


class Spread(msgspec.Struct, frozen=True):
    """Of repeats: the middle one, the least, the most."""

    median: float
    low: float
    high: float


class Slice(msgspec.Struct, frozen=True):
    """One part of a repeat.

    Attributes:
        throughput: good answers a second.
        p99_ms: of the good answers; None: there were none.
    """

    throughput: float
    p99_ms: float | None


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """One repeat.

    Attributes:
        seconds: measured.
        requests: that were to be sent.
        throughput: good answers a second.
        goodput: good answers inside the limit of the latency a second; without one, all good ones.
        p50_ms: of the good answers, as `percentile`; None, as those below, without any.
        p90_ms: likewise.
        p95_ms: likewise.
        p99_ms: likewise.
        p999_ms: likewise.
        mean_ms: likewise.
        errors: share of the requests that had no good answer, in [0, 1].
        statuses: answers by status; "0": none came.
        slices: its parts.
        busy: share of the time in which the load generator itself worked.
    """

    seconds: float
    requests: int
    throughput: float
    goodput: float
    p50_ms: float | None
    p90_ms: float | None
    p95_ms: float | None
    p99_ms: float | None
    p999_ms: float | None
    mean_ms: float | None
    errors: float
    statuses: dict[str, int]
    slices: tuple[Slice, ...] = ()
    busy: float = 0.0


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """One setting, tried.

    Attributes:
        setting: which.
        seconds: that were to be measured, over all repeats.
        repeats: what came of each; empty when it could not be tried.
        usage: of the machine.
        stages: where the time went in the server.
        problem: why it could not be tried; "" when it was.
    """

    setting: Setting
    seconds: float
    repeats: tuple[Measured, ...] = ()
    usage: Usage = Usage()
    stages: Stages = Stages()
    problem: str = ""

    def spread(self, field: str) -> Spread:
        """A number of the repeats, by its field's name."""
        values = [getattr(repeat, field) for repeat in self.repeats]
        return spread([value for value in values if value is not None])

    def median(self, field: str) -> float:
        """The middle of the repeats; NaN without any."""
        return self.spread(field).median

    @property
    def is_measured(self) -> bool:
        """Whether it could be tried, and has numbers."""
        return bool(self.repeats) and not self.problem

    @property
    def measured_s(self) -> float:
        """Seconds that were measured; of fixed numbers of requests not what was planned."""
        return sum(repeat.seconds for repeat in self.repeats)

    @property
    def requests(self) -> int:
        """Of all repeats."""
        return sum(repeat.requests for repeat in self.repeats)

    @property
    def failed(self) -> int:
        """Requests of all repeats that had no good answer."""
        return sum(round(repeat.errors * repeat.requests) for repeat in self.repeats)

    @property
    def slices(self) -> tuple[Slice, ...]:
        """Of all repeats."""
        return tuple(part for repeat in self.repeats for part in repeat.slices)


def longest(trials: Iterable[Trial]) -> list[Trial]:
    """Each setting's longest trial, in the order in which they were first tried."""
    found: dict[str, Trial] = {}
    for trial in trials:
        before = found.get(trial.setting.name)
        if before is None or trial.seconds >= before.seconds:
            found[trial.setting.name] = trial
    return list(found.values())


def spread(values: Sequence[float]) -> Spread:
    """The middle, the least and the most; NaN without any."""
    if not values:
        return Spread(*[float("nan")] * 3)
    return Spread(float(np.median(values)), min(values), max(values))


def measure(result: Result, limit_ms: float | None) -> Measured:
    """Sum up a load.

    Args:
        result: what came of it.
        limit_ms: of the latency, for the goodput; None: no limit.
    """
    good = result.latencies_ms
    within = sum(latency <= limit_ms for latency in good) if limit_ms is not None else len(good)
    share = within / len(good) if good else 0.0
    statuses = Counter(str(record.status) for record in result.records)
    bad = sum(not is_good(record.status) for record in result.records)

    def of(share: float) -> float | None:
        return percentile(good, share) if good else None

    return Measured(
        seconds=result.seconds,
        requests=len(result.records),
        throughput=result.rate,
        goodput=result.rate * share,
        p50_ms=of(50),
        p90_ms=of(90),
        p95_ms=of(95),
        p99_ms=of(99),
        p999_ms=of(99.9),
        mean_ms=float(np.mean(good)) if good else None,
        errors=bad / len(result.records) if result.records else float(not result.completed),
        statuses=dict(statuses),
        slices=slices_of(result, SLICES),
        busy=result.busy,
    )


def slices_of(result: Result, count: int) -> tuple[Slice, ...]:
    """Cut a load into parts of equal time; an answer belongs to the part in which it came."""
    parts: list[list[float]] = [[] for _ in range(count)]
    if result.seconds <= 0:
        return ()
    for record in result.records:
        at = (record.start_s + record.latency_ms / 1000) / result.seconds * count
        if is_good(record.status) and at < count:
            parts[int(at)].append(record.latency_ms)
    each_s = result.seconds / count
    return tuple(
        Slice(len(part) / each_s, percentile(part, 99) if part else None) for part in parts
    )
