"""Families: metrics whose names and labels are only known when the server runs, as Prometheus text.

The library that the server's own metrics use adds "_total" to counters' names and needs every label
before the first value; TorchServe's dashboards know other names, and handlers bring their own.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

__all__ = ("Families", "Family", "FamilyKind", "FamilySpec")

FamilyKind = Literal["counter", "gauge", "histogram"]

_MOST_FAMILIES = 1000
_MOST_SERIES = 1000
"""Of one family: labels come from handlers, and memory is not theirs to fill."""

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10)
_SCALES = {"milliseconds": 1e3, "ms": 1e3, "microseconds": 1e6, "percent": 10}
"""What makes buckets for seconds fit another unit; TorchServe uses them for any."""


@dataclass(frozen=True, slots=True)
class FamilySpec:
    """What a family is.

    Attributes:
        name: letters, digits, `_` and `:`.
        kind: what its values do.
        unit: as TorchServe names it.
        labels: their names, in the order in which they are written.
    """

    name: str
    kind: FamilyKind
    unit: str
    labels: tuple[str, ...]


@dataclass(slots=True)
class _Histogram:
    counts: list[int]
    total: float = 0.0


@dataclass(slots=True)
class Family:
    """One family and its series, by the values of its labels."""

    spec: FamilySpec
    buckets: tuple[float, ...] = ()
    numbers: dict[tuple[str, ...], float] = field(default_factory=dict)
    histograms: dict[tuple[str, ...], _Histogram] = field(default_factory=dict)

    def take(self, values: tuple[str, ...], number: float) -> None:
        """Add to a counter, set a gauge, or observe; a series too many is dropped."""
        series = self.histograms if self.spec.kind == "histogram" else self.numbers
        if values not in series and len(series) >= _MOST_SERIES:
            return
        if self.spec.kind == "counter":
            self.numbers[values] = self.numbers.get(values, 0.0) + max(number, 0.0)
        elif self.spec.kind == "gauge":
            self.numbers[values] = number
        else:
            self._observe(values, number)

    def taker(self, values: tuple[str, ...]) -> Callable[[float], None]:
        """What takes numbers (not NaN) for one series; kept by who has many of them."""
        numbers = self.numbers
        if self.spec.kind != "counter":
            return lambda number: self.take(values, number)

        def add(number: float) -> None:
            numbers[values] = numbers.get(values, 0.0) + number

        self.take(values, 0.0)
        return add if values in numbers else lambda _: None

    def _observe(self, values: tuple[str, ...], number: float) -> None:
        found = self.histograms.get(values)
        if found is None:
            found = self.histograms[values] = _Histogram([0] * (len(self.buckets) + 1))
        found.counts[bisect_left(self.buckets, number)] += 1
        found.total += number


class Families:
    """All families of one server.

    Args:
        specs: those that are known from the beginning; they are named even without values.
        is_reference: whether to write and count exactly as TorchServe: a comma after the last
            label, and one set of buckets whatever the unit.
    """

    def __init__(self, specs: Iterable[FamilySpec], *, is_reference: bool = False) -> None:
        self._is_reference = is_reference
        self._families: dict[str, Family] = {}
        for spec in specs:
            self._add(spec)

    def find(self, name: str) -> FamilySpec | None:
        """What the family of that name is; None: there is none."""
        family = self._families.get(name)
        return family.spec if family else None

    def take(self, spec: FamilySpec, labels: Mapping[str, str], number: float) -> None:
        """Take a value for one series of a family, which is made if it is new.

        Labels that the family has not are dropped, missing ones are empty.
        """
        family = self._families.get(spec.name) or self._add(spec)
        if family is not None and not math.isnan(number):
            family.take(_values(family, labels), number)

    def taker(self, spec: FamilySpec, labels: Mapping[str, str]) -> Callable[[float], None]:
        """What takes numbers (not NaN) for one series of a family, which is made if it is new."""
        family = self._families.get(spec.name) or self._add(spec)
        return family.taker(_values(family, labels)) if family is not None else lambda _: None

    def forget(self, is_gone: Callable[[Mapping[str, str]], bool]) -> None:
        """Drop the series of whose labels this is so."""
        for family in self._families.values():
            labels = family.spec.labels
            for series in (family.numbers, family.histograms):
                for values in [v for v in series if is_gone(dict(zip(labels, v, strict=True)))]:
                    del series[values]

    def as_text(self, names: Collection[str] = ()) -> str:
        """Write the families of these names, or all, in Prometheus' text format 0.0.4."""
        wanted = [f for f in self._families.values() if not names or f.spec.name in names]
        return "".join(line for family in wanted for line in self._lines(family))

    def _add(self, spec: FamilySpec) -> Family | None:
        if len(self._families) >= _MOST_FAMILIES:
            return None
        scale = 1.0 if self._is_reference else _SCALES.get(spec.unit.lower(), 1.0)
        buckets = tuple(bound * scale for bound in _BUCKETS)
        family = self._families[spec.name] = Family(spec, buckets)
        return family

    def _lines(self, family: Family) -> Iterable[str]:
        spec = family.spec
        text = f"Torchserve prometheus {spec.kind} metric with unit: {spec.unit}"
        yield f"# HELP {spec.name} {text}\n# TYPE {spec.name} {spec.kind}\n"
        for values, number in family.numbers.items():
            yield f"{spec.name}{self._labels(spec.labels, values)} {float(number)!r}\n"
        for values, histogram in family.histograms.items():
            yield from self._histogram_lines(family, values, histogram)

    def _histogram_lines(
        self, family: Family, values: tuple[str, ...], histogram: _Histogram
    ) -> Iterable[str]:
        name, labels = family.spec.name, family.spec.labels
        count = 0
        bounds = [*(f"{bound:g}" for bound in family.buckets), "+Inf"]
        for bound, found in zip(bounds, histogram.counts, strict=True):
            count += found
            line = self._labels((*labels, "le"), (*values, bound))
            yield f"{name}_bucket{line} {float(count)!r}\n"
        yield f"{name}_count{self._labels(labels, values)} {float(count)!r}\n"
        yield f"{name}_sum{self._labels(labels, values)} {histogram.total!r}\n"

    def _labels(self, names: Sequence[str], values: Sequence[str]) -> str:
        if not names:
            return ""
        pairs = [f'{name}="{_escape(value)}"' for name, value in zip(names, values, strict=True)]
        end = "," if self._is_reference else ""
        return f"{{{','.join(pairs)}{end}}}"


def _values(family: Family, labels: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(labels.get(name, "") for name in family.spec.labels)


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
