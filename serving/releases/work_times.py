"""WorkTimes: how long workers of two versions take for batches of one size.

What a client waits for is the queue as much as the model, and a canary with few requests has no
queue: at a busy hour a version that takes twice as long may answer sooner than the one before. So
the time at work is compared as well; and batches of a size with batches of that size, for large
ones take longer.
"""

from collections import deque
from collections.abc import Sequence

import numpy as np

from serving.releases.intervals import Moments

__all__ = ("FEWEST_TIMES", "QUANTILES", "WorkTimes")

QUANTILES = (0.5, 0.9, 0.99)
"""Of the stable version's times: bounds above which one is slow."""

FEWEST_TIMES = 50
"""Of the stable version, before there are bounds."""

_KEPT = 500


class WorkTimes:
    """Times of batches of one size.

    Args:
        ratio: how many times as long the candidate may take.

    Attributes:
        candidate: moments of its times, seconds.
        stable: of those of the other.
    """

    def __init__(self, ratio: float) -> None:
        self._ratio = ratio
        self._times: deque[float] = deque(maxlen=_KEPT)
        self._bounds: Sequence[float] = ()
        self.candidate = Moments()
        self.stable = Moments()

    @property
    def candidate_share(self) -> float:
        """Share of the batches that were the candidate's until now, in (0, 1)."""
        return (self.candidate.count + 0.5) / (self.candidate.count + self.stable.count + 1)

    def note(self, seconds: float, *, is_candidate: bool) -> int:
        """Take a time; how many of the bounds it passes."""
        (self.candidate if is_candidate else self.stable).add(seconds)
        if not is_candidate:
            self._times.append(seconds)
        ratio = self._ratio if is_candidate else 1.0
        return sum(seconds > bound * ratio for bound in self._bounds)

    def set_bounds(self) -> None:
        """Learn from the stable version's last times what is slow."""
        if len(self._times) >= FEWEST_TIMES:
            self._bounds = np.quantile(np.array(self._times), QUANTILES).tolist()
