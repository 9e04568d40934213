"""Outlines of real drawings against masks that people made: what is right, missing and too much."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.training.overlay import draw_masks
from models.training.silhouettes import MaskScore, read_mask, score_mask

__all__ = (
    "OutlineOutcome",
    "TrueOutline",
    "judge_outline",
    "outline_scores",
    "outlines_of_characters",
    "outlines_of_drawings",
)

Bits = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class TrueOutline:
    """One figure's silhouette, as a person drew it.

    Attributes:
        name: for people.
        file: of the picture.
        data: (H, W) bool, pixels of the picture.
    """

    name: str
    file: Path
    data: Bits


@dataclass(frozen=True, slots=True, eq=False)
class OutlineOutcome:
    """What came of one outline.

    Attributes:
        truth: the picture and the silhouette.
        found: (H, W) bool, pixels of the picture; all false when no figure was found.
        score: how well they agree.
    """

    truth: TrueOutline
    found: Bits
    score: MaskScore

    def draw(self) -> NDArray[np.uint8]:
        """The picture, longer side 640 pixels, with what is right, missing and too much, RGB."""
        image = cv2.imread(str(self.truth.file), cv2.IMREAD_COLOR_RGB)
        if image is None:
            raise FileNotFoundError(self.truth.file)
        return draw_masks(np.asarray(image, np.uint8), self.found, self.truth.data)


def outlines_of_drawings(masks: Path, drawings: Path) -> Iterator[TrueOutline]:
    """The masks of a folder, as `silhouettes.read_mask` reads them, whose pictures are there."""
    for file in sorted(masks.glob("*.json")):
        mask = read_mask(file)
        picture = drawings / mask.drawing
        if picture.is_file():
            yield TrueOutline(file.stem, picture, mask.data)


def outlines_of_characters(folder: Path) -> Iterator[TrueOutline]:
    """The characters of a folder, as AnimatedDrawings keeps them: `texture.png` by `mask.png`."""
    for file in sorted(folder.glob("*/mask.png")):
        mask = cv2.imread(str(file), cv2.IMREAD_GRAYSCALE)
        picture = file.with_name("texture.png")
        if mask is not None and picture.is_file():
            yield TrueOutline(file.parent.name, picture, np.asarray(mask > 127))


def judge_outline(truth: TrueOutline, masks: Sequence[Bits]) -> OutlineOutcome:
    """Compare the one of several masks (H, W) that agrees best; none counts as an empty one."""
    found = max(masks, key=lambda m: score_mask(m, truth.data).overlap, default=None)
    if found is None:
        found = np.zeros_like(truth.data)
    return OutlineOutcome(truth, found, score_mask(found, truth.data))


def outline_scores(outcomes: Sequence[OutlineOutcome]) -> Mapping[str, float]:
    """The scores of the bar; none without outlines."""
    if not outcomes:
        return {}
    overlaps = [outcome.score.overlap for outcome in outcomes]
    # as a share of the figure, no more than the whole of it
    errors = [min(outcome.score.mean / 1000, 1.0) for outcome in outcomes]
    return {
        "mask IoU median": float(np.median(overlaps)),
        "mask IoU tenth percentile": float(np.percentile(overlaps, 10)),
        "outline error": float(np.median(errors)),
    }
