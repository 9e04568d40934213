"""Result: what came of one load, request by request."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

__all__ = ("UNANSWERED", "Record", "Result", "is_good", "part_within", "percentile")

UNANSWERED = 0
"""In place of a status: the connection ended, or no answer came in time."""


class Record(NamedTuple):
    """One request.

    Attributes:
        start_s: when it was to be sent, seconds since the measuring began.
        latency_ms: from then to the whole answer; of one that was not answered, to its end.
        status: of HTTP, or `UNANSWERED`.
    """

    start_s: float
    latency_ms: float
    status: int


@dataclass
class Result:
    """What came of one load.

    Attributes:
        seconds: measured.
        records: requests that were to be sent in that time, in the order of their answers.
        completed: good answers that came in that time, whenever they were asked for; in a closed
            loop those at its edges count by the part of their time that lies inside.
        statuses: answers by status, those of the warm-up too.
        broken: requests that were never answered.
        sample: the beginning of a body; of a bad answer where there is one.
        busy: share of the time in which the load generator itself worked; near 1 it is too slow.
    """

    seconds: float = 0.0
    records: list[Record] = field(default_factory=list)
    completed: float = 0.0
    statuses: Counter[int] = field(default_factory=Counter)
    broken: int = 0
    sample: bytes = b""
    busy: float = 0.0

    @property
    def latencies_ms(self) -> list[float]:
        """Of the good answers."""
        return [record.latency_ms for record in self.records if is_good(record.status)]

    @property
    def rate(self) -> float:
        """Good answers a second."""
        return self.completed / self.seconds if self.seconds else 0.0

    def percentile(self, share: float) -> float:
        """As the function of that name, of the good answers."""
        return percentile(self.latencies_ms, share)


def is_good(status: int) -> bool:
    """Whether a status tells of success."""
    return 200 <= status < 300


def part_within(started: float, ended: float, until: float, since: float = 0.0) -> float:
    """Which part of a request's time lies in a span, in [0, 1].

    In a closed loop these parts, summed up, are as many as the answers in the long run (each client
    is always waiting for one), and are not raised or lowered by a whole batch that just falls into
    the span, or just does not.
    """
    inside = min(ended, until) - max(started, since)
    return max(inside, 0.0) / (ended - started) if ended > started else float(inside >= 0)


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest of the values that this share of them, in percent, does not exceed.

    No value between two is made up: of 100 values the 99th percentile is the last but one.
    Not a number when there are none.
    """
    if not len(values):
        return float("nan")
    return float(np.percentile(values, share, method="inverted_cdf"))
