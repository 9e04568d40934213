"""A plot of how long one waits for one of several job workers, by how busy they are."""

import random
from collections.abc import Sequence
from statistics import fmean, pvariance

from benchmarks.planning.pool import simulate_pool
from benchmarks.planning.queueing import wait_percentile
from serving.bench.records import percentile

__all__ = ("plot_waits",)

_WIDTH, _HEIGHT, _LEFT, _RIM = 640, 360, 56, 40
_SIZES = ((1, "#c60"), (4, "#a27"), (16, "#246"), (64, "#284"))
_BUSY = (0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.94, 0.97)
_LOW, _HIGH, _MOST_S = 0.3, 1.0, 10.0
_JOBS = 30_000


def plot_waits(times: Sequence[float], limit: float) -> str:
    """Lines: theory (M/G/c); dots: simulated; of jobs that take so many seconds.

    Args:
        times: seconds of jobs, each as likely as the others.
        limit: seconds, drawn as a line.
    """
    parts = [*_axes(limit)]
    for number, (workers, colour) in enumerate(_SIZES):
        line = [(b / 100, _theory(b / 100, workers, times)) for b in range(30, 100)]
        path = " L".join(f"{x:.1f} {y:.1f}" for x, y in (_at(*p) for p in line if p[1] <= _MOST_S))
        parts.append(f'<path d="M{path}" stroke="{colour}" stroke-width="2" fill="none"/>')
        for busy in _BUSY:
            wait = _simulated(busy, workers, times)
            if wait <= _MOST_S:
                x, y = _at(busy, wait)
                parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>')
        top = _RIM + 18 * number
        parts.append(f'<rect x="{_LEFT + 14}" y="{top}" width="12" height="12" fill="{colour}"/>')
        name = f"{workers} workers" if workers > 1 else "1 worker"
        parts.append(f'<text x="{_LEFT + 32}" y="{top + 11}">{name}</text>')
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}"'
    style = 'font-family="sans-serif" font-size="12" fill="#333"'
    paper = '<rect width="100%" height="100%" fill="white"/>'
    return "\n".join((f"{head} {style}>", paper, *parts, "</svg>\n"))


def _axes(limit: float) -> list[str]:
    bottom = _at(_LOW, 0)[1]
    parts = [
        f'<path d="M{_LEFT} {_RIM - 12} V{bottom} H{_WIDTH - 20}" fill="none" stroke="#999"/>',
        f'<text x="{_LEFT}" y="20">wait for a worker, p95, s</text>',
        f'<text x="{_WIDTH / 2}" y="{_HEIGHT - 6}" text-anchor="middle">'
        "busy workers, share of all</text>",
    ]
    for tenth in range(3, 11):
        x, _ = _at(tenth / 10, 0)
        parts.append(f'<text x="{x}" y="{bottom + 16}" text-anchor="middle">{tenth * 10}%</text>')
    for seconds in range(0, int(_MOST_S) + 1, 2):
        _, y = _at(_LOW, seconds)
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4}" text-anchor="end">{seconds}</text>')
    (x1, y), (x2, _) = _at(_LOW, limit), _at(_HIGH, limit)
    dashes = 'stroke="#999" stroke-dasharray="4 4"'
    return [*parts, f'<path d="M{x1} {y} H{x2}" {dashes}/>']


def _at(busy: float, seconds: float) -> tuple[float, float]:
    wide, high = _WIDTH - _LEFT - 20, _HEIGHT - 2 * _RIM
    x = _LEFT + wide * (busy - _LOW) / (_HIGH - _LOW)
    return round(x, 1), round(_HEIGHT - _RIM - high * seconds / _MOST_S, 1)


def _theory(busy: float, workers: int, times: Sequence[float]) -> float:
    mean = fmean(times)
    variation = pvariance(times) / mean**2
    return wait_percentile(0.95, busy * workers / mean, mean, workers, variation)


def _simulated(busy: float, workers: int, times: Sequence[float]) -> float:
    rate = busy * workers / fmean(times)

    def draw(rng: random.Random) -> float:
        return rng.choice(times)

    return percentile(simulate_pool(workers, rate, draw, _JOBS / rate), 95)
