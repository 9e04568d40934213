"""Found figures, looked at closely: what is none after all is dropped."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from animator.core.drawing import Drawing, crop_figure
from animator.core.geometry import pad_box
from animator.vision.detect import FoundFigure
from animator.vision.keypoints import POSE_SPACE, look_at
from animator.vision.predictor import Predictor

__all__ = ("confirm",)

_LEAST_BELIEF = 0.3
"""Below this, what the detector's score and the pose model's say together is no figure.

Chosen on synthetic drawings.
"""


def confirm(
    drawing: Drawing, found: Sequence[FoundFigure], predictor: Predictor
) -> tuple[FoundFigure, ...]:
    """The figures that the pose model does not take for something else, with what it saw of each.

    The detector sees the whole page in few pixels; the pose model sees one figure in as many.

    found: best first; a model that does not say whether a crop holds a figure drops none.

    Raises:
        ModelUnavailable: when the pose model does not answer.
    """
    return tuple(_confirmed(drawing, found, predictor))


def _confirmed(
    drawing: Drawing, found: Sequence[FoundFigure], predictor: Predictor
) -> Iterator[FoundFigure]:
    for figure in found:
        crop = crop_figure(drawing, pad_box(figure.detection.box, POSE_SPACE))
        view = look_at(crop, predictor)
        if view.figure is None or view.figure * figure.detection.score >= _LEAST_BELIEF:
            yield replace(figure, view=view)
