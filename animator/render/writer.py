"""What every file format offers: frames go in one by one, then the file is closed."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ("FrameWriter",)


class FrameWriter(Protocol):
    """A file being written; the first frame creates it."""

    def write(self, frame: NDArray[np.uint8]) -> None:
        """Add a frame: (H, W, 4) uint8 RGBA, straight alpha; all are of one size."""

    def close(self) -> None:
        """Write what is left; the file is whole then."""

    def abort(self) -> None:
        """Let go of the file, whole or not; may be called at any time."""
