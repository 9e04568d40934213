"""Groups of factors of the synthesis, to train without one and to test on it alone."""

from dataclasses import dataclass
from typing import Any

import msgspec

from models.training.synthesis import (
    DEFAULT_SETTINGS,
    FigureKind,
    FigureLook,
    PaperKind,
    SynthesisSettings,
)
from models.training.synthesis.pens import PenKind

__all__ = ("GROUPS", "FactorGroup")

_BODIES = (
    FigureKind.OUTLINED,
    FigureKind.FILLED,
    FigureKind.DRESS,
    FigureKind.SILHOUETTE,
)
_BEINGS = (
    FigureKind.BLOB,
    FigureKind.ANIMAL,
    FigureKind.QUADRUPED,
    FigureKind.ROBOT,
    FigureKind.LEGLESS,
)
_GRAINY = (PenKind.CRAYON, PenKind.PENCIL, PenKind.BRUSH)


@dataclass(frozen=True, slots=True)
class FactorGroup:
    """Factors that are taken away together.

    Attributes:
        text: what they are.
        without: the default mix without them.
        alone: the default mix in which every picture has them.
    """

    text: str
    without: SynthesisSettings
    alone: SynthesisSettings


def _mix(**changes: Any) -> SynthesisSettings:
    return msgspec.structs.replace(DEFAULT_SETTINGS, **changes)


def _figures(*kinds: FigureKind) -> dict[FigureKind, float]:
    return {kind: DEFAULT_SETTINGS.figures[kind] for kind in kinds}


def _others(*kinds: FigureKind) -> dict[FigureKind, float]:
    return {k: weight for k, weight in DEFAULT_SETTINGS.figures.items() if k not in kinds}


def _pens(*kinds: PenKind) -> dict[PenKind, float]:
    return {kind: DEFAULT_SETTINGS.pens[kind] for kind in kinds}


GROUPS = {
    "bodies": FactorGroup(
        "figures with a body of some width: outlined, filled, in dresses, in one outline",
        _mix(figures=_others(*_BODIES)),
        _mix(figures=_figures(*_BODIES), empty=0.0),
    ),
    "empty pages": FactorGroup(
        "pages without a figure, and things beside figures",
        _mix(empty=0.0, clutter=0.0),
        _mix(empty=1.0),
    ),
    "photos": FactorGroup(
        "paper, light, shadow, slant, desk and lens: all pictures are digital",
        _mix(papers={PaperKind.WHITE: 1.0}),
        _mix(papers={k: w for k, w in DEFAULT_SETTINGS.papers.items() if k != PaperKind.WHITE}),
    ),
    "arrangement": FactorGroup(
        "several figures, tiny, cut, lying, stretched, tilted and turned ones",
        _mix(several=0.0, tiny=0.0, cropped=0.0, lying=0.0, stretch=0.0, tilt=0.0, turned=0.0),
        _mix(several=0.6, tiny=0.3, cropped=0.5, lying=0.1, empty=0.0),
    ),
    "beings": FactorGroup(
        "what is no person: vegetables, animals, robots, snowmen, mermaids",
        _mix(figures=_others(*_BEINGS)),
        _mix(figures=_figures(*_BEINGS), empty=0.0),
    ),
    "look": FactorGroup(
        "hair, hats, wings, things held, limbs missing or loose, poses but standing",
        _mix(
            look=FigureLook(
                hair=0,
                headgear=0,
                worn=0,
                held=0,
                missing=0,
                detached=0,
                special=0,
                profile=0,
                dressing=0,
            )
        ),
        _mix(look=FigureLook(hair=0.6, headgear=0.3, worn=0.3, special=0.5, profile=0.2), empty=0),
    ),
    "tools": FactorGroup(
        "crayons, pencils and brushes; felt pens, ball pens and editors stay",
        _mix(pens={k: w for k, w in DEFAULT_SETTINGS.pens.items() if k not in _GRAINY}),
        _mix(pens=_pens(*_GRAINY), empty=0.0),
    ),
    "hand": FactorGroup(
        "the tremor of the hand, gaps and overshoots",
        _mix(wobble=(0.0, 0.0, 0.0), gap=0.0),
        _mix(wobble=(0.006, 0.01, 0.014), gap=0.08, empty=0.0),
    ),
}
"""By name, the most telling first."""
