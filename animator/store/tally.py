"""Tally: numbers that many short-lived processes add to in Redis, for Prometheus to read.

A job runs in a fork of its own, which nobody could scrape before it ends; so what it counts is kept
where the job itself is kept, and told by whoever is asked. Nothing that is watched may fail for
being watched: while Redis is away, what would be counted is lost.
"""

import contextlib
import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import redis.exceptions
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from redis import Redis

__all__ = ("Tallied", "Tally")

_KEY = "animator:tally"
_MOST_FIELDS = 20_000
_SUM = "sum"
_COUNT = "count"


@dataclass(frozen=True, slots=True)
class Tallied:
    """What is counted.

    Attributes:
        name: of the metric, without the "_total" of a counter.
        text: what it is.
        labels: their names.
        bounds: upper ends of a histogram's buckets, inclusive, ascending; none: a counter.
    """

    name: str
    text: str
    labels: tuple[str, ...]
    bounds: tuple[float, ...] = ()


class Tally:
    """Adds to the numbers, and reads them.

    Args:
        client: the Redis that all share.
        kinds: what is counted.
    """

    def __init__(self, client: Redis, kinds: Iterable[Tallied]) -> None:
        self._redis = client
        self._kinds = {kind.name: kind for kind in kinds}

    def add(self, entries: Iterable[tuple[str, Sequence[str], float]]) -> None:
        """Add to counters, observe in histograms, all at once.

        Args:
            entries: name, values of the labels, and by how much, or what was observed, >= 0.
        """
        with contextlib.suppress(redis.exceptions.RedisError), self._redis.pipeline() as pipeline:
            for name, labels, number in entries:
                for part, amount in self._parts(name, number):
                    pipeline.hincrbyfloat(_KEY, json.dumps([name, *labels, part]), amount)
            pipeline.execute()

    def collect(self) -> Iterator[Metric]:
        """The numbers in Prometheus' form.

        Raises:
            RedisError: when they cannot be read.
        """
        found: dict[str, dict[tuple[str, ...], dict[str, float]]] = {}
        numbers: Any = self._redis.hgetall(_KEY)
        for field, number in list(numbers.items())[:_MOST_FIELDS]:
            name, *labels, part = json.loads(field)
            found.setdefault(name, {}).setdefault(tuple(labels), {})[part] = float(number)
        for kind in self._kinds.values():
            yield _family(kind, found.get(kind.name, {}))

    def _parts(self, name: str, number: float) -> Iterator[tuple[str, float]]:
        bounds = self._kinds[name].bounds
        if not bounds:
            yield _COUNT, number
            return
        yield str(bisect_left(bounds, number)), 1
        yield _SUM, number


def _family(kind: Tallied, series: Mapping[tuple[str, ...], Mapping[str, float]]) -> Metric:
    if not kind.bounds:
        counter = CounterMetricFamily(kind.name, kind.text, labels=kind.labels)
        for labels, parts in series.items():
            counter.add_metric(labels, parts.get(_COUNT, 0.0))
        return counter
    histogram = HistogramMetricFamily(kind.name, kind.text, labels=kind.labels)
    names = [*(str(float(bound)) for bound in kind.bounds), "+Inf"]
    for labels, parts in series.items():
        counts = accumulate(parts.get(str(place), 0.0) for place in range(len(names)))
        histogram.add_metric(
            labels, list(zip(names, counts, strict=True)), sum_value=parts.get(_SUM, 0.0)
        )
    return histogram
