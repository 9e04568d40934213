"""MovedFigure: one figure and all that its clip makes of it; Rehearsal: what else it can do."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from animator.core.drawing import Figure
from animator.core.mask import Mask
from animator.core.pose import PoseSequence, VertexTrack
from animator.core.rig import Rig

__all__ = ("MovedFigure", "Rehearsal")


@dataclass(frozen=True, slots=True, eq=False)
class Rehearsal:
    """A motion that a figure can do.

    Attributes:
        name: of the motion.
        loops: whether its last frame leads into its first.
        poses: of the rig's skeleton.
    """

    name: str
    loops: bool
    poses: PoseSequence


@dataclass(frozen=True, slots=True, eq=False)
class MovedFigure:
    """A figure as it was drawn, and where it goes.

    Attributes:
        figure: cut out of its drawing.
        mask: figure space, the size of the figure's image.
        rig: what moves.
        joints: (F, J, 2) float64, world space, of each joint of the rig, in skeleton order.
        track: the moved mesh, of as many frames.
        id: of the figure in its annotation.
        start: when its clip begins, seconds after the scene does, >= 0.
        repertoire: what else it can do, where previews of that are asked for.

    Raises:
        ValueError: when the joints have another shape.
    """

    figure: Figure
    mask: Mask
    rig: Rig
    joints: NDArray[np.float64]
    track: VertexTrack
    id: str = ""
    start: float = 0.0
    repertoire: tuple[Rehearsal, ...] = ()

    def __post_init__(self) -> None:
        expected = (len(self.track.vertices), len(self.rig.skeleton.joints), 2)
        if self.joints.shape != expected:
            msg = f"expected joints {expected}, got {self.joints.shape}"
            raise ValueError(msg)
