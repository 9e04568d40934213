"""The pictures of self-tuning, as SVG."""

import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from benchmarks.self_tuning_simulation import Outcome

__all__ = ("Row", "plot_burst", "plot_rows")

_COLOURS = {
    "self-tuned": "#c2410c",
    "best fixed": "#1c2430",
    "AIMD": "#1769aa",
    "worst fixed": "#98a2b3",
}
_SOFT, _LINE = "#667085", "#d9dee6"
_WIDTH, _NAME_W, _ROW_H, _TOP = 840, 180, 34, 64
_SLICE_S = 0.25


@dataclass(frozen=True)
class Row:
    """One traffic, in two panels.

    Attributes:
        name: of it.
        shares: goodput by that of the best fixed setting, by kind, of each seed.
        p99s: in units of the SLO, by kind, of each seed.
    """

    name: str
    shares: Mapping[str, Sequence[float]]
    p99s: Mapping[str, Sequence[float]]


def plot_rows(rows: Sequence[Row]) -> str:
    """Goodput and p99 of each traffic: means as points, lines from the least to the most."""
    middle = _NAME_W + (_WIDTH - _NAME_W) // 2
    height = _TOP + len(rows) * _ROW_H + 40
    bottom = height - 34
    share = _scale((0.0, 1.35), (_NAME_W, middle - 16))
    slow = _scale((-1.0, 2.0), (middle + 10, _WIDTH - 24))
    late = _in_decades(slow)
    parts = [*_legend(list(_COLOURS), _NAME_W)]
    parts.append(_text(_NAME_W, _TOP - 14, "goodput / best fixed setting", _SOFT))
    parts.append(_text(middle + 10, _TOP - 14, "p99 / SLO", _SOFT))
    for value in (0.0, 0.25, 0.5, 0.75, 1.0, 1.25):
        parts += _mark_at(share(value), (_TOP - 4, bottom), f"{value:g}", value == 1.0)
    for value in (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0):
        parts += _mark_at(late(value), (_TOP - 4, bottom), f"{value:g}", value == 1.0)
    for number, row in enumerate(rows):
        y = _TOP + number * _ROW_H + _ROW_H / 2
        parts.append(_text(8, y + 4, row.name))
        for kind in ("worst fixed", "AIMD", "best fixed", "self-tuned"):
            parts += _dot(share, row.shares[kind], y, kind)
            parts += _dot(late, row.p99s[kind], y, kind)
    return _svg(height, parts)


def plot_burst(moments: Sequence[float], runs: Mapping[str, Outcome], slo_s: float) -> str:
    """What came in one run, what was answered in time, and how long answers took, over time."""
    seconds = moments[-1]
    x = _scale((0.0, seconds), (52, _WIDTH - 16))
    came = _rates(list(moments[:-1]), seconds)
    good = {
        kind: _rates(
            [f.at_s for f in run.fates if f.latency_s is not None and f.latency_s <= slo_s], seconds
        )
        for kind, run in runs.items()
    }
    rate = _scale((0.0, max(came) * 1.05), (230, 56))
    parts = list(_legend(list(runs), 52))
    parts.append(_text(52, 46, "asked (grey) and answered inside the SLO, a second", _SOFT))
    area = " ".join(f"{x((n + 0.5) * _SLICE_S):.1f},{rate(v):.1f}" for n, v in enumerate(came))
    parts.append(f'<polygon points="{x(0)},230 {area} {x(seconds):.1f},230" fill="#eceff3"/>')
    for value in _ticks(max(came)):
        parts += _level(rate(value), f"{value:g}")
    for kind, values in good.items():
        parts.append(
            _path(((x((n + 0.5) * _SLICE_S), rate(v)) for n, v in enumerate(values)), kind)
        )
    late = _in_decades(_scale((math.log10(slo_s * 100), math.log10(slo_s * 20_000)), (440, 276)))
    parts.append(_text(52, 266, "longest answer of each quarter of a second, ms", _SOFT))
    for times in (0.1, 1.0, 10.0):
        value = slo_s * 1000 * times
        parts += _level(late(value), f"{value:g}", times == 1.0)
    for kind, run in runs.items():
        longest = _longest(run, seconds)
        points = ((x((n + 0.5) * _SLICE_S), late(v)) for n, v in enumerate(longest) if v)
        parts.append(_path(points, kind))
    for second in range(0, round(seconds) + 1, 2):
        parts.append(_text(x(second), 460, f"{second} s", _SOFT, "middle"))
    return _svg(470, parts)


def _rates(moments: Sequence[float], seconds: float) -> list[float]:
    counts = [0] * math.ceil(seconds / _SLICE_S)
    for at in moments:
        counts[min(int(at / _SLICE_S), len(counts) - 1)] += 1
    return [count / _SLICE_S for count in counts]


def _longest(run: Outcome, seconds: float) -> list[float]:
    """Of what came in each slice, milliseconds; 0: nothing was answered."""
    longest = [0.0] * math.ceil(seconds / _SLICE_S)
    for fate in run.fates:
        slot = min(int(fate.at_s / _SLICE_S), len(longest) - 1)
        longest[slot] = max(longest[slot], (fate.latency_s or 0.0) * 1000)
    return longest


def _ticks(most: float) -> list[float]:
    step = 10.0 ** math.floor(math.log10(most))
    step = step if most / step > 3 else step / 2
    return [step * n for n in range(1, int(most / step) + 1)]


def _scale(values: tuple[float, float], ends: tuple[float, float]) -> Callable[[float], float]:
    slope = (ends[1] - ends[0]) / (values[1] - values[0])
    least, most = values
    return lambda value: ends[0] + slope * (min(max(value, least), most) - least)


def _in_decades(scale: Callable[[float], float]) -> Callable[[float], float]:
    return lambda value: scale(math.log10(max(value, 1e-9)))


def _dot(
    scale: Callable[[float], float], values: Sequence[float], y: float, kind: str
) -> Iterator[str]:
    known = [value for value in values if not math.isnan(value)]
    if not known:
        return
    colour, shift = _COLOURS[kind], -3 if kind == "self-tuned" else 3 if kind == "best fixed" else 0
    low, high, at = scale(min(known)), scale(max(known)), scale(statistics.fmean(known))
    yield (
        f'<path d="M{low:.1f} {y + shift} H{high:.1f}" stroke="{colour}" stroke-width="2" '
        'opacity=".5"/>'
    )
    size = 5.5 if kind == "self-tuned" else 4
    yield f'<circle cx="{at:.1f}" cy="{y + shift}" r="{size}" fill="{colour}"/>'


def _mark_at(x: float, ys: tuple[float, float], text: str, is_limit: bool) -> Iterator[str]:
    colour = "#c2410c" if is_limit else _LINE
    yield f'<path d="M{x:.1f} {ys[0]} V{ys[1]}" stroke="{colour}"/>'
    yield _text(x, ys[1] + 18, text, _SOFT, "middle")


def _level(y: float, text: str, is_limit: bool = False) -> Iterator[str]:
    colour = "#c2410c" if is_limit else _LINE
    yield f'<path d="M52 {y:.1f} H{_WIDTH - 16}" stroke="{colour}"/>'
    yield _text(46, y + 4, text, _SOFT, "end")


def _path(points: Iterator[tuple[float, float]], kind: str) -> str:
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    width = 2.5 if kind == "self-tuned" else 1.5
    return (
        f'<polyline points="{line}" fill="none" stroke="{_COLOURS[kind]}" stroke-width="{width}"/>'
    )


def _legend(kinds: Sequence[str], left: float) -> Iterator[str]:
    for number, kind in enumerate(kinds):
        x = left + number * 130
        yield f'<circle cx="{x + 5}" cy="16" r="5" fill="{_COLOURS[kind]}"/>'
        yield _text(x + 16, 20, kind)


def _text(x: float, y: float, text: str, colour: str = "#1c2430", anchor: str = "start") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}">'
        f"{escape(text)}</text>"
    )


def _svg(height: int, parts: Sequence[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}"'
    style = 'font-family="sans-serif" font-size="13"'
    paper = '<rect width="100%" height="100%" fill="white"/>'
    return "\n".join([f"{head} {style}>", paper, *parts, "</svg>\n"])
