"""Factors: every switch of the settings by its name, with the pictures that show it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import msgspec

from models.training.synthesis.pens import PenKind
from models.training.synthesis.settings import (
    DEFAULT_SETTINGS,
    FigureKind,
    FigureLook,
    PaperKind,
    SynthesisSettings,
)

__all__ = ("Factor", "all_factors")

_CALM_LOOK = FigureLook(
    headgear=0, worn=0, held=0, missing=0, detached=0, special=0, profile=0, dressing=0
)
_CALM = SynthesisSettings(
    look=_CALM_LOOK,
    figures={FigureKind.STICK: 1.0, FigureKind.OUTLINED: 1.0},
    papers={PaperKind.PLAIN: 1.0},
    pens={PenKind.FELT: 1.0},
    empty=0,
    several=0,
    tiny=0,
    cropped=0,
    lying=0,
    turned=0,
    perspective=0,
    surroundings=0,
    clutter=0,
    show_through=0,
    shadow=0,
    height=(0.75, 0.85, 0.9),
)
_NEEDS: Mapping[str, Mapping[str, Any]] = {
    "filling": {"empty": 1.0},
    "things": {"empty": 1.0, "filling": 1.0},
    "crowd": {"several": 1.0},
    "cut": {"cropped": 1.0},
    "cropped": {"cut": 0.0},
    "several": {"crowd": 0.0},
    "beside": {"clutter": 1.0, "height": (0.45, 0.5, 0.6)},
    "clutter": {"height": (0.45, 0.5, 0.6)},
    "pens": {"papers": {PaperKind.PLAIN: 1.0}},
    "poses": {"look": {"special": 1.0}},
    "worn_kinds": {"look": {"worn": 1.0}},
    "hands": {"figures": {FigureKind.OUTLINED: 1.0}},
    "feet": {"figures": {FigureKind.OUTLINED: 1.0}},
    "heads": {"figures": {FigureKind.STICK: 1.0}},
    "dressing": {"figures": {FigureKind.OUTLINED: 1.0, FigureKind.FILLED: 1.0}},
}
"""What else must be on, or off, for a factor to show."""

_LARGEST: Mapping[str, Any] = {
    "height": (0.98, 0.98, 0.98),
    "stretch": 0.6,
    "tilt": 25.0,
    "light": (80.0, 80.0),
    "wobble": (0.012, 0.012, 0.012),
    "gap": 0.1,
    "blur": 2.0,
    "noise": 16.0,
}
"""Factors that have a range in place of a share: a value at its end or beyond."""


@dataclass(frozen=True, slots=True)
class Factor:
    """One factor.

    Attributes:
        name: `field`, `field-kind` or `look.field-kind`.
        text: what the field means, as its class says.
        weight: how often or how far, in the default mix, in words.
        shown: settings under which it is on and little else is.
    """

    name: str
    text: str
    weight: str
    shown: SynthesisSettings


def all_factors() -> Iterator[Factor]:
    """Every field of the settings and of the look; one factor for each kind that has a weight."""
    for prefix, struct in (("", DEFAULT_SETTINGS), ("look.", DEFAULT_SETTINGS.look)):
        texts = _attributes(type(struct))
        for field in msgspec.structs.fields(struct):
            value = getattr(struct, field.name)
            if isinstance(value, FigureLook):
                continue
            for kind in value if isinstance(value, dict) else (None,):
                yield Factor(
                    name=f"{prefix}{field.name}" + (f"-{kind}" if kind else ""),
                    text=texts[field.name],
                    weight=_in_words(value, kind),
                    shown=_shown(prefix, field.name, kind),
                )


def _shown(prefix: str, field: str, kind: StrEnum | None) -> SynthesisSettings:
    changes = dict(_NEEDS.get(field, {}))
    look = dict(changes.pop("look", {}))
    value = {kind: 1.0} if kind else _LARGEST.get(field, 1.0)
    (look if prefix else changes)[field] = value
    if field == "papers" and kind is PaperKind.WHITE:
        changes["pens"] = {PenKind.DIGITAL: 1.0}
    if field == "pens" and kind is PenKind.DIGITAL:
        changes["papers"] = {PaperKind.WHITE: 1.0}
    changes["look"] = msgspec.structs.replace(_CALM_LOOK, **look)
    return msgspec.structs.replace(_CALM, **changes)


def _in_words(value: object, kind: StrEnum | None) -> str:
    if isinstance(value, dict) and kind is not None:
        return f"{value[kind] / sum(value.values()):.0%} of them"
    if isinstance(value, tuple):
        return " to ".join(f"{number:g}" for number in (value[0], value[-1]))
    return f"{value:g}"


def _attributes(struct: type) -> dict[str, str]:
    """The sentence that a class's docstring has for each attribute."""
    found = re.findall(r"^ {8}(\w+): (.+?)$", struct.__doc__ or "", re.MULTILINE)
    return {name: text.rstrip(".") for name, text in found}
