"""Allowance: how many attempts that changed nothing are written down, one by one."""

from collections import Counter
from dataclasses import dataclass, field

__all__ = ("Allowance", "Suppressed")

_HOUR_S = 3600.0
_MOST_HOSTS = 1000
"""Which are counted apart."""


@dataclass(frozen=True, slots=True)
class Suppressed:
    """Attempts of an hour that were not written down one by one.

    Attributes:
        count: of them, > 0.
        hosts: how many they came from, at least.
        busiest: the one that most of them came from.
    """

    count: int
    hosts: int
    busiest: str


@dataclass(slots=True)
class Allowance:
    """So many an hour, counted from the first; the others are counted.

    Attributes:
        most: > 0.
    """

    most: int
    _until: float = 0.0
    _used: int = 0
    _others: Counter[str] = field(default_factory=Counter)
    _count: int = 0

    def take(self, now_s: float, host: str) -> bool:
        """Whether one more may be written down; ask `close` before.

        Args:
            now_s: of a clock that only goes forward, seconds.
            host: who attempted it.
        """
        if now_s >= self._until:
            self._until, self._used = now_s + _HOUR_S, 0
        if self._used < self.most:
            self._used += 1
            return True
        self._count += 1
        if host in self._others or len(self._others) < _MOST_HOSTS:
            self._others[host] += 1
        return False

    def close(self, now_s: float, *, is_end: bool = False) -> Suppressed | None:
        """What was only counted in an hour that is over, or in one that ends now; told once."""
        if not self._count or not (is_end or now_s >= self._until):
            return None
        ((busiest, _),) = self._others.most_common(1)
        told = Suppressed(self._count, len(self._others), busiest)
        self._count = 0
        self._others.clear()
        return told
