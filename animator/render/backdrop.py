"""What lies behind the figures, made ready for a scene's frames."""

from io import BytesIO

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from animator.core.scene import Background, Fit, Scene
from animator.core.stage import Stage

__all__ = ("backdrop_of", "lay_backdrop")

Picture = NDArray[np.uint8]

QUALITY = 88
"""Of a backdrop's colours as WebP, 0..100; higher is better and larger."""


def backdrop_of(stage: Stage) -> bytes:
    """A frame of a stage without its figures, as a WebP picture: what a track is played over."""
    data = BytesIO()
    empty = lay_backdrop(stage.scene, stage.picture)
    Image.fromarray(empty).save(data, "WEBP", quality=QUALITY)
    return data.getvalue()


def lay_backdrop(scene: Scene, picture: Picture | None) -> Picture:
    """An empty frame of a scene: (H, W, 4) uint8 RGBA, opaque, or clear all over.

    picture: (h, w, 3) uint8 RGB, for a background of the kind "picture" or "paper".
    """
    size = scene.size
    canvas = np.zeros((size.height, size.width, 4), np.uint8)
    if scene.background.kind == "transparent":
        return canvas
    canvas[...] = (*scene.background.colour, 255)
    if picture is None or scene.background.kind == "colour":
        return canvas
    if scene.background.kind == "paper":
        canvas[..., :3] = _lay_paper(scene, picture)
    else:
        _hang(canvas, scene.background, picture)
    return canvas


def _lay_paper(scene: Scene, paper: Picture) -> Picture:
    """The paper where the drawing lies in the frame; beyond its edge it goes on mirrored."""
    scale = scene.camera.scale / scene.drawing_unit
    height, width = paper.shape[:2]
    if scale < 1.0:
        small = (max(round(width * scale), 1), max(round(height * scale), 1))
        paper = np.asarray(cv2.resize(paper, small, interpolation=cv2.INTER_AREA), np.uint8)
    steps = width * scale / paper.shape[1], height * scale / paper.shape[0]
    # a pixel's centre lies half a pixel from its corner, before and after
    shifts = scene.camera.origin_x, scene.camera.origin_y
    across = (steps[0], 0.0, shifts[0] + steps[0] / 2 - 0.5)
    down = (0.0, steps[1], shifts[1] + steps[1] / 2 - 0.5)
    move = np.array((across, down))
    size = (scene.size.width, scene.size.height)
    return np.asarray(cv2.warpAffine(paper, move, size, borderMode=cv2.BORDER_REFLECT), np.uint8)


def _hang(canvas: Picture, background: Background, picture: Picture) -> None:
    """A picture over the middle of a canvas (H, W, 4)."""
    height, width = canvas.shape[:2]
    size = _fitted((picture.shape[1], picture.shape[0]), (width, height), background.fit)
    way = cv2.INTER_AREA if size[0] < picture.shape[1] else cv2.INTER_CUBIC
    scaled = np.asarray(cv2.resize(picture, size, interpolation=way), np.uint8)
    part = scaled[_middle(size[1], height), _middle(size[0], width)]
    canvas[_middle(height, size[1]), _middle(width, size[0]), :3] = part


def _fitted(picture: tuple[int, int], frame: tuple[int, int], fit: Fit) -> tuple[int, int]:
    """The (width, height) that a picture is scaled to."""
    if fit == "stretch":
        return frame
    ratios = frame[0] / picture[0], frame[1] / picture[1]
    scale = max(ratios) if fit == "cover" else min(ratios)
    return max(round(picture[0] * scale), 1), max(round(picture[1] * scale), 1)


def _middle(whole: int, part: int) -> slice:
    """Where a part lies in the middle of the whole; all of the whole when the part is larger."""
    start = max((whole - part) // 2, 0)
    return slice(start, start + min(whole, part))
