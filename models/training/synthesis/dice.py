"""Dice: the one source of chance, fixed by a seed."""

import random
from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np

T = TypeVar("T")

Spread = tuple[float, float, float]
"""Lowest, most likely and highest value of a factor."""

__all__ = ("Dice", "Spread")


class Dice:
    """Draws numbers and choices; the same seed gives the same draws.

    Attributes:
        array: the generator for whole arrays of numbers.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.array = np.random.default_rng(abs(seed))

    def uniform(self, low: float, high: float) -> float:
        """Any number between the two, all alike."""
        return low + (high - low) * self._random.random()

    def spread(self, spread: Spread) -> float:
        """A number from a triangle over lowest, most likely and highest."""
        low, mode, high = spread
        return self._random.triangular(low, high, mode) if high > low else low

    def normal(self, sigma: float) -> float:
        """A number around zero, cut at three sigma."""
        return max(-3 * sigma, min(3 * sigma, self._random.gauss(0.0, sigma)))

    def chance(self, share: float) -> bool:
        """True in this share of the cases; never at 0, always at 1."""
        return self._random.random() < share

    def sign(self) -> float:
        """Minus one or one."""
        return 1.0 if self._random.random() < 0.5 else -1.0

    def integer(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return self._random.randint(low, high)

    def pick(self, choices: Sequence[T]) -> T:
        """One of the choices, all alike."""
        return choices[self._random.randrange(len(choices))]

    def weighted(self, weights: Mapping[T, float]) -> T:
        """One of the keys, as often as its weight (>= 0, one at least > 0) says."""
        mark = self._random.random() * sum(weights.values())
        for choice, weight in weights.items():
            mark -= weight
            if mark < 0:
                return choice
        return max(weights, key=lambda choice: weights[choice])
