"""Company: who may still join a batch, and whether it is worth waiting for them."""

import math
from collections import deque

__all__ = ("SAVED", "Company")

_NEWEST = 0.1
"""How much the newest value counts in a mean that follows the present, of 1."""

SAVED = 0.5
"""How much of a batch's time is saved by who joins the one before, of 1, where nobody knows:
a guess that only decides close cases."""


class Company:
    """Clients who were answered lately, and what became of others like them.

    A closed loop of clients comes back within a moment, and who waits for them saves the fixed
    costs of a batch. That is not worth while where most came by chance and do not come back, nor
    where the model takes less time for a batch than clients take to come back.
    """

    def __init__(self) -> None:
        # When clients were answered of whom nothing has been heard since, oldest first.
        self._answered: deque[float] = deque()
        self._returns = 1.0  # share of those who came back in time
        self._return_s = 0.0  # how long they took
        self._batch_s = math.inf  # how long the model took for a batch

    @property
    def batch_s(self) -> float:
        """How long the model takes for a batch, seconds; 0 before the first."""
        return self._batch_s if self._batch_s < math.inf else 0.0

    def note_answer(self, now: float) -> None:
        """Learn that a client was answered (monotonic seconds, as all times here)."""
        self._answered.append(now)

    def note_arrival(self, now: float, patience_s: float) -> None:
        """Learn that somebody has come: whoever was answered first, for all that is known.

        Args:
            now: when that was.
            patience_s: how long after its answer a client counts as coming back, seconds.
        """
        self._forget_lost(now, patience_s)
        if self._answered:
            returned_s = now - self._answered.popleft()
            self._return_s += _NEWEST * (returned_s - self._return_s)
            self._returns += _NEWEST * (1 - self._returns)

    def note_batch(self, seconds: float) -> None:
        """Learn how long the model took for a batch."""
        known = self._batch_s < math.inf
        self._batch_s = self._batch_s + _NEWEST * (seconds - self._batch_s) if known else seconds

    def expected_until(self, now: float, patience_s: float, saved: float = SAVED) -> float:
        """Until when a batch may wait for more; -inf when nobody is worth it.

        Args:
            now: when that is asked.
            patience_s: how long after its answer a client counts as coming back, seconds.
            saved: share of a batch's time that one saves who joins the one before, in [0, 1].
        """
        self._forget_lost(now, patience_s)
        if not self._answered:
            return -math.inf
        returns = self._returns
        cost_s = returns * self._return_s + (1 - returns) * patience_s
        if returns * saved * self._batch_s < cost_s:
            return -math.inf
        return self._answered[-1] + patience_s

    def _forget_lost(self, now: float, patience_s: float) -> None:
        while self._answered and self._answered[0] + patience_s <= now:
            self._answered.popleft()
            self._returns -= _NEWEST * self._returns
