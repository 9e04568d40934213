"""When requests come: evenly by chance, in bursts, by the hour; the same for the same seed."""

import math
import random
from collections.abc import Callable

__all__ = ("bursty", "daily", "steady", "thinned")


def thinned(rate: Callable[[float], float], most: float, seconds: float, seed: int) -> list[float]:
    """Moments of a Poisson process whose rate changes, seconds, ascending (Lewis and Shedler 1979).

    Args:
        rate: at a moment, a second.
        most: that it is ever.
        seconds: until when.
        seed: of the chance.
    """
    chance, at = random.Random(seed), 0.0
    moments = []
    while (at := at + chance.expovariate(most)) < seconds:
        if chance.random() * most < rate(at):
            moments.append(at)
    return [*moments, seconds]


def steady(capacity: float, seconds: float, seed: int) -> list[float]:
    """Seven tenths of what can be done."""
    return thinned(lambda _: 0.7 * capacity, capacity, seconds, seed)


def bursty(capacity: float, seconds: float, seed: int) -> list[float]:
    """A fifth of what can be done, and in bursts of a second, one in four, ten times as much.

    Both last as long as chance will have it (a Markov-modulated Poisson process).
    """
    chance = random.Random(seed + 1000)
    turns = [0.0]
    while turns[-1] < seconds:
        mean_s = 3.0 if len(turns) % 2 else 1.0
        turns.append(turns[-1] + chance.expovariate(1 / mean_s))

    state = 0

    def rate(at: float) -> float:
        nonlocal state
        while turns[state + 1] <= at:
            state += 1
        return (2.0 if state % 2 else 0.2) * capacity

    return thinned(rate, 2.0 * capacity, seconds, seed)


def daily(capacity: float, seconds: float, seed: int) -> list[float]:
    """Two days in a short time: from a tenth of what can be done to 1.4 times that."""

    def rate(at: float) -> float:
        return capacity * (0.75 - 0.65 * math.cos(4 * math.pi * at / seconds))

    return thinned(rate, 1.4 * capacity, seconds, seed)
