"""A sheet of paper, and what draws on it: wobbly, a little past the line, as a child does."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ("Pen", "Sheet")

WIDTH, HEIGHT = 720, 900
OVERSAMPLING = 2

Points = NDArray[np.float64]
Image = NDArray[np.float32]


@dataclass(frozen=True)
class Pen:
    """How a tool marks paper.

    Attributes:
        width: of a stroke, pixels of the finished picture.
        cover: how much of the paper's colour is hidden at full pressure, in (0, 1].
        grain: how much of the paper's tooth shows through, in [0, 1].
    """

    width: float
    cover: float
    grain: float


class Sheet:
    """A sheet of paper that is being drawn on.

    Attributes:
        image: (H, W, 3) float32 in [0, 1], oversampled.
    """

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        shape = (HEIGHT * OVERSAMPLING, WIDTH * OVERSAMPLING)
        self._tooth = self._noise(shape, 1.6) * 0.7 + self._noise(shape, 4.0) * 0.3
        light = np.linspace(0.99, 0.93, shape[1])[None] * np.linspace(1.0, 0.97, shape[0])[:, None]
        warm = np.array([0.985, 0.972, 0.94])
        self.image: Image = (light[..., None] * warm).astype(np.float32)
        self.image -= (self._tooth[..., None] * 0.006).astype(np.float32)

    def stroke(
        self, points: Sequence[tuple[float, float]], colour: tuple[int, ...], pen: Pen
    ) -> None:
        """Draw a smooth, slightly trembling line through points, pressing more or less."""
        path = _tremble(_smooth(np.array(points, dtype=float)), self._random)
        mark = np.zeros(self.image.shape[:2], np.float32)
        pressure = 1.0 + 0.16 * np.sin(np.linspace(0, 9, len(path)) + self._random.uniform(0, 6))
        for a, b, p in zip(path[:-1], path[1:], pressure[:-1], strict=True):
            thickness = max(round(pen.width * OVERSAMPLING * p), 1)
            cv2.line(mark, _pixel(a), _pixel(b), 1.0, thickness, cv2.LINE_AA)
        self._ink(mark, colour, pen)

    def scribble(
        self,
        outline: Sequence[tuple[float, float]],
        colour: tuple[int, ...],
        pen: Pen,
        angle: float,
    ) -> None:
        """Fill an outline with one zigzag at an angle (radians), now and then past the line."""
        corners = np.array([*outline, outline[0]], dtype=float)
        polygon = _smooth(corners) if len(outline) > 5 else corners
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        turned = polygon @ turn
        rows = np.arange(turned[:, 1].min() + 2, turned[:, 1].max() - 2, pen.width * 0.78)
        zigzag: list[tuple[float, float]] = []
        for i, row in enumerate(rows):
            crossings = _crossings(turned, row)
            if len(crossings) >= 2:
                ends = (crossings[0], crossings[-1])
                start, stop = ends if i % 2 else ends[::-1]
                over = self._random.normal(0, pen.width * 0.3, 2)
                zigzag += [(start + over[0], row), (stop + over[1], row + pen.width * 0.3)]
        path = np.array(zigzag) @ turn.T
        mark = np.zeros(self.image.shape[:2], np.float32)
        for a, b in pairwise(path):
            width = max(round(pen.width * OVERSAMPLING * self._random.uniform(0.75, 1.0)), 1)
            cv2.line(mark, _pixel(a), _pixel(b), 1.0, width, cv2.LINE_AA)
        self._ink(mark * 0.86, colour, pen)

    def finish(self) -> NDArray[np.uint8]:
        """The picture, BGR, 600 x 750."""
        size = (WIDTH * 5 // 6, HEIGHT * 5 // 6)
        small = cv2.resize(self.image, size, interpolation=cv2.INTER_AREA)
        return np.asarray((np.clip(small, 0, 1)[..., ::-1] * 255).round(), dtype=np.uint8)

    def _ink(self, mark: Image, colour: tuple[int, ...], pen: Pen) -> None:
        mark = np.asarray(cv2.GaussianBlur(mark, (0, 0), 0.8), dtype=np.float32)
        tooth = 1 - pen.grain * np.clip(self._tooth * 1.1 + 0.15, 0, 1)
        cover = (mark * pen.cover * tooth)[..., None]
        ink = np.array(colour, dtype=np.float32) / 255
        self.image = (self.image * (1 - cover) + self.image * ink * cover).astype(np.float32)

    def _noise(self, shape: tuple[int, int], size: float) -> Image:
        noise = cv2.GaussianBlur(self._random.normal(0, 1, shape).astype(np.float32), (0, 0), size)
        return np.asarray(noise / noise.std(), dtype=np.float32)


def _smooth(points: Points) -> Points:
    """Catmull-Rom through the points, about one point in four pixels."""
    padded = np.concatenate([points[:1] * 2 - points[1:2], points, points[-1:] * 2 - points[-2:-1]])
    pieces = []
    for p0, p1, p2, p3 in zip(padded, padded[1:], padded[2:], padded[3:], strict=False):
        t = np.linspace(0, 1, max(int(np.linalg.norm(p2 - p1) / 4), 3), endpoint=False)[:, None]
        pieces.append(
            0.5 * (2 * p1 + (p2 - p0) * t + (2 * p0 - 5 * p1 + 4 * p2 - p3) * t**2
            + (3 * p1 - p0 - 3 * p2 + p3) * t**3)
        )  # fmt: skip
    return np.concatenate([*pieces, points[-1:]])


def _tremble(path: Points, random: np.random.Generator) -> Points:
    """Add what a small hand adds: slow drift of up to about three pixels."""
    knots = max(len(path) // 12, 2) + 1
    at = np.linspace(0, knots - 1, len(path))
    drift = [np.interp(at, np.arange(knots), random.normal(0, 1.5, knots)) for _ in "xy"]
    return path + np.stack(drift, axis=1)


def _crossings(polygon: Points, row: float) -> list[float]:
    """Where a horizontal line crosses a closed outline, from left to right."""
    a, b = polygon, np.roll(polygon, -1, axis=0)
    crosses = (a[:, 1] <= row) != (b[:, 1] <= row)
    share = (row - a[crosses, 1]) / (b[crosses, 1] - a[crosses, 1])
    return sorted(a[crosses, 0] + share * (b[crosses, 0] - a[crosses, 0]))


def _pixel(point: Points) -> tuple[int, int]:
    return round(float(point[0]) * OVERSAMPLING), round(float(point[1]) * OVERSAMPLING)
