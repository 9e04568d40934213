"""Drawing and Figure: the picture as it came in, and one character cut out of it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from animator.core.geometry import Box

__all__ = ("Drawing", "Figure", "crop_figure")


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """An upright picture in drawing space.

    Attributes:
        id: stable name of the drawing (hash of its bytes, or a file name).
        image: (H, W, 3) uint8 RGB, drawing space.

    Raises:
        ValueError: when the image has another shape or type.
    """

    id: str
    image: NDArray[np.uint8]

    def __post_init__(self) -> None:
        _check_rgb(self.image)

    @property
    def width(self) -> int:
        """Width in pixels, > 0."""
        return int(self.image.shape[1])

    @property
    def height(self) -> int:
        """Height in pixels, > 0."""
        return int(self.image.shape[0])


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """One character, cropped; figure space has its origin at the box's top-left corner.

    Attributes:
        box: drawing space, whole pixels.
        image: (h, w, 3) uint8 RGB, figure space.
    """

    box: Box
    image: NDArray[np.uint8]

    def __post_init__(self) -> None:
        _check_rgb(self.image)
        expected = (round(self.box.height), round(self.box.width))
        if self.image.shape[:2] != expected:
            msg = f"a figure's image must be {expected} as its box is, got {self.image.shape[:2]}"
            raise ValueError(msg)


def crop_figure(drawing: Drawing, box: Box) -> Figure:
    """Cut a figure out of its drawing; the box (drawing space) is rounded outwards and clipped.

    Raises:
        ValueError: when the box lies outside the drawing.
    """
    x1, y1 = max(int(np.floor(box.x1)), 0), max(int(np.floor(box.y1)), 0)
    x2 = min(int(np.ceil(box.x2)), drawing.width)
    y2 = min(int(np.ceil(box.y2)), drawing.height)
    image = drawing.image[y1:y2, x1:x2]
    return Figure(box=Box(float(x1), float(y1), float(x2), float(y2)), image=image)


def _check_rgb(image: NDArray[np.uint8]) -> None:
    if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8 or image.size == 0:
        msg = f"expected an image (H, W, 3) uint8, got {image.shape} {image.dtype}"
        raise ValueError(msg)
