"""Ink: marks in pixels become colour on the picture, and silhouettes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import cv2
import numpy as np
from numpy.typing import NDArray

from models.training.synthesis.curves import Points, ellipse
from models.training.synthesis.dice import Dice
from models.training.synthesis.noise import Plane, cut_noise, soft_field
from models.training.synthesis.palette import Colour
from models.training.synthesis.pens import Pen, PenKind
from models.training.synthesis.sketch import FillStyle, Mark, MarkKind

__all__ = ("Inker", "blots", "silhouette")

_SHIFT = 4
_ONE = 1 << _SHIFT
_FINE_SIDE = 448
"""Pictures up to this side are inked at twice their size; larger ones are smooth enough."""


@dataclass(frozen=True, slots=True, eq=False)
class Inker:
    """A pen at work on one picture.

    Attributes:
        dice: the source of chance.
        pen: the tool.
        width: of a stroke, pixels.
        reach: height of what is drawn, pixels; sets the spacing of hatching.
        stretch: factors by which the picture was stretched in x and in y.
    """

    dice: Dice
    pen: Pen
    width: float
    reach: float
    stretch: tuple[float, float] = (1.0, 1.0)

    def draw(self, canvas: Plane, marks: Sequence[Mark]) -> None:
        """Ink marks, given in pixels, onto a canvas (H, W, 3) float32, 0..255."""
        inked = [mark for mark in marks if mark.kind is not MarkKind.SOLID]
        for (colour, kind), group in groupby(inked, key=lambda m: (m.colour, m.kind)):
            pen = self.pen if kind is MarkKind.STROKE else _coat(self.pen)
            self._ink(canvas, list(group), colour or self.pen.colour, pen)

    def _ink(self, canvas: Plane, marks: list[Mark], colour: Colour, pen: Pen) -> None:
        region = _region(marks, canvas.shape[:2], 2 * self.width + 4)
        if region is None:
            return
        rows, columns = region
        corner = np.array((columns.start, rows.start), np.float64)
        local = [replace(mark, points=mark.points - corner) for mark in marks]
        shape = (rows.stop - rows.start, columns.stop - columns.start)
        coverage = self._cover(local, shape, _zoom(canvas.shape))
        alpha = self.wet(coverage, pen)[..., None]
        target = canvas[rows, columns]
        target += alpha * (np.array(colour, np.float32) - target)

    def _cover(self, marks: list[Mark], shape: tuple[int, int], zoom: int) -> Plane:
        board = np.zeros((shape[0] * zoom, shape[1] * zoom), np.uint8)
        value = round(255 * self.pen.overlap)
        for mark in marks:
            if mark.kind is MarkKind.FILL:
                self._fill(board, mark, zoom)
            elif value == 255:
                self._stroke(board, mark, zoom, 255)
            else:
                self._glaze(board, mark, zoom, value)
        full = cv2.resize(board, shape[::-1], interpolation=cv2.INTER_AREA) if zoom > 1 else board
        return full.astype(np.float32) / np.float32(255)

    def _glaze(self, board: NDArray[np.uint8], mark: Mark, zoom: int, value: int) -> None:
        region = _region([mark], board.shape, 2 * self.width + 4, zoom)
        if region is None:
            return
        patch = board[region]
        layer = np.zeros_like(patch)
        corner = np.array((region[1].start, region[0].start)) / zoom
        self._stroke(layer, replace(mark, points=mark.points - corner), zoom, value)
        cv2.add(patch, layer, dst=patch)

    def _stroke(self, board: NDArray[np.uint8], mark: Mark, zoom: int, value: int) -> None:
        width = self.width * mark.width * zoom
        if width < 1:
            value = round(value * max(width, 0.35))
        points = _fixed(mark.points * zoom)
        kind = cv2.LINE_AA if zoom == 1 and self.pen.kind is not PenKind.DIGITAL else cv2.LINE_8
        if self.pen.chisel == 1 and self.pen.pressure == 0 and self._is_plain:
            cv2.polylines(board, [points], False, value, _whole(width), kind, _SHIFT)
        else:
            widths = width * self._swell(mark.points)
            for a, b, w in zip(points[:-1], points[1:], widths, strict=True):
                cv2.line(board, a, b, value, _whole(w), kind, _SHIFT)

    @property
    def _is_plain(self) -> bool:
        return abs(self.stretch[0] - self.stretch[1]) < 0.1

    def _swell(self, points: Points) -> Points:
        way = np.diff(points, axis=0)
        chisel = self.pen.chisel
        angle = np.arctan2(way[:, 1], way[:, 0])
        slant = np.abs(np.sin(angle + 0.2))
        squeeze = np.hypot(self.stretch[0] * np.sin(angle), self.stretch[1] * np.cos(angle))
        ends = self.dice.array.normal(1, self.pen.pressure, 4)
        along = np.interp(np.linspace(0, 3, len(way)), np.arange(4), ends)
        return np.asarray(squeeze * (chisel + (1 - chisel) * slant) * np.clip(along, 0.4, 1.6))

    def _fill(self, board: NDArray[np.uint8], mark: Mark, zoom: int) -> None:
        polygon = _fixed(mark.points * zoom)
        digital = self.pen.kind is PenKind.DIGITAL
        flat = mark.style is FillStyle.FLAT or (digital and self.dice.chance(0.6))
        size = np.ptp(mark.points, axis=0).max()
        if flat and (digital or size < 4 * self.width):
            cv2.fillPoly(board, [polygon], 255, cv2.LINE_8, _SHIFT)
            return
        area = np.zeros_like(board)
        cv2.fillPoly(area, [polygon], 255, cv2.LINE_8, _SHIFT)
        width = max(self.width, 0.012 * self.reach) * self.dice.uniform(1.0, 1.6)
        path = self._hatching(mark, width * self._spacing(flat))
        lines = np.full_like(board, 190 if flat else 0)
        thick = _whole(width * zoom)
        cv2.polylines(lines, [_fixed(path * zoom)], False, 235, thick, cv2.LINE_8, _SHIFT)
        over = max(1, round(0.012 * self.reach * zoom))
        if not flat:
            cv2.dilate(area, np.ones((over, over), np.uint8), dst=area)
        cv2.max(board, cv2.bitwise_and(lines, area), dst=board)

    def _spacing(self, flat: bool) -> float:
        """Distance of hatching lines as a multiple of their width."""
        if flat:
            return self.dice.uniform(1.0, 2.0)
        return (
            self.dice.uniform(0.7, 1.15) if self.dice.chance(0.7) else self.dice.uniform(1.1, 2.2)
        )

    def _hatching(self, mark: Mark, step: float) -> Points:
        low, high = mark.points.min(0), mark.points.max(0)
        middle, half = (low + high) / 2, float(np.hypot(*(high - low))) / 2 + 1
        count = int(np.clip(2 * half / step, 3, 90))
        offsets = np.linspace(-half, half, count) + self.dice.array.normal(0, step / 4, count)
        ends = np.where(np.arange(count) % 2, half, -half)
        scribble = mark.style is FillStyle.SCRIBBLE
        slant = self.dice.array.normal(0, step * (1.5 if scribble else 0.3), count)
        zigzag = np.stack((np.repeat(offsets, 2)[1:], np.repeat(ends, 2)[:-1]), 1)
        zigzag[:, 0] += np.repeat(slant, 2)[1:]
        angle = self.dice.pick((0.78, -0.78, 0.0, 1.57)) + self.dice.normal(0.15)
        turn = np.array(((np.cos(angle), np.sin(angle)), (-np.sin(angle), np.cos(angle))))
        return np.asarray(zigzag @ turn + middle)

    def wet(self, coverage: Plane, pen: Pen) -> Plane:
        """How much of a pen's colour (H, W) lies where strokes cover the paper, all in [0, 1]."""
        alpha = coverage
        if pen.edge:
            core = cv2.blur(coverage, (3, 3))
            alpha = alpha * (1 - pen.edge * core * core * core)
        if pen.grain:
            grain = cut_noise(self.dice, coverage.shape[:2], 2 if pen.kind is PenKind.CRAYON else 1)
            alpha = np.clip(
                alpha * (1.15 - 0.4 * pen.grain) - pen.grain * (0.25 + 0.3 * grain), 0, 1
            )
            alpha = np.minimum(alpha, coverage)
        if pen.fade:
            field = soft_field(self.dice, coverage.shape[:2], 5)
            alpha = alpha * np.clip(1 - pen.fade * (0.5 + field), 0.25, 1)
        return np.asarray(alpha * pen.opacity, np.float32)


def blots(dice: Dice, pen: Pen, marks: Sequence[Mark], width: float) -> list[Mark]:
    """Dots where a pen rested at the ends of strokes (in pixels, `width` wide)."""
    dots: list[Mark] = []
    for mark in marks:
        if mark.kind is not MarkKind.STROKE:
            continue
        for end in (mark.points[0], mark.points[-1]):
            if dice.chance(pen.blot):
                radius = width * mark.width * dice.uniform(0.5, 0.9)
                dots.append(Mark(MarkKind.FILL, ellipse(end, radius, radius)[::2], mark.colour))
    return dots


def silhouette(marks: Sequence[Mark], shape: tuple[int, int], width: float) -> NDArray[np.bool_]:
    """Everything that the marks (in pixels) cover by a quarter or more, as (H, W) bool.

    Strokes are `width` pixels wide.
    """
    zoom = _zoom(shape)
    board = np.zeros((shape[0] * zoom, shape[1] * zoom), np.uint8)
    for mark in marks:
        points = _fixed(mark.points * zoom)
        if mark.kind is MarkKind.STROKE:
            thick = _whole(width * mark.width * zoom)
            cv2.polylines(board, [points], False, 255, thick, cv2.LINE_8, _SHIFT)
        else:
            cv2.fillPoly(board, [points], 255, cv2.LINE_8, _SHIFT)
    full = cv2.resize(board, shape[::-1], interpolation=cv2.INTER_AREA) if zoom > 1 else board
    return np.asarray(full >= 63)


def _zoom(shape: tuple[int, ...]) -> int:
    return 2 if max(shape[:2]) <= _FINE_SIDE else 1


def _coat(pen: Pen) -> Pen:
    return replace(pen, edge=0.0, fade=pen.fade / 2)


def _fixed(points: Points) -> NDArray[np.int32]:
    bounded = np.clip(points, -4000, 4000)
    return np.round((bounded - 0.5) * _ONE).astype(np.int32)


def _whole(width: float) -> int:
    """Thickness to ask of OpenCV for a width in pixels: it draws all but the thinnest one wider."""
    return max(1, round(width - 0.75))


def _region(
    marks: Sequence[Mark], shape: tuple[int, ...], margin: float, zoom: int = 1
) -> tuple[slice, slice] | None:
    low = np.min([mark.points.min(0) for mark in marks], axis=0)
    high = np.max([mark.points.max(0) for mark in marks], axis=0)
    x1, y1 = np.maximum(np.floor((low - margin) * zoom), 0).astype(int)
    x2 = min(int((high[0] + margin) * zoom) + 1, shape[1])
    y2 = min(int((high[1] + margin) * zoom) + 1, shape[0])
    return (slice(int(y1), y2), slice(int(x1), x2)) if x1 < x2 and y1 < y2 else None
