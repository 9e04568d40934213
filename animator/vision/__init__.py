"""The vision room: a drawing becomes figures; a figure its outline and skeleton."""

from animator.vision.completing import complete_figure
from animator.vision.confirm import confirm
from animator.vision.detect import FoundFigure, detect, look_closely
from animator.vision.figures import Outline, annotate_figures, outline_figure, sketch_figures
from animator.vision.inpaint import remove_figures
from animator.vision.keypoints import FigureView, look_at
from animator.vision.orientation import find_rotation, rotate_figures
from animator.vision.predictor import Predictor
from animator.vision.segment import segment
from animator.vision.skeleton import build_skeleton
from animator.vision.white_balance import whiten_paper

__all__ = (
    "FigureView",
    "FoundFigure",
    "Outline",
    "Predictor",
    "annotate_figures",
    "build_skeleton",
    "complete_figure",
    "confirm",
    "detect",
    "find_rotation",
    "look_at",
    "look_closely",
    "outline_figure",
    "remove_figures",
    "rotate_figures",
    "segment",
    "sketch_figures",
    "whiten_paper",
)
