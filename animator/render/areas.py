"""What changes from one frame to the next."""

import numpy as np
from numpy.typing import NDArray

__all__ = ("Area", "area_of", "changed_area")

Area = tuple[slice, slice]
"""Rows and columns of a rectangle."""


def changed_area(before: NDArray[np.uint8], after: NDArray[np.uint8]) -> Area | None:
    """The rectangle around all that differs between two frames (H, W, 4); None: nothing does.

    It starts at an even row and column, and ends at such or at the frame's edge.
    """
    # four bytes of a pixel are compared as one number
    numbers = (np.ascontiguousarray(frame).view(np.uint32)[..., 0] for frame in (before, after))
    return area_of(np.not_equal(*numbers))


def area_of(chosen: NDArray[np.bool_]) -> Area | None:
    """The rectangle around all chosen pixels (H, W), widened to even numbers; None: there are none.

    It starts at an even row and column, and ends at such or at the frame's edge.
    """
    rows = np.flatnonzero(chosen.any(axis=1))
    if not len(rows):
        return None
    down = _even(int(rows[0]), int(rows[-1]) + 1, len(chosen))
    columns = np.flatnonzero(chosen[down].any(axis=0))
    return down, _even(int(columns[0]), int(columns[-1]) + 1, chosen.shape[1])


def _even(start: int, end: int, most: int) -> slice:
    return slice(start // 2 * 2, min(end + end % 2, most))
