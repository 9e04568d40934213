"""The lines that `animator annotate --json` prints: annotations in the picture's own pixels."""

import msgspec
import numpy as np

from animator.core.annotation import Annotation, FigureAnnotation
from animator.core.errors import AnimatorError
from animator.core.mask import Mask, RunLengths, mask_from_run_lengths, run_lengths_from_mask

__all__ = ("FigureRecord", "Problem", "Record", "encode_record", "failed_record", "record_of")


class Problem(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why a picture has no figures: a stable code, and a sentence."""

    code: str
    message: str


class FigureRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One figure, in pixels of the picture.

    Attributes:
        box: x1, y1, x2, y2 of the outline.
        score: the detector's confidence in [0, 1].
        joints: x, y by name.
        joint_scores: confidence in [0, 1] by name.
        mask: over the whole picture.
    """

    box: tuple[float, float, float, float]
    score: float
    joints: dict[str, tuple[float, float]]
    joint_scores: dict[str, float]
    mask: RunLengths


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One picture.

    Attributes:
        file: its name as given.
        width: pixels, upright; None when it could not be read.
        height: pixels, upright; None when it could not be read.
        rotation: degrees clockwise by which its drawing was turned before it was looked at.
        figures: best first.
        error: None when all went well.
    """

    file: str
    width: int | None
    height: int | None
    rotation: int = 0
    figures: tuple[FigureRecord, ...] = ()
    error: Problem | None = None


def record_of(file: str, annotation: Annotation) -> Record:
    """What was found in a picture; figures without outline or joints are left out."""
    size = (annotation.height, annotation.width)
    return Record(
        file=file,
        width=annotation.width,
        height=annotation.height,
        figures=tuple(
            _figure_record(figure, figure.mask, size)
            for figure in annotation.figures
            if figure.mask is not None
        ),
    )


def failed_record(file: str, error: AnimatorError) -> Record:
    """Why a picture could not be annotated."""
    problem = Problem(code=error.code, message=error.message)
    return Record(file=file, width=None, height=None, error=problem)


def encode_record(record: Record) -> bytes:
    """One line of JSON, without its end."""
    return msgspec.json.encode(record)


def _figure_record(
    figure: FigureAnnotation, mask: RunLengths, size: tuple[int, int]
) -> FigureRecord:
    box = figure.box
    joints = figure.skeleton.joints if figure.skeleton is not None else ()
    return FigureRecord(
        box=(box.x1, box.y1, box.x2, box.y2),
        score=round(figure.score, 4),
        joints={j.name: (round(j.x + box.x1, 1), round(j.y + box.y1, 1)) for j in joints},
        joint_scores={j.name: round(j.score, 4) for j in joints},
        mask=_spread(mask, int(box.x1), int(box.y1), size),
    )


def _spread(mask: RunLengths, x: int, y: int, size: tuple[int, int]) -> RunLengths:
    """A figure's mask, whose corner is at (x, y), over the whole picture (height, width)."""
    whole = np.zeros(size, dtype=np.bool_)
    height, width = mask.size
    whole[y : y + height, x : x + width] = mask_from_run_lengths(mask).data
    return run_lengths_from_mask(Mask(whole))
