"""Crops with and without a figure: what the pose network is shown to tell one from the other."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import msgspec
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from animator.core.geometry import Box, clip_box, pad_box
from models.letterbox import letterbox_for
from models.training.augment import jitter_colours
from models.training.pictograms import Pictograms
from models.training.stencils import pictogram, print_stencil, sketched
from models.training.synthesis import (
    DEFAULT_SETTINGS,
    FigureKind,
    FigureLook,
    Sample,
    SynthesisSettings,
    synthesize,
)

__all__ = ("FigureCrop", "crop_kinds", "draw_crops")

_SPACE = 0.1  # of the longer side, as the product leaves around a figure, but
_TIGHT = 0.4  # in this share of crops hardly any, as of cut-outs that fill their picture
_VIEWS = 2  # crops of each figure or thing
_MOST = 3  # figures or things of one page
_OFF = 0.03  # deviation of a box's sides, share of its longer one
_LEAST_JOINTS, _LEAST_SHARE = 5, 0.12

_FIGURES = msgspec.structs.replace(DEFAULT_SETTINGS, empty=0.0)
_THINGS = msgspec.structs.replace(DEFAULT_SETTINGS, empty=1.0)
_ODD = msgspec.structs.replace(
    _FIGURES,
    figures={kind: 2.0 for kind in FigureKind}
    | {kind: 1.0 for kind in (FigureKind.STICK, FigureKind.OUTLINED, FigureKind.FILLED)},
    look=FigureLook(
        hair=0.4,
        headgear=0.25,
        worn=0.2,
        held=0.15,
        missing=0.1,
        detached=0.12,
        special=0.3,
        profile=0.1,
    ),
)
"""Bodies of all kinds alike: what is rare must not be taken for a thing."""


@dataclass(frozen=True, slots=True, eq=False)
class FigureCrop:
    """One crop.

    Attributes:
        image: (S, S, 3) uint8 RGB, letterboxed.
        is_figure: whether it shows one.
        name: what was drawn.
    """

    image: NDArray[np.uint8]
    is_figure: bool
    name: str


@dataclass(frozen=True, slots=True)
class _Kind:
    """Pages of one kind: a function of seed, size and dice, and whether they show figures."""

    draw: Callable[[int, int, Generator], Sample | None]
    is_figure: bool


def crop_kinds(font: Pictograms) -> Mapping[str, _Kind]:
    """The kinds of pages that crops are cut from, by name."""
    return {
        "figures": _Kind(partial(_synthetic, settings=_FIGURES), True),
        "odd figures": _Kind(partial(_synthetic, settings=_ODD), True),
        "sketched figures": _Kind(partial(_sketched, settings=_ODD, being=True), True),
        "pictograms of beings": _Kind(partial(_pictogram, font=font, being=True), True),
        "things": _Kind(partial(_synthetic, settings=_THINGS), False),
        "sketched things": _Kind(partial(_sketched, settings=_THINGS, being=False), False),
        "pictograms of things": _Kind(partial(_pictogram, font=font, being=False), False),
    }


def draw_crops(
    kind: _Kind, first_seed: int, pages: int, side: int, turned: float
) -> Iterator[FigureCrop]:
    """Crops of `side` pixels, cut out as an imperfect detector would, and recoloured.

    turned: share of them that is turned by one to three quarters.
    """
    for seed in range(first_seed, first_seed + pages):
        dice = np.random.default_rng((seed, 7))
        sample = kind.draw(seed, int(dice.choice((256, 320))), dice)
        if sample is None:
            continue
        image = jitter_colours(sample.image, dice)
        for box in _boxes(sample)[:_MOST]:
            for _ in range(_VIEWS):
                crop = _cut(image, box, turned, dice)
                if crop is not None:
                    square = letterbox_for(crop.shape[1], crop.shape[0], side).apply(crop)
                    yield FigureCrop(square, kind.is_figure, sample.tags[0])


def _synthetic(seed: int, size: int, _: Generator, *, settings: SynthesisSettings) -> Sample:
    return synthesize(seed, size, settings)


def _sketched(
    seed: int, size: int, dice: Generator, *, settings: SynthesisSettings, being: bool
) -> Sample | None:
    stencil = sketched(seed, dice, settings, being=being)
    return None if stencil is None else print_stencil(seed, size, stencil)


def _pictogram(
    seed: int, size: int, dice: Generator, *, font: Pictograms, being: bool
) -> Sample | None:
    stencil = pictogram(font, dice, being=being)
    return None if stencil is None else print_stencil(seed, size, stencil)


def _boxes(sample: Sample) -> Sequence[NDArray[np.float32]]:
    """What is large enough on a page: its figures, or its things."""
    least = _LEAST_SHARE * max(sample.image.shape)
    shown = [f.box for f in sample.figures if (f.keypoints[:, 2] > 0).sum() >= _LEAST_JOINTS]
    boxes = shown if sample.figures else sample.things
    return [box for box in boxes if max(box[2] - box[0], box[3] - box[1]) > least]


def _cut(
    image: NDArray[np.uint8], box: NDArray[np.float32], turned: float, dice: Generator
) -> NDArray[np.uint8] | None:
    longer = max(box[2] - box[0], box[3] - box[1])
    x1, y1, x2, y2 = (float(value) for value in box + dice.normal(0, _OFF, 4) * longer)
    if x2 - x1 < 4 or y2 - y1 < 4:
        return None
    space = float(dice.uniform(0, 0.03)) if dice.random() < _TIGHT else _SPACE
    whole = clip_box(pad_box(Box(x1, y1, x2, y2), space), image.shape[1], image.shape[0])
    if whole is None:
        return None
    crop = image[int(whole.y1) : int(np.ceil(whole.y2)), int(whole.x1) : int(np.ceil(whole.x2))]
    if dice.random() < 0.5:
        crop = crop[:, ::-1]
    if dice.random() < turned:
        crop = np.rot90(crop, int(dice.integers(1, 4)))
    return np.ascontiguousarray(crop)
