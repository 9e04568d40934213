"""Cost: what a batch takes, learned while batches end.

A line, as Nexus (SOSP 2019) found for networks on GPUs and as holds where items run one by one (the
line goes through zero then): seconds = fixed + each * size. It is fitted to means by sizes of about
the same magnitude, each of which forgets only when others of its own size come: a quiet hour of
lone items does not forget what a large batch takes. What all share, a machine that has become
slower, is a factor of its own, and is followed within some ten batches.
"""

import math
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, replace

__all__ = ("BatchCost", "Costs")

_GAIN = 0.15
"""How much the newest batch counts in what all batches share, of 1."""

_MEMORY = 40.0
"""How many batches of a magnitude its mean is of, at most."""

_FEW = 4.0
"""How many batches of a magnitude make its first mean. Later ones move it slowly: what they all
share shall move the common factor."""

_SURPRISE = 3.0
"""A batch counts as no more than so many times what was expected of it, nor less than one of so
many: one that was held up says little of the next, and several in a row are believed soon."""

_DOUBT = 0.3
"""How many batches speak against a fixed cost before the first is seen: while all were of one size,
large ones are expected to cost in proportion, which errs on the safe side."""

_LEAST_S = 1e-6
"""No batch takes less, whatever the clock says."""

_SAVES = 0.05
"""Once no more than this share of an item's own time can be saved, a larger batch is of no use: it
only lets the first of its items wait for the last."""

_KNOWN, _LOOK = 2, 64
"""Magnitudes that must have been seen to say so, and every how many batches it is looked again."""

_MOST_KINDS = 64
"""Kinds of items (shapes) whose costs are told apart."""


@dataclass(slots=True)
class _Magnitude:
    """Batches of sizes from a power of two to the next: their means."""

    size: float = 0.0
    seconds: float = 0.0
    weight: float = 0.0

    def add(self, size: int, seconds: float) -> None:
        self.weight = min(self.weight + 1, _MEMORY)
        gain = 1 / self.weight if self.weight <= _FEW else 1 / _MEMORY
        self.size += gain * (size - self.size)
        self.seconds += gain * (seconds - self.seconds)


class BatchCost:
    """What batches of one kind of items take.

    Attributes:
        fixed_s: of a batch whatever its size, seconds, >= 0.
        each_s: of each of its items, seconds, >= 0.
        count: batches that were seen.
    """

    def __init__(self) -> None:
        self.fixed_s = 0.0
        self.each_s = 0.0
        self.count = 0
        self._scale = 1.0
        self._magnitudes: dict[int, _Magnitude] = {}

    def seconds(self, size: float) -> float:
        """What a batch of that size takes; 0 before the first was seen."""
        return self.fixed_s + self.each_s * size

    def fitting(self, seconds: float, most: int) -> int:
        """The largest size, of at most `most`, that takes no longer; 0: not even one does."""
        if self.seconds(most) <= seconds:
            return most
        left_s = seconds - self.fixed_s
        return max(min(int(left_s / self.each_s), most), 0) if self.each_s else 0

    def worthwhile(self, most: int) -> int:
        """The size from which on larger ones, up to `most`, save next to nothing.

        It is `most` as long as nobody knows, and now and then, so that somebody will.
        """
        if len(self._magnitudes) < _KNOWN or self.count % _LOOK == 0:
            return most
        if self.fixed_s >= most * _SAVES * self.each_s:
            return most
        return max(math.ceil(self.fixed_s / (_SAVES * self.each_s)), 1)

    def note(self, size: int, seconds: float) -> None:
        """Learn what a batch of that size (>= 1) took, seconds."""
        magnitude = self._magnitudes.setdefault(size.bit_length(), _Magnitude())
        seconds = max(seconds, _LEAST_S)
        if magnitude.weight:
            # By what the like of it took: were it by the line, what that is off by would add up.
            other = self.seconds(size) / self.seconds(magnitude.size)
            expected_s = self._scale * magnitude.seconds * other
            if self.count > 1:
                seconds = min(max(seconds, expected_s / _SURPRISE), expected_s * _SURPRISE)
            self._scale *= 1 + max(_GAIN, 1 / (self.count + 1)) * (seconds / expected_s - 1)
        self.count += 1
        magnitude.add(size, seconds / self._scale)
        self._fit()

    def like(self) -> "BatchCost":
        """What is expected of another kind: the same line, steeper or flatter as will be seen."""
        other = BatchCost()
        other.fixed_s, other.each_s, other._scale = self.fixed_s, self.each_s, self._scale
        other._magnitudes = {
            number: replace(each, weight=min(each.weight, _FEW))
            for number, each in self._magnitudes.items()
        }
        return other

    def _fit(self) -> None:
        """Lay the line through the means, least squares of what it is off by in proportion."""
        one = size = square = time = product = 0.0
        for each in self._magnitudes.values():
            weight = each.weight / each.seconds**2
            one += weight
            size += weight * each.size
            square += weight * each.size**2
            time += weight * each.seconds
            product += weight * each.size * each.seconds
        doubt = _DOUBT * one / sum(each.weight for each in self._magnitudes.values())
        fixed = (time * square - size * product) / ((one + doubt) * square - size * size)
        fixed = min(max(fixed, 0.0), time / one)
        self.fixed_s = self._scale * fixed
        self.each_s = self._scale * max((product - fixed * size) / square, 0.0)


class Costs:
    """What batches take, for each kind of items; of a kind not yet seen, what all do."""

    def __init__(self) -> None:
        self.overall = BatchCost()
        self._kinds: OrderedDict[Hashable, BatchCost] = OrderedDict()

    def of(self, kind: Hashable) -> BatchCost:
        """What batches of a kind take."""
        return self._kinds.get(kind, self.overall)

    def note(self, kind: Hashable, size: int, seconds: float) -> None:
        """Learn what a batch took, seconds."""
        cost = self._kinds.get(kind)
        if cost is None:
            cost = self._kinds[kind] = self.overall.like()
            if len(self._kinds) > _MOST_KINDS:
                self._kinds.popitem(last=False)
        self._kinds.move_to_end(kind)
        cost.note(size, seconds)
        self.overall.note(size, seconds)
