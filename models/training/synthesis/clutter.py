"""Clutter: what stands on pages beside figures, or alone: suns, houses, letters, lone faces."""

from collections.abc import Callable, Mapping

import cv2
import numpy as np

from models.training.synthesis.curves import Points, arc, direction, ellipse, point, polyline
from models.training.synthesis.heads import draw_face, head_outline
from models.training.synthesis.palette import any_colour
from models.training.synthesis.skeletons import Skeleton
from models.training.synthesis.sketch import FillStyle, Sketch

__all__ = ("CLUTTER_KINDS", "draw_clutter")


def draw_clutter(sketch: Sketch, kind: str) -> None:
    """Draw a thing of this kind, about one unit large."""
    _THINGS[kind](sketch)


def _area(sketch: Sketch, shape: Points, share: float = 0.5) -> None:
    dice = sketch.hand.dice
    if dice.chance(share):
        sketch.fill(shape, any_colour(dice), dice.pick(tuple(FillStyle)))
    sketch.outline(shape)


def _sun(sketch: Sketch) -> None:
    dice = sketch.hand.dice
    radius = dice.uniform(0.18, 0.3)
    _area(sketch, ellipse(point(0, 0), radius, radius))
    for turn in np.linspace(0, 2 * np.pi, dice.integer(6, 14), endpoint=False):
        way = direction(turn + dice.normal(0.08))
        reach = dice.uniform(0.4, 0.55)
        sketch.line(polyline((way * radius * 1.2, way * reach)))
    if dice.chance(0.25):
        _face_inside(sketch, radius)


def _face(sketch: Sketch) -> None:
    dice = sketch.hand.dice
    skeleton = _lone_head(dice.uniform(0.35, 0.65), 0.5)
    outline = head_outline(dice, skeleton)
    _area(sketch, outline, 0.25)
    draw_face(sketch, skeleton, None)


def _face_inside(sketch: Sketch, radius: float) -> None:
    draw_face(sketch, _lone_head(radius, radius), None)


def _lone_head(rx: float, ry: float) -> Skeleton:
    zero = point(0, 0)
    return Skeleton(zero, (rx, ry), 0.0, np.zeros((2, 2)), np.zeros((2, 2)), (), ())


def _house(sketch: Sketch) -> None:
    dice = sketch.hand.dice
    half, wall, roof = dice.uniform(0.3, 0.5), dice.uniform(0.4, 0.6), dice.uniform(0.25, 0.5)
    _area(sketch, _dense(((-half, 0), (-half, wall), (half, wall), (half, 0))))
    over = half * dice.uniform(1.0, 1.25)
    _area(sketch, _dense(((-over, 0), (over, 0), (0, -roof))))
    door = dice.uniform(-half * 0.5, half * 0.4)
    _area(sketch, _dense(((door, wall), (door, wall * 0.45), (door + 0.14, wall * 0.45), (door + 0.14, wall))))
    for x in (-half * 0.6, half * 0.5):
        if dice.chance(0.6):
            sketch.outline(_dense(((x, 0.1), (x, 0.22), (x + 0.13, 0.22), (x + 0.13, 0.1))))


def _tree(sketch: Sketch) -> None:
    dice = sketch.hand.dice
    half = dice.uniform(0.04, 0.1)
    _area(sketch, _dense(((-half, 0), (-half * 1.3, 0.5), (half * 1.3, 0.5), (half, 0))))
    if dice.chance(0.3):
        _area(sketch, _dense(((-0.35, 0.02), (0.35, 0.02), (0, -0.6))))
    else:
        _area(sketch, _scallops(dice.integer(6, 10), dice.uniform(0.28, 0.4), 0.08, -0.25), 0.6)


def _cloud(sketch: Sketch) -> None:
    shape = _scallops(sketch.hand.dice.integer(5, 9), 0.35, 0.1, 0.0) * (1.3, 0.7)
    _area(sketch, shape, 0.2)


def _flower(sketch: Sketch) -> None:
    dice = sketch.hand.dice
    sketch.line(polyline(((0, 0), (dice.normal(0.05), 0.6))))
    petals = dice.integer(4, 8)
    for turn in np.linspace(0, 2 * np.pi, petals, endpoint=False):
        _area(sketch, ellipse(direction(turn) * 0.17, 0.09, 0.09))
    _area(sketch, ellipse(point(0, 0), 0.08, 0.08))


def _heart(sketch: Sketch) -> None:
    t = np.linspace(0, 2 * np.pi, 30, endpoint=False)
    x = 0.03 * 16 * np.sin(t) ** 3
    y = -0.03 * (13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t))
    _area(sketch, np.stack((x, y), 1))


def _star(sketch: Sketch) -> None:
    radii = np.tile((0.5, 0.2), 5)
    turns = np.linspace(0, 2 * np.pi, 10, endpoint=False) + np.pi
    _area(sketch, _dense(np.stack((np.sin(turns), np.cos(turns)), 1) * radii[:, None]))


def _text(sketch: Sketch) -> None:
    dice = sketch.hand.dice
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIKLMNOPRSTUVW0123456789"
    text = "".join(dice.pick(letters) for _ in range(dice.integer(2, 9)))
    font = dice.pick((cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_SCRIPT_SIMPLEX))
    board = np.zeros((60, 40 * len(text)), np.uint8)
    cv2.putText(board, text, (5, 42), font, 1.2, 255, 1)
    scale = 1 / board.shape[1]
    for contour in cv2.findContours(board, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)[0]:
        if len(contour) > 2:
            sketch.line(contour[:, 0].astype(np.float64) * scale)


def _scribble(sketch: Sketch) -> None:
    dice = sketch.hand.dice
    walk = np.cumsum(dice.array.normal(0, 0.15, (dice.integer(6, 24), 2)), axis=0)
    sketch.line(walk)


def _balloon(sketch: Sketch) -> None:
    _area(sketch, ellipse(point(0, 0), 0.2, 0.26))
    sketch.line(polyline(((0, 0.26), (0.04, 0.5), (-0.03, 0.8))))


def _shirt(sketch: Sketch) -> None:
    dice = sketch.hand.dice
    arm, hem = dice.uniform(0.4, 0.5), dice.uniform(0.3, 0.5)
    right = [(-0.12, -0.4), (-arm, -0.22), (-arm + 0.1, -0.02), (-0.22, -0.1), (-0.22, hem)]
    left = [(-x, y) for x, y in reversed(right)]
    _area(sketch, _dense((*right, *left, (0.0, -0.33))))


def _horizon(sketch: Sketch) -> None:
    sketch.line(polyline(((-2, 0), (-0.7, 0.02), (0.6, -0.02), (2, 0))))


def _arch(sketch: Sketch) -> None:
    for radius in np.linspace(0.5, 0.3, 4):
        way = arc(point(0, 0), (radius, radius), np.pi / 2, 3 * np.pi / 2)
        sketch.line(way, any_colour(sketch.hand.dice))


def _dense(corners: object) -> Points:
    array = np.asarray(corners, dtype=np.float64)
    steps = np.linspace(0, 1, 5, endpoint=False)[:, None, None]
    after = np.roll(array, -1, axis=0)
    return np.asarray((array + (after - array) * steps).transpose(1, 0, 2).reshape(-1, 2))


def _scallops(count: int, radius: float, bump: float, lift: float) -> Points:
    turn = np.linspace(0, 2 * np.pi, count * 6, endpoint=False)
    reach = radius + bump * np.abs(np.sin(turn * count / 2))
    return np.stack((reach * np.sin(turn), reach * np.cos(turn) + lift), 1)


_THINGS: Mapping[str, Callable[[Sketch], None]] = {
    "sun": _sun,
    "face": _face,
    "house": _house,
    "tree": _tree,
    "cloud": _cloud,
    "flower": _flower,
    "heart": _heart,
    "star": _star,
    "text": _text,
    "scribble": _scribble,
    "balloon": _balloon,
    "shirt": _shirt,
    "horizon": _horizon,
    "rainbow": _arch,
}
CLUTTER_KINDS = tuple(_THINGS)
