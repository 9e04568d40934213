"""Reference: how what a model sees and says was spread when it was measured, in `reference.json`.

A reference holds, for each statistic that the handler measures, bounds that part the values into
bins of about equal counts. Counting live values into the same bins tells whether they are spread
otherwise now, without keeping any picture.
"""

import logging
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np

__all__ = ("REFERENCE_FILE", "Reference", "Spread", "read_reference", "spread_of")

REFERENCE_FILE = "reference.json"
_MOST_BYTES = 1_000_000
_BINS = 8
"""Enough to see a shape; of a window of a thousand values some 125 fall in each."""

_log = logging.getLogger(__name__)


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """How one statistic was spread.

    Attributes:
        bounds: upper ends of all bins but the last, inclusive, ascending.
        counts: values in each bin; one more than bounds.
        mean: of the values.
    """

    bounds: tuple[float, ...]
    counts: tuple[Annotated[int, msgspec.Meta(ge=0)], ...]
    mean: float

    def __post_init__(self) -> None:
        if len(self.counts) != len(self.bounds) + 1 or not sum(self.counts):
            msg = "counts must be one more than bounds, and not all zero"
            raise ValueError(msg)
        if list(self.bounds) != sorted(set(self.bounds)):
            msg = "bounds must ascend"
            raise ValueError(msg)

    def bin_of(self, value: float) -> int:
        """The index of the bin that a value falls in."""
        return bisect_left(self.bounds, value)


class Reference(msgspec.Struct, frozen=True, kw_only=True):
    """How all statistics of one model were spread.

    Attributes:
        source: what it was measured on.
        statistics: by name.
    """

    source: str = ""
    statistics: Mapping[str, Spread] = {}


def read_reference(folder: Path) -> Reference | None:
    """The reference in a model's folder; None where there is none, or, with a word of it, a broken.

    A model must not stay away because nobody can tell whether it drifts.
    """
    file = folder / REFERENCE_FILE
    try:
        if not file.is_file() or file.stat().st_size > _MOST_BYTES:
            return None
        return msgspec.json.decode(file.read_bytes(), type=Reference)
    except (OSError, msgspec.DecodeError) as error:
        _log.warning("%s is no reference, drift is not told: %s", file, error)
        return None


def spread_of(values: Sequence[float]) -> Spread:
    """Part values into bins of about equal counts; values that are alike share a bin.

    Args:
        values: finite, at least one.
    """
    numbers = np.sort(np.asarray(values, np.float64))
    shares = np.arange(1, _BINS) / _BINS
    cuts = np.unique(np.quantile(numbers, shares, method="lower"))
    bounds = tuple(float(f"{cut:.6g}") for cut in cuts if cut < numbers[-1])
    bounds = tuple(sorted(set(bounds)))
    places = np.searchsorted(bounds, numbers, side="left")
    counts = np.bincount(places, minlength=len(bounds) + 1)
    return Spread(bounds=bounds, counts=tuple(map(int, counts)), mean=float(numbers.mean()))
