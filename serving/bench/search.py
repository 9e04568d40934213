"""Search: which setting has the most throughput inside the limits, in how little time.

Successive halving (Jamieson and Talwalkar 2016): all settings are tried for a short time, the best
fifth for five times as long, the best of those for the whole time. Beside that, of the settings
that differ only in how much is asked, the most that keeps the limits is looked for by halves: with
less load there is less throughput, and with more the latency does not fall again.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from serving.bench.limits import Limit, excess
from serving.bench.measured import Trial
from serving.bench.setting import Setting

__all__ = ("ETA", "ROUNDS", "Try", "best_of", "full_grid", "halving", "loads_that_fit")

Try = Callable[[Setting, float], Trial]
"""Tries a setting for so many seconds."""

ETA = 5
"""How many times longer each round is than the one before, and how many of its settings go on."""

ROUNDS = 2
"""After the first, in each of which settings are tried longer."""

_DOUBT = 1.25
"""In short rounds a limit that is broken by no more than this may be noise."""

_HOPELESS = 1.5
"""Where a limit is broken by more than this, more load is not tried."""


def full_grid(settings: Iterable[Setting], attempt: Try, seconds: float) -> list[Trial]:
    """Try every setting for the whole time."""
    return [attempt(setting, seconds) for setting in settings]


def halving(
    settings: Sequence[Setting], attempt: Try, seconds: float, limits: Sequence[Limit]
) -> list[Trial]:
    """Try all settings for a short time and the best for longer; all trials, in order.

    Args:
        settings: those with the same server follow each other, rising in what is asked.
        attempt: tries one.
        seconds: of a whole trial.
        limits: what the best must keep to.
    """
    first = list(loads_that_fit(settings, attempt, seconds / ETA**ROUNDS, limits))
    trials = [*first]
    going_on = _ranked(first, limits, _DOUBT)
    for round_ in range(1, ROUNDS):
        kept = going_on[: math.ceil(len(settings) / ETA**round_)]
        # In the order of the settings, so that a server need not be started twice.
        kept.sort(key=lambda trial: settings.index(trial.setting))
        tried = [attempt(t.setting, seconds / ETA ** (ROUNDS - round_)) for t in kept]
        trials += tried
        going_on = _ranked(tried, limits, _DOUBT)
    others = [t for t in _ranked(first, limits, _DOUBT) if excess(t, limits) <= _DOUBT]
    likely = [trial.setting for trial in (*going_on, *others)]
    ranked = list(dict.fromkeys([*likely, *_easier(likely, settings)]))
    places = max(math.ceil(len(settings) / ETA**ROUNDS), 1)
    return trials + _finals(ranked, places, lambda setting: attempt(setting, seconds), limits)


def loads_that_fit(
    settings: Iterable[Setting], attempt: Try, seconds: float, limits: Sequence[Limit]
) -> Iterator[Trial]:
    """Try of each server the most load that keeps the limits, and no more loads than needed.

    Args:
        settings: those with the same server follow each other, rising in what is asked.
        attempt: tries one.
        seconds: of each trial.
        limits: what it must keep to.
    """
    # A throughput that must be reached is not broken by too much load.
    rising = [limit for limit in limits if not limit.is_least]
    for _, loads in groupby(settings, key=lambda setting: setting.served):
        yield from _by_halves(list(loads), lambda setting: attempt(setting, seconds), rising)


def _finals(
    ranked: Sequence[Setting],
    places: int,
    attempt: Callable[[Setting], Trial],
    limits: Sequence[Limit],
) -> list[Trial]:
    """Try the best for the whole time; where none keeps the limits, the next ones too."""
    finals: list[Trial] = []
    for setting in ranked:
        if len(finals) >= places and any(excess(final, limits) <= 1 for final in finals):
            break
        finals.append(attempt(setting))
    return finals


def best_of(trials: Iterable[Trial], limits: Sequence[Limit]) -> Trial | None:
    """The most throughput inside the limits, of the trials that took longest; None: there is none.

    Where the throughputs are within one percent, fewer workers, then a shorter p99, win.
    """
    ran = [trial for trial in trials if not trial.problem]
    longest = max((trial.seconds for trial in ran), default=0.0)
    good = [t for t in ran if t.seconds >= longest and excess(t, limits) <= 1]
    if not good:
        return None
    most = max(trial.median("throughput") for trial in good)
    near = [trial for trial in good if trial.median("throughput") >= most * 0.99]
    return min(near, key=lambda trial: (trial.setting.workers, trial.median("p99_ms")))


def _ranked(trials: Iterable[Trial], limits: Sequence[Limit], doubt: float) -> list[Trial]:
    """The best first: inside the limits by throughput, then by how far they are broken."""
    ran = [trial for trial in trials if trial.is_measured]

    def place(trial: Trial) -> tuple[bool, float]:
        over = excess(trial, limits)
        return (over > doubt, over if over > doubt else -trial.median("throughput"))

    return sorted(ran, key=place)


def _by_halves(
    loads: Sequence[Setting], attempt: Callable[[Setting], Trial], limits: Sequence[Limit]
) -> Iterator[Trial]:
    """Try the middle load; less where it breaks a limit, more where that is not hopeless."""
    if not loads:
        return
    # Of two the upper one: a lone client may wait for company in vain, and longest of all.
    middle = len(loads) // 2
    trial = attempt(loads[middle])
    yield trial
    over = excess(trial, limits)
    if over > 1:
        yield from _by_halves(loads[:middle], attempt, limits)
    if over <= _HOPELESS:
        yield from _by_halves(loads[middle + 1 :], attempt, limits)


def _easier(likely: Iterable[Setting], settings: Sequence[Setting]) -> Iterator[Setting]:
    """The same servers with less load, most first: for those that break a limit after all."""
    for one in likely:
        same = [s for s in settings if s.served == one.served]
        yield from reversed(same[: same.index(one)])
