"""Paper: the ground under a drawing, with grain, ruling and folds."""

import cv2
import numpy as np
from numpy.typing import NDArray

from models.training.synthesis.curves import Points
from models.training.synthesis.dice import Dice
from models.training.synthesis.noise import Plane, cut_noise, soft_field
from models.training.synthesis.palette import Colour, paper_colour, vary
from models.training.synthesis.settings import PaperKind

__all__ = ("lay_paper", "rule_paper")


def lay_paper(dice: Dice, kind: PaperKind, shape: tuple[int, int]) -> Plane:
    """A sheet (H, W, 3) float32, 0..255, not yet ruled."""
    if kind is PaperKind.WHITE:
        colour: Colour = (255, 255, 255) if dice.chance(0.85) else vary(dice, (235, 235, 235), 15)
        ground = np.full((*shape, 3), colour, np.float32)
        if dice.chance(0.03):
            _checker(dice, ground)
        return ground
    sheet = np.empty((*shape, 3), np.float32)
    sheet[:] = paper_colour(dice)
    grain = dice.uniform(0, 2.5) * cut_noise(dice, shape, dice.integer(1, 3))
    mottle = dice.uniform(0, 1.6) * cut_noise(dice, shape, 8)
    sheet += (grain + mottle + dice.uniform(0, 1.5) * soft_field(dice, shape, 4))[..., None]
    if dice.chance(0.25):
        _fold(dice, sheet)
    return sheet


def rule_paper(dice: Dice, sheet: Plane, kind: PaperKind, camera: Points) -> None:
    """Draw the ruling of lined and squared paper; `camera` (3, 3) maps the page to pixels."""
    if kind not in (PaperKind.LINED, PaperKind.SQUARED):
        return
    height, width = sheet.shape[:2]
    squared = kind is PaperKind.SQUARED
    step = dice.uniform(0.03, 0.07) if squared else dice.uniform(0.05, 0.11)
    board = np.zeros((height, width), np.uint8)
    side = max(height, width)
    offset = dice.uniform(0, step)
    for axis in (0, 1) if squared else (0,):
        for place in np.arange(offset - 0.5, 1.5, step) * side:
            _rule(board, camera, axis, float(place))
    if not squared and dice.chance(0.35):
        _margin(dice, sheet, camera)
    if dice.chance(0.1):
        _holes(dice, sheet, camera)
    ink = np.array(vary(dice, dice.pick(((120, 140, 175), (110, 115, 125), (150, 150, 190))), 25))
    depth = dice.uniform(0.25, 0.85)
    alpha = (board.astype(np.float32) * (depth / 255))[..., None]
    sheet += alpha * (np.minimum(ink, sheet.min() + 40).astype(np.float32) - sheet)


def _rule(board: NDArray[np.uint8], camera: Points, axis: int, place: float) -> None:
    side = max(board.shape)
    along = np.linspace(-0.6 * side, 1.6 * side, 2)
    across = np.full_like(along, place)
    line = np.stack((along, across) if axis == 0 else (across, along), 1)
    pixels = cv2.perspectiveTransform(line[None], camera)[0]
    fixed = np.round(np.clip(pixels, -4000, 4000) * 16).astype(np.int32)
    cv2.polylines(board, [fixed], False, 255, max(1, round(side / 400)), cv2.LINE_AA, 4)


def _checker(dice: Dice, ground: Plane) -> None:
    """The checkerboard of a fake transparency."""
    step = dice.integer(5, 14)
    rows, columns = np.arange(ground.shape[0]) // step, np.arange(ground.shape[1]) // step
    odd = (rows[:, None] + columns[None]) % 2 == 1
    ground[odd] -= dice.uniform(15, 50)


def _margin(dice: Dice, sheet: Plane, camera: Points) -> None:
    """One or two red lines across the ruling."""
    side = max(sheet.shape)
    board = np.zeros(sheet.shape[:2], np.uint8)
    place = dice.uniform(0.06, 0.2) * side
    for offset in (0.0, 0.012 * side)[: dice.integer(1, 2)]:
        _rule(board, camera, 1, place + offset)
    red = np.array(vary(dice, (200, 110, 120), 25), np.float32)
    alpha = (board.astype(np.float32) * (dice.uniform(0.3, 0.8) / 255))[..., None]
    sheet += alpha * (red - sheet)


def _holes(dice: Dice, sheet: Plane, camera: Points) -> None:
    """The holes of a spiral binding along the left edge."""
    side = max(sheet.shape)
    board = np.zeros(sheet.shape[:2], np.uint8)
    step, radius = dice.uniform(0.04, 0.09) * side, dice.uniform(0.006, 0.014) * side
    places = np.arange(step / 2, 1.5 * side, step)
    row = np.stack((np.full_like(places, dice.uniform(0.02, 0.04) * side), places), 1)
    height, width = sheet.shape[:2]
    holes: list[list[float]] = cv2.perspectiveTransform(row[None], camera)[0].tolist()
    for x, y in holes:
        if 0 <= x < width and 0 <= y < height:
            cv2.circle(board, (round(x), round(y)), max(1, round(radius)), 255, -1, cv2.LINE_AA)
    alpha = (board.astype(np.float32) * (dice.uniform(0.4, 0.9) / 255))[..., None]
    sheet += alpha * (dice.uniform(30, 120) - sheet)


def _fold(dice: Dice, sheet: Plane) -> None:
    """A crease: one side of a line a little darker."""
    height, width = sheet.shape[:2]
    angle = dice.pick((0.0, 1.57)) + dice.normal(0.1)
    ramp = np.cos(angle) * (np.arange(width) / width - dice.uniform(0.2, 0.8))
    drop = np.sin(angle) * (np.arange(height) / height - dice.uniform(0.2, 0.8))
    distance = (ramp[None] + drop[:, None]).astype(np.float32)
    shade = np.tanh(distance * dice.uniform(20, 120)) - np.tanh(distance * 4)
    sheet += (dice.uniform(3, 9) * shade)[..., None]
