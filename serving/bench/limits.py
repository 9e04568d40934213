"""Limits: what a setting must keep to, such as p99=100ms and errors=0.1%."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from serving.bench.measured import Trial
from serving.errors import ServingError

__all__ = ("InvalidLimit", "Limit", "excess", "latency_limit_ms", "parse_limit")

_FORM = re.compile(r"(?P<what>[a-z_0-9.]+) *= *(?P<number>[0-9.]+)(?P<unit>\S*)")

_UNITS: Mapping[str, Mapping[str, float]] = {
    "time": {"ms": 1.0, "s": 1000.0, "": 1.0},
    "share": {"%": 0.01, "": 1.0},
    "size": {"mb": 1.0, "gb": 1024.0, "": 1.0},
    "rate": {"/s": 1.0, "": 1.0},
}


class InvalidLimit(ServingError):
    """A limit is not written as one, or bounds what is not measured."""

    code = "invalid_limit"


def _of(field: str) -> Callable[[Trial], float]:
    return lambda trial: trial.median(field)


_KINDS: Mapping[str, tuple[str, Callable[[Trial], float]]] = {
    "p50": ("time", _of("p50_ms")),
    "p90": ("time", _of("p90_ms")),
    "p95": ("time", _of("p95_ms")),
    "p99": ("time", _of("p99_ms")),
    "p99.9": ("time", _of("p999_ms")),
    "mean": ("time", _of("mean_ms")),
    "errors": ("share", _of("errors")),
    "memory": ("size", lambda trial: trial.usage.memory_mb),
    "gpu_memory": ("size", lambda trial: trial.usage.gpu_memory_mb),
    "throughput": ("rate", _of("throughput")),
}


@dataclass(frozen=True)
class Limit:
    """A bound on one number of a trial.

    Attributes:
        what: the number's name.
        text: the limit as it was written.
        bound: milliseconds, a share in [0, 1], MiB, or a rate a second.
        read: the number of a trial.
        is_least: whether it must be reached, and not kept.
    """

    what: str
    text: str
    bound: float
    read: Callable[[Trial], float]
    is_least: bool = False

    def excess(self, trial: Trial) -> float:
        """How many times the bound the trial's number is; above 1 it is broken."""
        value = self.read(trial)
        if math.isnan(value):
            return math.inf
        over, under = (self.bound, value) if self.is_least else (value, self.bound)
        if over <= under:
            return min(over / under, 1.0) if under else 1.0
        return over / under if under else math.inf


def parse_limit(text: str) -> Limit:
    """Read a limit: `p99=100ms`, `p50=20ms`, `errors=0.1%`, `memory=2GB`, `throughput=50/s`.

    Raises:
        InvalidLimit: when it is none.
    """
    match = _FORM.fullmatch(text.strip().lower())
    what = match["what"] if match else ""
    if match is None or what not in _KINDS:
        msg = f"{text!r} is no limit: write for example p99=100ms; known are {', '.join(_KINDS)}"
        raise InvalidLimit(msg)
    unit, read = _KINDS[what]
    try:
        bound = float(match["number"]) * _UNITS[unit][match["unit"]]
    except (ValueError, KeyError) as error:
        units = ", ".join(filter(None, _UNITS[unit]))
        msg = f"{text!r} is no limit: {what} is a number with one of these units: {units}"
        raise InvalidLimit(msg) from error
    return Limit(what, text.strip(), bound, read, is_least=what == "throughput")


def excess(trial: Trial, limits: Sequence[Limit]) -> float:
    """The worst of all limits, in times its bound; at most 1 when all are kept."""
    if not trial.is_measured:
        return math.inf
    # Without a limit of its own, a setting that mostly fails is no setting.
    own = limits if any(limit.what == "errors" for limit in limits) else (*limits, _HALF)
    return max(limit.excess(trial) for limit in own)


def latency_limit_ms(limits: Sequence[Limit]) -> float | None:
    """The limit of the latency that the goodput is counted by: that of the highest percentile."""
    times = [limit for limit in limits if _KINDS[limit.what][0] == "time"]
    order = list(_KINDS)
    return max(times, key=lambda limit: order.index(limit.what)).bound if times else None


_HALF = Limit("errors", "errors=50%", 0.5, _KINDS["errors"][1])
