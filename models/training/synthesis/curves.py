"""Curves: polylines (N, 2) float64 that hands draw, and what one does to them."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from models.training.synthesis.dice import Dice

Points = NDArray[np.float64]

__all__ = (
    "Points",
    "arc",
    "bend_through",
    "dense",
    "direction",
    "ellipse",
    "merge_outlines",
    "point",
    "polyline",
    "rectangle",
    "resample",
    "ribbon",
    "rotate",
    "round_off",
    "wobble",
)


_TURN = np.linspace(0, 2 * np.pi, 28, endpoint=False)
_CIRCLE = -np.stack((np.sin(_TURN), np.cos(_TURN)), axis=1)
_T = np.linspace(0, 1, 9)[:, None]
_BOW = (1 - _T) ** 2, 2 * _T * (1 - _T), _T**2
"""Weights of the three points of a quadratic Bezier curve."""


def point(x: float, y: float) -> Points:
    """One point (2,) float64."""
    return np.array((x, y), dtype=np.float64)


def polyline(points: Sequence[Sequence[float] | Points]) -> Points:
    """The points as one array (N, 2) float64."""
    return np.array([(p[0], p[1]) for p in points], dtype=np.float64)


def direction(angle: float) -> Points:
    """Unit vector at an angle in radians from straight down, positive towards +x (y is down)."""
    return np.array((np.sin(angle), np.cos(angle)))


def rotate(points: Points, angle: float, centre: Points) -> Points:
    """Turn points about a centre by an angle in radians, clockwise on the picture."""
    cos, sin = np.cos(angle), np.sin(angle)
    return (points - centre) @ np.array(((cos, sin), (-sin, cos))) + centre


def ellipse(centre: Points, rx: float, ry: float, tilt: float = 0.0) -> Points:
    """A closed ellipse (28, 2), from its top, counter-clockwise; its end is not its start."""
    points = _CIRCLE * (rx, ry) + centre
    return rotate(points, tilt, centre) if tilt else points


def arc(centre: Points, radius: tuple[float, float], start: float, stop: float) -> Points:
    """Part of an ellipse (12, 2) between two angles in radians from straight down."""
    turn = np.linspace(start, stop, 12)
    return np.stack((radius[0] * np.sin(turn), radius[1] * np.cos(turn)), axis=1) + centre


def bend_through(start: Points, middle: Points, end: Points) -> Points:
    """A smooth bow (9, 2) from start to end that passes through the middle point half-way."""
    control = 2 * middle - (start + end) / 2
    first, second, third = _BOW
    return np.asarray(first * start + second * control + third * end)


def dense(corners: Sequence[Sequence[float] | Points] | Points) -> Points:
    """A closed polygon with five more points on each edge."""
    array = np.asarray(corners, dtype=np.float64)
    steps = np.linspace(0, 1, 6, endpoint=False)[:, None, None]
    after = np.roll(array, -1, axis=0)
    return np.asarray((array + (after - array) * steps).transpose(1, 0, 2).reshape(-1, 2))


def rectangle(x1: float, y1: float, x2: float, y2: float) -> Points:
    """A closed rectangle with five more points on each edge."""
    return dense(((x1, y1), (x1, y2), (x2, y2), (x2, y1)))


def resample(points: Points, step: float) -> Points:
    """The same polyline with points about every `step`, 13 to 64 of them on bent ones."""
    along = np.zeros(len(points))
    np.hypot(*(points[1:] - points[:-1]).T).cumsum(out=along[1:])
    fewest = min(12, 2 * len(points) - 2)
    count = int(np.clip(along[-1] / step, fewest, 63)) + 1
    ticks = np.arange(count) * (along[-1] / (count - 1))
    return np.stack(
        (np.interp(ticks, along, points[:, 0]), np.interp(ticks, along, points[:, 1])), 1
    )


def wobble(dice: Dice, points: Points, amplitude: float) -> Points:
    """Shake a polyline slowly, as a hand does; amplitude in the points' own unit."""
    knots = max(2, len(points) // 5)
    noise = dice.array.normal(0, amplitude, (knots, 2))
    at = np.arange(knots)
    ticks = np.arange(len(points)) * ((knots - 1) / (len(points) - 1))
    shake = np.interp(ticks, at, noise[:, 0]), np.interp(ticks, at, noise[:, 1])
    return np.asarray(points + np.stack(shake, 1))


def round_off(points: Points, times: int = 2) -> Points:
    """Cut the corners of a closed polygon (Chaikin 1974)."""
    for _ in range(times):
        after = np.roll(points, -1, axis=0)
        points = np.stack((0.75 * points + 0.25 * after, 0.25 * points + 0.75 * after), 1)
        points = points.reshape(-1, 2)
    return points


def ribbon(path: Points, start: float, end: float) -> tuple[Points, Points]:
    """The two edges of a band around a path, with a half-width at its start and at its end."""
    tangent = np.gradient(path, axis=0)
    tangent /= np.maximum(np.hypot(tangent[:, 0], tangent[:, 1]), 1e-9)[:, None]
    across = np.stack((-tangent[:, 1], tangent[:, 0]), 1)
    half = np.linspace(start, end, len(path))[:, None]
    return path + across * half, path - across * half


def merge_outlines(polygons: Sequence[Points], smooth: float) -> Points:
    """The outline around all polygons together (the largest piece), corners rounded by `smooth`."""
    every = np.concatenate(polygons)
    low, high = every.min(0) - smooth - 0.02, every.max(0) + smooth + 0.02
    scale = 200 / float((high - low).max())
    size = np.ceil((high - low) * scale).astype(int) + 1
    board = np.zeros((size[1], size[0]), np.uint8)
    for polygon in polygons:
        cv2.fillPoly(board, [np.round((polygon - low) * scale).astype(np.int32)], 255)
    blur = max(1, int(smooth * scale)) * 2 + 1
    board = cv2.threshold(cv2.blur(board, (blur, blur)), 127, 255, cv2.THRESH_BINARY)[1]
    found = cv2.findContours(board, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]
    outline = max(found, key=len)[:, 0].astype(np.float64)
    return np.asarray(outline[::3] / scale + low)
