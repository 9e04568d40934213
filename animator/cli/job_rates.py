"""How many drawings a minute may come: rising rates, then halves of the gap that is left."""

from collections.abc import Callable, Sequence

__all__ = ("find_greatest",)

_CLOSE = 1.15
"""Rates that differ by less are told apart by chance alone."""

_HALVINGS = 3


def find_greatest(rates: Sequence[float], keeps: Callable[[float], bool]) -> float | None:
    """Find the greatest rate that keeps the limits; None: none does.

    Args:
        rates: a minute, > 0; tried from the least until one breaks the limits, then between that
            and the one before.
        keeps: tries one.
    """
    good, bad = 0.0, 0.0
    for rate in sorted(rates):
        if not keeps(rate):
            bad = rate
            break
        good = rate
    for _ in range(_HALVINGS if bad else 0):
        if good and bad / good < _CLOSE:
            break
        # Rates are told apart by their ratio.
        middle = _round((good * bad) ** 0.5 if good else bad / 2)
        if keeps(middle):
            good = middle
        else:
            bad = middle
    return good or None


def _round(rate: float) -> float:
    """Two digits are as many as a trial tells apart."""
    return float(f"{rate:.2g}")
