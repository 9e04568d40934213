"""Stage: a scene with its figures and its picture at hand; all that is needed to draw it."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from animator.core.moved_figure import MovedFigure
from animator.core.scene import Scene

__all__ = ("Stage",)


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """What is drawn and written.

    Attributes:
        scene: the plan.
        moved: figures, one a placement of the scene, back to front.
        picture: (h, w, 3) uint8 RGB, behind the figures: a picture, or the drawing's paper without
            them; None when the background asks for neither.

    Raises:
        ValueError: when figures and placements are not equally many, or a picture is missing.
    """

    scene: Scene
    moved: tuple[MovedFigure, ...]
    picture: NDArray[np.uint8] | None = None

    def __post_init__(self) -> None:
        if len(self.moved) != len(self.scene.placements):
            msg = f"{len(self.moved)} figures for {len(self.scene.placements)} placements"
            raise ValueError(msg)
        if self.scene.background.kind in {"picture", "paper"} and self.picture is None:
            msg = f"a background of the kind {self.scene.background.kind!r} needs its picture"
            raise ValueError(msg)

    def frames_of(self, figure: int) -> NDArray[np.int64]:
        """Which frame of a figure's own track each frame of the scene shows: (F,)."""
        place, track = self.scene.placements[figure], self.moved[figure].track
        now = np.arange(self.scene.frame_count) / self.scene.fps
        passed = np.floor(np.maximum(now - place.start, 0.0) * track.fps + 1e-6).astype(np.int64)
        count = len(track.vertices)
        return passed % count if place.repeats else np.minimum(passed, count - 1)

    def played(self) -> tuple[MovedFigure, ...]:
        """The figures with one frame for each of the scene's."""
        return tuple(
            _taken(one, self.frames_of(i), self.scene.fps) for i, one in enumerate(self.moved)
        )


def _taken(one: MovedFigure, frames: NDArray[np.int64], fps: float) -> MovedFigure:
    """A figure with these of its frames (F,)."""
    if np.array_equal(frames, np.arange(len(one.track.vertices))):
        return one
    track = replace(
        one.track, fps=fps, vertices=one.track.vertices[frames], order=one.track.order[frames]
    )
    return replace(one, joints=one.joints[frames], track=track)
