"""MovedFigure: one figure and all that its clip makes of it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from animator.core.drawing import Figure
from animator.core.mask import Mask
from animator.core.pose import VertexTrack
from animator.core.rig import Rig

__all__ = ("MovedFigure",)


@dataclass(frozen=True, slots=True, eq=False)
class MovedFigure:
    """A figure as it was drawn, and where it goes.

    Attributes:
        figure: cut out of its drawing.
        mask: figure space, the size of the figure's image.
        rig: what moves.
        joints: (F, J, 2) float64, world space, of each joint of the rig, in skeleton order.
        track: the moved mesh, of as many frames.

    Raises:
        ValueError: when the joints have another shape.
    """

    figure: Figure
    mask: Mask
    rig: Rig
    joints: NDArray[np.float64]
    track: VertexTrack

    def __post_init__(self) -> None:
        expected = (len(self.track.vertices), len(self.rig.skeleton.joints), 2)
        if self.joints.shape != expected:
            msg = f"expected joints {expected}, got {self.joints.shape}"
            raise ValueError(msg)
