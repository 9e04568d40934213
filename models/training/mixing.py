"""Real drawings among the synthetic ones, by the same seeds."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from models.training.amateur import AmateurDrawings
from models.training.synthesis import Sample, synthesize

__all__ = ("Draw", "Mixture")

Draw = Callable[[int, int], Sample]
"""Seed, and longer side in pixels, to a picture; the same arguments give the same picture."""

_STREAM = 20  # keeps these dice apart from those of the generator, which has the seed alone


@dataclass(frozen=True, slots=True)
class Mixture:
    """Draws a real drawing with some probability, else makes one up; a `Draw`.

    Attributes:
        drawings: the real ones.
        share: the probability of a real one, [0, 1].
    """

    drawings: AmateurDrawings
    share: float

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            msg = f"the share of real drawings must lie in [0, 1], got {self.share}"
            raise ValueError(msg)

    def __call__(self, seed: int, side: int) -> Sample:
        """One picture; where a real one is of no use, a synthetic one."""
        dice = np.random.default_rng((seed, _STREAM))
        if dice.random() < self.share:
            sample = self.drawings.sample(int(dice.integers(len(self.drawings))), side)
            if sample is not None:
                return sample
        return synthesize(seed, side)
