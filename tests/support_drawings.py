"""Small drawings of known shape, drawn by the tests themselves."""

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]

HEAD = ((100, 60), (38, 30))
"""Centre (x, y) and half axes of the stick figure's head, pixels."""

STROKES = (
    ((100, 90), (100, 180)),
    ((100, 120), (35, 120)),
    ((100, 120), (165, 120)),
    ((100, 180), (65, 265)),
    ((100, 180), (135, 265)),
)
"""Its trunk, arms and legs, ends (x, y) in pixels."""


def paper(width: int = 200, height: int = 300, level: int = 235) -> Image:
    """Paper, (H, W, 3), with a slight fall of light and a little grain."""
    grain = np.random.default_rng(3).normal(0.0, 1.0, (height, width))
    light = np.linspace(0.0, -20.0, width)[None, :]
    page = np.clip(level + light + grain, 0, 255).astype(np.uint8)
    return np.repeat(page[:, :, None], 3, axis=2)


def draw_stick_figure(
    page: Image, ink: tuple[int, int, int] = (30, 30, 60), width: int = 4
) -> Image:
    """A stick figure with an empty round head, on a copy of a page of at least 200 x 300."""
    page = page.copy()
    cv2.ellipse(page, HEAD[0], HEAD[1], 0, 0, 360, ink, width, cv2.LINE_AA)
    for start, end in STROKES:
        cv2.line(page, start, end, ink, width, cv2.LINE_AA)
    return page


def stick_figure() -> Image:
    """A stick figure on paper, (300, 200, 3)."""
    return draw_stick_figure(paper())


def stick_belief(value: float = 0.9) -> NDArray[np.float32]:
    """What good models would believe of it: fat strokes and a full head, (300, 200)."""
    belief = np.full((300, 200), 0.05, np.float32)
    cv2.ellipse(belief, HEAD[0], HEAD[1], 0, 0, 360, value, -1)
    for start, end in STROKES:
        cv2.line(belief, start, end, value, 14)
    return cv2.GaussianBlur(belief, (0, 0), 2.0).astype(np.float32)
