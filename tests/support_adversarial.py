"""Pictures that no drawing looks like."""

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]


def noise() -> Image:
    return np.random.default_rng(0).integers(0, 256, (240, 320, 3), dtype=np.uint8)


def black() -> Image:
    return np.zeros((300, 200, 3), np.uint8)


def thin_lines() -> Image:
    """A stick figure of lines one pixel wide, without anti-aliasing."""
    page = np.full((600, 400, 3), 255, np.uint8)
    cv2.circle(page, (200, 100), 60, (0, 0, 0), 1)
    for end in ((60, 250), (340, 250)):
        cv2.line(page, (200, 220), end, (0, 0, 0), 1)
    for end in ((120, 580), (280, 580)):
        cv2.line(page, (200, 380), end, (0, 0, 0), 1)
    cv2.line(page, (200, 160), (200, 380), (0, 0, 0), 1)
    return page


def huge_photo() -> Image:
    return np.asarray(cv2.resize(thin_lines(), (5333, 8000)), dtype=np.uint8)


def huge_filled_photo() -> Image:
    """A figure in flat paint on 42 megapixels: a third of them are its own."""
    page = np.full((800, 533, 3), 240, np.uint8)
    cv2.ellipse(page, (266, 380), (190, 200), 0, 0, 360, (40, 60, 160), -1)
    cv2.circle(page, (266, 110), 90, (200, 150, 120), -1)
    for start, end in (
        ((160, 540), (130, 780)),
        ((370, 540), (410, 780)),
        ((110, 300), (15, 170)),
        ((420, 300), (518, 170)),
    ):
        cv2.line(page, start, end, (40, 60, 160), 44)
    return np.asarray(cv2.resize(page, (5333, 8000), interpolation=cv2.INTER_NEAREST), np.uint8)


def touching_all_edges() -> Image:
    """A star of thick limbs that runs out of the picture on every side."""
    page = np.full((256, 256, 3), 255, np.uint8)
    cv2.circle(page, (128, 40), 44, (40, 40, 40), 8)
    for start, end in (((128, 80), (128, 170)), ((0, 110), (255, 110))):
        cv2.line(page, start, end, (40, 40, 40), 8)
    for end in ((0, 255), (255, 255)):
        cv2.line(page, (128, 170), end, (40, 40, 40), 8)
    return page


def one_row() -> Image:
    return np.random.default_rng(1).integers(0, 256, (1, 900, 3), dtype=np.uint8)


def one_column() -> Image:
    return np.random.default_rng(2).integers(0, 256, (900, 1, 3), dtype=np.uint8)


def one_pixel() -> Image:
    return np.full((1, 1, 3), 90, np.uint8)


def white() -> Image:
    return np.full((800, 600, 3), 255, np.uint8)


def checkers() -> Image:
    cells = np.indices((60, 45)).sum(axis=0) % 2 * 255
    return np.repeat(np.kron(cells, np.ones((12, 12)))[..., None], 3, axis=2).astype(np.uint8)


def stripes() -> Image:
    """Black and white, three pixels each, as a screen's moire is."""
    row = (np.arange(700) // 3 % 2 * 255).astype(np.uint8)
    return np.repeat(np.tile(row, (900, 1))[..., None], 3, axis=2)


def blackboard() -> Image:
    """The thin lines in white on black."""
    return np.asarray(255 - thin_lines(), np.uint8)


def scribble() -> Image:
    dice = np.random.default_rng(5)
    page = np.full((900, 900, 3), 250, np.uint8)
    points = dice.integers(100, 800, (200, 1, 2)).astype(np.int32)
    cv2.polylines(page, [points], False, (30, 30, 120), 3)
    return page


def dots() -> Image:
    dice = np.random.default_rng(6)
    page = np.full((900, 900, 3), 250, np.uint8)
    for x, y in dice.integers(0, 900, (400, 2)).tolist():
        cv2.circle(page, (x, y), 4, (30, 30, 30), -1)
    return page
