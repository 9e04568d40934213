"""Plots as SVG, written by hand: points with what they mean, and bars; readable on a phone."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

__all__ = ("Axis", "Bar", "Point", "bars", "scatter", "ticks")

_W, _H = 720, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 96, 16, 16, 62
_HEAD, _ROW = 34, 64


@dataclass(frozen=True)
class Axis:
    """One direction of a plot.

    Attributes:
        name: with its unit.
        is_log: whether decades are equally long; all values are then > 0.
    """

    name: str
    is_log: bool = False


@dataclass(frozen=True)
class Point:
    """One trial in a plot.

    Attributes:
        x: along the first axis.
        y: along the second.
        text: what it is, shown when it is pointed at.
        kind: a class of the style: "good", "bad" or "best".
        width: from the least to the most of x.
        height: likewise of y.
        is_hollow: whether it is drawn as a ring.
    """

    x: float
    y: float
    text: str
    kind: str
    width: tuple[float, float] | None = None
    height: tuple[float, float] | None = None
    is_hollow: bool = False


@dataclass(frozen=True)
class Bar:
    """One trial with two numbers.

    Attributes:
        name: of the trial.
        values: each with its own scale.
        texts: of the values.
        kind: a class of the style.
    """

    name: str
    values: tuple[float, float]
    texts: tuple[str, str]
    kind: str


class _Scale:
    """From values to pixels.

    Args:
        axis: which.
        values: that must fit in.
        ends: pixels of the least and the most.
    """

    def __init__(self, axis: Axis, values: Sequence[float], ends: tuple[float, float]) -> None:
        self._is_log = axis.is_log
        self._ends = ends
        if axis.is_log:
            self.least, self.most = min(values) / 1.25, max(values) * 1.25
        else:
            self.least, self.most = 0.0, max(values) * 1.06 or 1.0

    def __call__(self, value: float) -> float:
        low, high, at = self.least, self.most, max(value, self.least)
        if self._is_log:
            low, high, at = math.log(low), math.log(high), math.log(at)
        return self._ends[0] + (at - low) / (high - low) * (self._ends[1] - self._ends[0])


def ticks(least: float, most: float, is_log: bool = False) -> list[float]:
    """Round numbers between two: 1, 2 and 5 times powers of ten; some four to nine of them."""
    if is_log:
        decades = range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)
        found = [step * 10.0**decade for decade in decades for step in (1, 2, 5)]
        return [value for value in found if least <= value <= most]
    rough = (most - least) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * n for n in (1, 2, 5, 10) if power * n >= rough)
    first = math.ceil(least / step)
    return [n * step for n in range(first, math.floor(most / step) + 1)]


def scatter(
    points: Sequence[Point],
    axes: tuple[Axis, Axis],
    front: Sequence[Point] = (),
    limit: tuple[float, str] | None = None,
) -> str:
    """Draw points.

    Args:
        points: at least one.
        axes: first and second.
        front: points that a line joins.
        limit: a value of the second axis that is not to be passed, and its name.
    """
    xs = [value for p in points for value in (p.x, *(p.width or ()))]
    ys = [value for p in points for value in (p.y, *(p.height or ()))]
    ys += [limit[0]] if limit else []
    x = _Scale(axes[0], xs, (_LEFT, _W - _RIGHT))
    y = _Scale(axes[1], ys, (_H - _BOTTOM, _TOP))
    parts = [*_grid(axes, x, y)]
    if limit:
        at = y(limit[0])
        parts.append(_line((_LEFT, at), (_W - _RIGHT, at), "limit"))
        parts.append(_text((_LEFT + 6, at - 6), limit[1], "limit"))
    if front:
        path = " ".join(f"{x(p.x):.1f},{y(p.y):.1f}" for p in front)
        parts.append(f'<polyline class="front" points="{path}"/>')
    order = {"bad": 0, "good": 1, "best": 2}
    for point in sorted(points, key=lambda p: order.get(p.kind, 0)):
        parts += _mark(point, x, y)
    return _svg(_W, _H, parts, f"{axes[1].name} against {axes[0].name}")


def bars(rows: Sequence[Bar], names: tuple[str, str]) -> str:
    """Draw two bars for each trial, with the trial's name above them."""
    height = _HEAD + len(rows) * _ROW
    most = [max((row.values[side] for row in rows), default=0) or 1 for side in (0, 1)]
    half = _W / 2
    parts = [_text((0, 18), names[0], "name"), _text((half, 18), names[1], "name")]
    for number, row in enumerate(rows):
        top = _HEAD + number * _ROW
        parts.append(_text((0, top + 22), row.name, "row"))
        for side, value in enumerate(row.values):
            left, length = side * half, (half - 100) * value / most[side]
            box = f'x="{left:.1f}" y="{top + 32}" width="{max(length, 1):.1f}" height="14"'
            parts.append(f'<rect class="{row.kind}" {box} rx="2"/>')
            parts.append(_text((left + length + 6, top + 46), row.texts[side], "value"))
    return _svg(_W, height, parts, f"{names[0]} and {names[1]} of each trial")


def _grid(axes: tuple[Axis, Axis], x: _Scale, y: _Scale) -> Iterator[str]:
    for value in ticks(x.least, x.most, axes[0].is_log):
        yield _line((x(value), _TOP), (x(value), _H - _BOTTOM), "grid")
        yield _text((x(value), _H - _BOTTOM + 22), f"{value:g}", "tick middle")
    for value in ticks(y.least, y.most, axes[1].is_log):
        yield _line((_LEFT, y(value)), (_W - _RIGHT, y(value)), "grid")
        yield _text((_LEFT - 8, y(value) + 5), f"{value:g}", "tick end")
    yield _text(((_LEFT + _W - _RIGHT) / 2, _H - 8), axes[0].name, "name middle")
    middle = (_TOP + _H - _BOTTOM) / 2
    yield (
        f'<text class="name middle" transform="translate(15 {middle:.0f}) rotate(-90)">'
        f"{escape(axes[1].name)}</text>"
    )


def _mark(point: Point, x: _Scale, y: _Scale) -> Iterator[str]:
    at = x(point.x), y(point.y)
    if point.width:
        yield _line((x(point.width[0]), at[1]), (x(point.width[1]), at[1]), f"spread {point.kind}")
    if point.height:
        low, high = point.height
        yield _line((at[0], y(low)), (at[0], y(high)), f"spread {point.kind}")
    size = 8 if point.kind == "best" else 5
    kind = f"{point.kind} hollow" if point.is_hollow else point.kind
    yield (
        f'<circle class="{kind}" cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{size}">'
        f"<title>{escape(point.text)}</title></circle>"
    )


def _line(start: tuple[float, float], end: tuple[float, float], kind: str) -> str:
    ends = f'x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}"'
    return f'<line class="{kind}" {ends}/>'


def _text(at: tuple[float, float], text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{at[0]:.1f}" y="{at[1]:.1f}">{escape(text)}</text>'


def _svg(width: int, height: int, parts: Iterable[str], label: str) -> str:
    head = f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(label)}">'
    return "\n".join([head, *parts, "</svg>"])
