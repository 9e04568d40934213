"""Synthetic drawings of human-like figures with exact boxes, silhouettes and keypoints.

`synthesize(seed, size, settings) -> Sample` draws one picture; the same arguments give the same
picture. `SynthesisSettings` has a switch and a range for every factor.
"""

from models.training.synthesis.labels import COCO_KEYPOINTS, LabelledFigure, Sample
from models.training.synthesis.scene import synthesize
from models.training.synthesis.settings import (
    DEFAULT_SETTINGS,
    FigureKind,
    FigureLook,
    PaperKind,
    SynthesisSettings,
)

__all__ = (
    "COCO_KEYPOINTS",
    "DEFAULT_SETTINGS",
    "FigureKind",
    "FigureLook",
    "LabelledFigure",
    "PaperKind",
    "Sample",
    "SynthesisSettings",
    "synthesize",
)
