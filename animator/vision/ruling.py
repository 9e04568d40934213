"""Ruled lines, page edges and ground lines: straight ink that runs out of the picture."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from animator.vision.scaling import halve

__all__ = ("erase_ruling",)

Bits = NDArray[np.bool_]

_COVERED = 0.7
"""Share of a line that must be marked, from the border to the figure, for it to be a ruling."""

_FREE = 0.1
"""Least length of that stretch, and of the marks that lines are sought in, share of the side."""

_PARALLEL = 0.9976
"""Cosine of the largest angle, 4 degrees, between lines of one ruling."""

_BESIDE = 3.0
"""Pixels so near to a line are of the line."""

_SAMPLE = 4000
"""About as many of the marked pixels are enough to fit lines to."""

_MOST = 200
"""Lines that are looked at: squared paper has that many."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A straight line x cos + y sin = offset; angle in radians, pixels."""

    cosine: float
    sine: float
    offset: float


def erase_ruling(ink: Bits, marks: Bits, sure: Bits) -> Bits:
    """Take ruled lines out of the ink; strokes that cross them stay.

    ink: (h, w) bool.
    marks: (h, w) bool, also what is too faint to be ink; the lines are sought in it.
    sure: (h, w) bool, where the figure is believed to be; lines are sought outside it.
    """
    side = max(ink.shape)
    apron = _dilate(sure, 5)
    stray = _drop_short(marks & ~apron, round(_FREE * side))
    pieces = _find_pieces(stray)
    if not len(pieces):
        return ink
    ink = ink.copy()
    wide = _dilate(stray, 5)
    rows, columns = np.nonzero(stray)
    pixels = np.stack((columns, rows), axis=1)[:: max(len(rows) // _SAMPLE, 1)].astype(np.float32)
    lines = _fit_all(pieces, pixels)
    sides = [_sides(_points_along(line, ink.shape), wide, apron, _FREE * side) for line in lines]
    rulings = [line for line, count in zip(lines, sides, strict=True) if count]
    for line, count in zip(lines, sides, strict=True):
        if count == 2 or (count == 1 and _is_one_of_many(line, rulings, 0.02 * side)):
            _erase(line, ink, marks, apron)
    return ink


def _find_pieces(stray: Bits) -> NDArray[np.float32]:
    """Straight pieces (N, 4) as x1, y1, x2, y2, the longest first; sought on half the grid."""
    half = halve(stray)
    side = max(half.shape)
    found = cv2.HoughLinesP(
        half.astype(np.uint8),
        1.0,
        np.pi / 360,
        threshold=max(10, round(0.08 * side)),
        minLineLength=0.12 * side,
        maxLineGap=0.04 * side,
    )
    if found is None:
        return np.empty((0, 4), np.float32)
    return np.asarray(2.0 * found.reshape(-1, 4) + 0.5, np.float32)


def _dilate(bits: Bits, size: int) -> Bits:
    return np.asarray(cv2.dilate(bits.astype(np.uint8), np.ones((size, size), np.uint8)), bool)


def _drop_short(bits: Bits, length: int) -> Bits:
    """Only the parts that are at least so long, pixels."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(bits.astype(np.uint8), connectivity=8)
    kept = np.maximum(stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT]) >= length
    kept[0] = False
    return np.asarray(kept[labels], bool)


def _fit_all(pieces: NDArray[np.float32], pixels: NDArray[np.float32]) -> list[_Line]:
    """One line for all pieces (N, 4) that lie on it; at most `_MOST`."""
    lines: list[_Line] = []
    left = pieces
    while len(left) and len(lines) < _MOST:
        line = _fit(left[0], pixels)
        lines.append(line)
        normal = np.array([line.cosine, line.sine], np.float32)
        off = np.abs(left.reshape(-1, 2, 2) @ normal - line.offset)
        left = left[1:][off[1:].max(axis=1) > _BESIDE]
    return lines


def _fit(ends: NDArray[np.float32], pixels: NDArray[np.float32]) -> _Line:
    """The line through a piece's ends (x1, y1, x2, y2), drawn to all pixels (N, 2) beside it."""
    start, direction = ends[:2], (ends[2:] - ends[:2]) / np.hypot(*(ends[2:] - ends[:2]))
    for _ in range(2):
        off = (pixels - start) @ np.array([-direction[1], direction[0]])
        near = pixels[np.abs(off) <= _BESIDE]
        fitted = cv2.fitLine(near, cv2.DIST_L2, 0, 0.01, 0.01).ravel()
        direction, start = fitted[:2], fitted[2:]
    cosine, sine = -float(direction[1]), float(direction[0])
    return _Line(cosine=cosine, sine=sine, offset=float(start @ np.array([cosine, sine])))


def _points_along(line: _Line, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Pixels (x, y) of the line inside the picture, in order, a pixel apart."""
    reach = shape[0] + shape[1]
    along = np.arange(-reach, reach + 1)
    x = np.rint(line.offset * line.cosine - along * line.sine).astype(np.int64)
    y = np.rint(line.offset * line.sine + along * line.cosine).astype(np.int64)
    inside = (x >= 0) & (y >= 0) & (x < shape[1]) & (y < shape[0])
    return np.stack((x[inside], y[inside]), axis=1)


def _sides(points: NDArray[np.int64], wide: Bits, apron: Bits, least: float) -> int:
    """On how many sides of the figure the line is marked all the way to the picture's border."""
    marked = wide[points[:, 1], points[:, 0]]
    inside = np.flatnonzero(apron[points[:, 1], points[:, 0]])
    if not len(inside):
        return 2 * int(len(points) >= least and marked.mean() >= _COVERED and _meets(marked))
    first, last = inside[0], inside[-1] + 1
    return sum(
        len(stretch) >= least and bool(stretch.mean() >= _COVERED)
        for stretch in (marked[:first], marked[last:])
    )


def _meets(marked: Bits) -> bool:
    """Whether a line is marked where it meets both borders."""
    edge = max(len(marked) // 12, 1)
    return bool(marked[:edge].any() and marked[-edge:].any())


def _is_one_of_many(line: _Line, lines: list[_Line], apart: float) -> bool:
    """Whether at least two others run beside it, each at a distance, pixels."""
    beside = sorted(
        other.offset * np.sign(line.cosine * other.cosine + line.sine * other.sine)
        for other in lines
        if abs(line.cosine * other.cosine + line.sine * other.sine) > _PARALLEL
    )
    return bool((np.diff(beside) > apart).sum() >= 2)


def _erase(line: _Line, ink: Bits, marks: Bits, apron: Bits) -> None:
    """Clear the line in place, but for strokes much thicker across than the line is."""
    points = _points_along(line, ink.shape)
    across = np.arange(-12, 13)
    x = np.rint(points[:, :1] + across * line.cosine).astype(np.int64)
    y = np.rint(points[:, 1:] + across * line.sine).astype(np.int64)
    inside = (x >= 0) & (y >= 0) & (x < ink.shape[1]) & (y < ink.shape[0])
    x, y = np.clip(x, 0, ink.shape[1] - 1), np.clip(y, 0, ink.shape[0] - 1)
    first, last = _runs_at_middle(marks[y, x] & inside)
    width = last - first
    free = ~apron[points[:, 1], points[:, 0]] & (width > 0)
    typical = float(np.median(width[free])) if free.any() else 3.0
    thin = (width > 0) & (width <= 1.6 * typical + 1)
    columns = np.arange(len(across))[None, :]
    cleared = thin[:, None] & (columns >= first[:, None] - 1) & (columns < last[:, None] + 1)
    ink[y[cleared & inside], x[cleared & inside]] = False


def _runs_at_middle(profile: Bits) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Start and end (half-open) of the run of ink nearest to the middle of each row (N, K)."""
    middle = profile.shape[1] // 2
    order = sorted(range(middle - 3, middle + 4), key=lambda k: abs(k - middle))
    near = profile[:, order]
    seed = np.array(order)[near.argmax(axis=1)]
    empty = ~near.any(axis=1)
    columns = np.arange(profile.shape[1])[None, :]
    gap = ~profile
    before = np.where(gap & (columns < seed[:, None]), columns, -1).max(axis=1)
    after = np.where(gap & (columns > seed[:, None]), columns, profile.shape[1]).min(axis=1)
    first, last = before + 1, after
    return np.where(empty, middle, first), np.where(empty, middle, last)
