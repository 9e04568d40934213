"""Settings: every factor of a synthetic picture with its switch (a share, 0 is off) and range."""

from enum import StrEnum

import msgspec

from models.training.synthesis.dice import Spread
from models.training.synthesis.pens import PenKind

__all__ = ("DEFAULT_SETTINGS", "FigureKind", "PaperKind", "SynthesisSettings")

Range = tuple[float, float]


class FigureKind(StrEnum):
    """Body plans."""

    STICK = "stick"
    OUTLINED = "outlined"
    FILLED = "filled"
    TADPOLE = "tadpole"


class PaperKind(StrEnum):
    """Grounds to draw on."""

    PLAIN = "plain"
    LINED = "lined"
    SQUARED = "squared"
    WHITE = "white"

_FIGURES = {
    FigureKind.STICK: 5.0,
    FigureKind.OUTLINED: 2.5,
    FigureKind.FILLED: 2.0,
    FigureKind.TADPOLE: 1.0,
}

_PENS = {
    PenKind.FELT: 4.0,
    PenKind.BALL: 1.0,
    PenKind.PENCIL: 1.6,
    PenKind.CRAYON: 1.0,
    PenKind.BRUSH: 0.5,
    PenKind.DIGITAL: 2.2,
}


_PAPERS = {
    PaperKind.PLAIN: 6.0,
    PaperKind.LINED: 1.2,
    PaperKind.SQUARED: 0.8,
    PaperKind.WHITE: 2.5,
}


class SynthesisSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What may appear in a picture, how often, and how far it varies.

    Attributes:
        figures: weight (>= 0) of each body plan; what is left out never appears.
        pens: weight of each tool.
        papers: weight of each ground; WHITE is a digital ground without texture or camera.
        empty: share of pictures without any figure.
        several: share of the other pictures with 2 to 5 figures.
        height: of a lone figure, share of the picture's height.
        tiny: share of figures that are far smaller than that.
        cropped: share of figures that the picture's edge cuts.
        stretch: largest change of the aspect (0.3: +-30 %).
        tilt: largest free turn of a figure, degrees.
        turned: share of pages turned by 90, 180 or 270 degrees.
        perspective: share of photos taken at a slant.
        light: range of the fall-off of light over a photo, levels.
        shadow: share of photos with a shadow.
        clutter: share of pictures with things beside the figures.
        blur: largest blur, pixels of a 320 pixel picture.
        noise: largest sensor noise, levels.
        jpeg: share of pictures that went through JPEG.
    """

    figures: dict[FigureKind, float] = msgspec.field(default_factory=_FIGURES.copy)
    pens: dict[PenKind, float] = msgspec.field(default_factory=_PENS.copy)
    papers: dict[PaperKind, float] = msgspec.field(default_factory=_PAPERS.copy)
    empty: float = 0.12
    several: float = 0.15
    height: Spread = (0.3, 0.8, 0.95)
    tiny: float = 0.07
    cropped: float = 0.1
    stretch: float = 0.3
    tilt: float = 10.0
    turned: float = 0.05
    perspective: float = 0.4
    light: Range = (10.0, 110.0)
    shadow: float = 0.3
    clutter: float = 0.3
    blur: float = 1.0
    noise: float = 5.0
    jpeg: float = 0.6


DEFAULT_SETTINGS = SynthesisSettings()
"""The mix that the models are trained on."""
