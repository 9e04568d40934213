"""Surroundings: the desk or cloth around a photographed page, and fingers that hold it."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models.training.synthesis.curves import Points, direction
from models.training.synthesis.dice import Dice
from models.training.synthesis.noise import Plane, cut_noise, soft_field
from models.training.synthesis.palette import Colour, vary

__all__ = ("Surroundings", "surround")

SKINS: tuple[Colour, ...] = ((235, 195, 170), (215, 165, 135), (170, 120, 90), (110, 75, 55))
DESKS: tuple[Colour, ...] = (
    (150, 110, 75),
    (95, 65, 45),
    (190, 160, 120),
    (60, 60, 65),
    (200, 200, 200),
    (90, 110, 140),
    (150, 60, 60),
    (40, 35, 35),
)


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """What lies over or around the page.

    Attributes:
        alpha: (H, W) float32, 0 on the page, 1 where it is covered or ends.
        colour: (H, W, 3) float32, 0..255.
    """

    alpha: Plane
    colour: Plane

    @property
    def hidden(self) -> NDArray[np.bool_]:
        """Where nothing of the page can be seen: (H, W) bool."""
        return self.alpha > 0.5

    def lay_over(self, canvas: Plane) -> None:
        """Cover the canvas (H, W, 3) with it."""
        canvas += self.alpha[..., None] * (self.colour - canvas)


def surround(dice: Dice, shape: tuple[int, int], corners: Points) -> Surroundings:
    """Surroundings of a page whose four corners (4, 2) are given in pixels."""
    colour = _desk(dice, shape)
    sheet = np.zeros(shape, np.uint8)
    cv2.fillPoly(sheet, [_fixed(_ragged(dice, corners))], 255, cv2.LINE_AA, 4)
    page = sheet.astype(np.float32) / np.float32(255)
    drop = cv2.GaussianBlur(page, (0, 0), dice.uniform(0.008, 0.03) * max(shape))
    colour *= (1 - dice.uniform(0.2, 0.7) * drop)[..., None]
    alpha = np.asarray(1 - page, np.float32)
    if dice.chance(0.4):
        _fingers(dice, alpha, colour)
    return Surroundings(alpha, colour)


def _ragged(dice: Dice, corners: Points) -> Points:
    steps = np.linspace(0, 1, 8, endpoint=False)[:, None, None]
    after = np.roll(corners, -1, axis=0)
    edge = (corners + (after - corners) * steps).transpose(1, 0, 2).reshape(-1, 2)
    rough = dice.uniform(0, 0.006) * float(np.ptp(corners))
    return np.asarray(edge + dice.array.normal(0, rough + 1e-6, edge.shape))


def _desk(dice: Dice, shape: tuple[int, int]) -> Plane:
    desk = np.empty((*shape, 3), np.float32)
    desk[:] = vary(dice, dice.pick(DESKS), 25)
    kind = dice.pick(("wood", "plain", "checks", "blurred"))
    if kind == "wood":
        grid = dice.array.normal(0, 1, (3, 60) if dice.chance(0.5) else (60, 3))
        streaks = cv2.resize(grid.astype(np.float32), shape[::-1], interpolation=cv2.INTER_CUBIC)
        desk += (dice.uniform(4, 16) * streaks)[..., None]
    elif kind == "checks":
        step = dice.uniform(0.03, 0.15) * max(shape)
        rows = (np.arange(shape[0]) // step % 2)[:, None]
        columns = (np.arange(shape[1]) // step % 2)[None]
        desk += (dice.uniform(-60, 60) * (rows + columns - 1))[..., None].astype(np.float32)
    elif kind == "blurred":
        for channel in range(3):
            desk[..., channel] += 14 * soft_field(dice, shape, 5)
    desk += (dice.uniform(0, 6) * cut_noise(dice, shape, 2))[..., None]
    return np.asarray(np.clip(desk, 0, 255), np.float32)


def _fingers(dice: Dice, alpha: Plane, colour: Plane) -> None:
    """Draw one to three fingertips that reach in from an edge."""
    height, width = alpha.shape
    side = max(alpha.shape)
    skin = vary(dice, dice.pick(SKINS), 15)
    inwards = dice.pick((0.0, np.pi / 2, np.pi, -np.pi / 2)) + dice.normal(0.3)
    edge = np.array((width / 2, height / 2)) - direction(inwards) * (width / 2, height / 2)
    along = direction(inwards + np.pi / 2)
    shift = dice.uniform(-0.4, 0.4) * side
    thick = dice.uniform(0.07, 0.13) * side
    board = np.zeros(alpha.shape, np.uint8)
    for i in range(dice.integer(1, 3)):
        root = edge + along * (shift + i * thick * 1.1)
        tip = root + direction(inwards + dice.normal(0.1)) * dice.uniform(0.02, 0.16) * side
        start = root - direction(inwards) * thick
        cv2.polylines(board, [_fixed(np.stack((start, tip)))], False, 255, round(thick), 8, 4)
    soft = cv2.GaussianBlur(board, (0, 0), side / 400).astype(np.float32) / 255
    shade = cv2.GaussianBlur(board, (0, 0), thick / 4).astype(np.float32) / 255
    tone = (0.65 + 0.4 * shade)[..., None] * np.array(skin, np.float32)
    colour += soft[..., None] * (tone - colour)
    np.maximum(alpha, soft, out=alpha)


def _fixed(points: Points) -> NDArray[np.int32]:
    return np.round(np.clip(points, -4000, 4000) * 16).astype(np.int32)
