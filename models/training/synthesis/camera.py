"""Camera: where the page lies in the picture, its light, and what a lens and a file add."""

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from models.training.synthesis.curves import Points, polyline, round_off
from models.training.synthesis.dice import Dice
from models.training.synthesis.noise import Plane, cut_noise, soft_field
from models.training.synthesis.settings import SynthesisSettings

__all__ = ("develop", "light_up", "page_corners", "page_to_picture")


def page_corners(dice: Dice, size: tuple[int, int], slant: float, inset: Sequence[float]) -> Points:
    """Where the corners of a page lie in a picture of `size` (width, height): (4, 2), pixels.

    From top left, clockwise. `slant` moves each by up to that share of the picture; `inset` moves
    the left, top, right and bottom edge inwards by these shares.
    """
    left, top, right, bottom = inset
    corners = polyline(((left, top), (1 - right, top), (1 - right, 1 - bottom), (left, 1 - bottom)))
    return (corners + dice.array.uniform(-slant, slant, (4, 2))) * size


def page_to_picture(page: tuple[int, int], corners: Points, turn: int) -> Points:
    """Map a page of `page` (width, height) to its corners: (3, 3) float64.

    `turn` is the number of quarter turns, clockwise.
    """
    width, height = page
    flat = polyline(((0, 0), (width, 0), (width, height), (0, height))).astype(np.float32)
    turned = np.roll(corners, -turn, axis=0).astype(np.float32)
    return np.asarray(cv2.getPerspectiveTransform(flat, turned))


def light_up(dice: Dice, canvas: Plane, settings: SynthesisSettings) -> list[str]:
    """Darken a photo as uneven light and shadows do; returns the tags of what was done."""
    shape = canvas.shape[:2]
    tags = []
    gain = _fall_off(dice, shape, dice.uniform(*settings.light) / 200)
    if dice.chance(settings.shadow):
        gain = gain * _shadow(dice, shape)
        tags.append("shadow")
    if dice.chance(0.03):
        gain = gain * dice.uniform(0.4, 0.6)
        tags.append("dark")
    canvas *= gain[..., None]
    return tags


def develop(
    dice: Dice, canvas: Plane, settings: SynthesisSettings, photo: bool
) -> NDArray[np.uint8]:
    """Turn a canvas into the picture (H, W, 3) uint8 that a camera's or an editor's file holds."""
    side = max(canvas.shape)
    if photo:
        sigma = dice.uniform(0, settings.blur) * side / 320
        if sigma > 0.3:
            canvas = np.asarray(cv2.GaussianBlur(canvas, (0, 0), sigma), np.float32)
        level = dice.uniform(0, settings.noise) if dice.chance(0.7) else 0.0
        canvas = canvas + (level * cut_noise(dice, canvas.shape[:2], 1))[..., None]
    image: NDArray[Any] = np.clip(canvas + 0.5, 0, 255).astype(np.uint8)
    if dice.chance(settings.jpeg if photo else settings.jpeg / 3):
        quality = [cv2.IMWRITE_JPEG_QUALITY, dice.integer(55, 95)]
        encoded = cv2.imencode(".jpg", cv2.cvtColor(image, cv2.COLOR_RGB2BGR), quality)[1]
        decoded = np.asarray(cv2.imdecode(encoded, cv2.IMREAD_COLOR))
        image = cv2.cvtColor(decoded, cv2.COLOR_BGR2RGB)
    return np.asarray(image, np.uint8)


def _fall_off(dice: Dice, shape: tuple[int, int], depth: float) -> Plane:
    """Light (H, W) float32 with a mean below 1: a slope, a vignette or hills."""
    y = np.linspace(-0.5, 0.5, shape[0], dtype=np.float32)[:, None]
    x = np.linspace(-0.5, 0.5, shape[1], dtype=np.float32)[None]
    angle = dice.uniform(0, 2 * np.pi)
    slope = float(np.cos(angle)) * x + float(np.sin(angle)) * y
    dark = depth * (0.5 + slope / 1.2) * dice.uniform(0.3, 1.0)
    if dice.chance(0.4):
        dark = dark + depth * dice.uniform(0.2, 0.9) * (x * x + y * y)
    if dice.chance(0.3):
        dark = dark + 0.08 * depth * soft_field(dice, shape, 3)
    return np.asarray(np.clip(1 - dark, 0.3, 1.05), np.float32)


def _shadow(dice: Dice, shape: tuple[int, int]) -> Plane:
    """Shadow (H, W) float32 of a hand or a phone, reaching in from an edge."""
    small = (shape[0] // 4 + 1, shape[1] // 4 + 1)
    reach = dice.uniform(0.15, 0.5)
    angle = dice.uniform(0, 2 * np.pi)
    way = np.array((np.cos(angle), np.sin(angle)))
    middle = (0.5 + way * (0.95 - reach)) * small[::-1]
    turns = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    radii = (0.5 + dice.array.uniform(-0.15, 0.15, 12)) * max(small)
    blob = middle + np.stack((np.cos(turns), np.sin(turns)), 1) * radii[:, None]
    board = np.zeros(small, np.uint8)
    blob = round_off(blob) if dice.chance(0.7) else blob
    cv2.fillPoly(board, [np.round(blob).astype(np.int32)], 255)
    soft = dice.uniform(0.4, 5.0) * small[0] / 80
    blurred = cv2.GaussianBlur(board, (0, 0), soft).astype(np.float32)
    full = cv2.resize(blurred, shape[::-1], interpolation=cv2.INTER_LINEAR)
    return np.asarray(1 - full * (dice.uniform(0.1, 0.45) / 255), np.float32)
