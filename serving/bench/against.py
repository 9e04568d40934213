"""Against: whether a server has become worse than in a former report, beyond noise.

The rule. A repeat is cut into slices of equal time; within one, answers hang together (one batch,
one queue), between slices hardly. So slices, not requests, are drawn anew: the bootstrap of the
mean of their throughputs, and of the median of their 99th percentiles, gives for both reports an
interval that holds 95 % of the draws. Worse is what is worse by more than the tolerance (5 %) *and*
whose interval lies wholly on the worse side of the former one. Either alone cries wolf: a long run
has so narrow an interval that a drift of the machine of 1 % leaves it; a short one differs by 10 %
by chance. More failures count where the share rises by two standard errors and half a percent.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from serving.bench.measured import Trial, longest

__all__ = ("Change", "compare", "interval", "told")

_DRAWS = 2000
_INTERVAL = (2.5, 97.5)
_MORE_ERRORS = 0.005
_FEWEST = 4
"""Of fewer slices no interval can be drawn."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Change:
    """One number of one setting, before and now.

    Attributes:
        setting: its name.
        what: "throughput", "p99" or "errors".
        before: then.
        now: now.
        is_worse: beyond noise.
    """

    setting: str
    what: str
    before: float
    now: float
    is_worse: bool

    @property
    def sentence(self) -> str:
        """For people."""
        change = f" ({self.share:+.0%})" if self.before else ""
        mark = "WORSE" if self.is_worse else "not beyond noise"
        return f"{mark}: {self.what} {self.before:.4g} -> {self.now:.4g}{change}, {self.setting}"

    @property
    def share(self) -> float:
        """By how much of the former number it changed."""
        return self.now / self.before - 1 if self.before else 0.0


def compare(before: Iterable[Trial], now: Iterable[Trial], tolerance: float = 0.05) -> list[Change]:
    """Compare the settings that both reports tried, each by its longest trial.

    Args:
        before: trials of the former report.
        now: trials of this one.
        tolerance: a change up to this share is none.
    """
    then = {trial.setting.name: trial for trial in longest(before)}
    changes: list[Change] = []
    for trial in longest(now):
        old = then.get(trial.setting.name)
        if old is not None and old.repeats:
            changes += _changes(old, trial, tolerance)
    return changes


def told(changes: Sequence[Change], tolerance: float) -> list[str]:
    """What is worth a sentence, the worse first; then how many others there are.

    Args:
        changes: all.
        tolerance: as in `compare`.
    """
    worse = [change for change in changes if change.is_worse]
    moved = [c for c in changes if not c.is_worse and abs(c.share) > tolerance]
    sentences = [change.sentence for change in (*worse, *moved)]
    others = len(changes) - len(sentences)
    return [*sentences, f"{others} numbers are as before"] if others else sentences


def interval(values: Sequence[float], of: Callable[..., Numbers]) -> tuple[float, float]:
    """Bootstrap: where 95 % of the draws of a statistic lie; the same each time.

    Args:
        values: of the slices.
        of: numpy's mean or median, with `axis`.
    """
    drawn = np.random.default_rng(0).choice(np.asarray(values), (_DRAWS, len(values)))
    low, high = np.percentile(of(drawn, axis=1), _INTERVAL)
    return float(low), float(high)


def _changes(before: Trial, now: Trial, tolerance: float) -> list[Change]:
    name = now.setting.name
    if not now.is_measured:
        return [
            Change(f"{name}: {now.problem}", "throughput", before.median("throughput"), 0, True)
        ]
    changes = [_errors(before, now)]
    for what, sign, of in (("throughput", 1.0, np.mean), ("p99", -1.0, np.median)):
        old, new = _values(before, what), _values(now, what)
        if min(len(old), len(new)) < _FEWEST:
            continue
        middle = (float(of(old)), float(of(new)))
        is_worse = _is_worse((old, new), middle, sign, of, tolerance)
        changes.append(Change(name, what, *middle, is_worse))
    return changes


def _values(trial: Trial, what: str) -> list[float]:
    if what == "throughput":
        return [part.throughput for part in trial.slices]
    return [part.p99_ms for part in trial.slices if part.p99_ms is not None]


def _is_worse(
    values: tuple[Sequence[float], Sequence[float]],
    middle: tuple[float, float],
    sign: float,
    of: Callable[..., Numbers],
    tolerance: float,
) -> bool:
    """Worse by more than the tolerance, and by more than noise."""
    if not middle[0]:
        return False
    if sign * (middle[0] - middle[1]) <= tolerance * middle[0]:
        return False
    old, new = (sorted(sign * end for end in interval(part, of)) for part in values)
    return new[1] < old[0]


def _errors(before: Trial, now: Trial) -> Change:
    old, new = (t.failed / max(t.requests, 1) for t in (before, now))
    error = sum(s * (1 - s) / max(t.requests, 1) for s, t in ((old, before), (new, now))) ** 0.5
    is_worse = new - old > max(2 * error, _MORE_ERRORS)
    return Change(now.setting.name, "errors", old, new, is_worse)
