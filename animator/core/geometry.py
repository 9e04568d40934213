"""Boxes: half-open rectangles in pixels, and what one asks of them."""

import msgspec

from animator.core.errors import InvalidBox

__all__ = ("Box", "clip_box", "intersection_over_union", "join_boxes", "pad_box")


class Box(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """An axis-aligned rectangle, half-open, in pixels of the space it is used in.

    Attributes:
        x1: left edge, < x2.
        y1: top edge, < y2.
        x2: right edge.
        y2: bottom edge.

    Raises:
        InvalidBox: when a side is not longer than zero.
    """

    x1: float
    y1: float
    x2: float
    y2: float

    def __post_init__(self) -> None:
        if not (self.x1 < self.x2 and self.y1 < self.y2):
            msg = f"a box needs x1 < x2 and y1 < y2, got {self.x1, self.y1, self.x2, self.y2}"
            raise InvalidBox(msg)

    @property
    def width(self) -> float:
        """Width in pixels, > 0."""
        return self.x2 - self.x1

    @property
    def height(self) -> float:
        """Height in pixels, > 0."""
        return self.y2 - self.y1

    @property
    def area(self) -> float:
        """Area in square pixels, > 0."""
        return self.width * self.height


def clip_box(box: Box, width: float, height: float) -> Box | None:
    """Cut a box to the picture 0..width x 0..height; None when nothing is left."""
    x1, y1 = max(box.x1, 0.0), max(box.y1, 0.0)
    x2, y2 = min(box.x2, width), min(box.y2, height)
    return Box(x1, y1, x2, y2) if x1 < x2 and y1 < y2 else None


def join_boxes(a: Box, b: Box) -> Box:
    """The smallest box around both."""
    return Box(min(a.x1, b.x1), min(a.y1, b.y1), max(a.x2, b.x2), max(a.y2, b.y2))


def pad_box(box: Box, fraction: float) -> Box:
    """Grow a box on each side by a fraction (>= 0) of its longer side."""
    margin = fraction * max(box.width, box.height)
    return Box(box.x1 - margin, box.y1 - margin, box.x2 + margin, box.y2 + margin)


def intersection_over_union(a: Box, b: Box) -> float:
    """Shared area over joint area, in [0, 1]."""
    width = min(a.x2, b.x2) - max(a.x1, b.x1)
    height = min(a.y2, b.y2) - max(a.y1, b.y1)
    if width <= 0 or height <= 0:
        return 0.0
    shared = width * height
    return shared / (a.area + b.area - shared)
