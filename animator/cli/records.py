"""The lines that `animator annotate --json` prints: annotations in the picture's own pixels."""

import msgspec
import numpy as np

from animator.core.annotation import Annotation, FigureAnnotation
from animator.core.errors import AnimatorError
from animator.core.geometry import Box
from animator.core.mask import Mask, RunLengths, mask_from_run_lengths, run_lengths_from_mask
from animator.core.rotation import rotate_box, rotate_image, rotate_points, undo
from animator.core.spaces import figure_to_drawing

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
        width: pixels, as stored and turned by its EXIF tag only; None when it could not be read.
        height: likewise.
        rotation: degrees clockwise by which it must be turned beyond that to be upright: 0, 90, 180
            or 270. All coordinates are of the picture before that.
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
    size = (annotation.width, annotation.height)
    width, height = size if annotation.rotation in (0, 180) else size[::-1]
    return Record(
        file=file,
        width=width,
        height=height,
        rotation=annotation.rotation,
        figures=tuple(
            _figure_record(figure, figure.mask, annotation)
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
    figure: FigureAnnotation, mask: RunLengths, annotation: Annotation
) -> FigureRecord:
    back, size = undo(annotation.rotation), (annotation.width, annotation.height)
    box = rotate_box(figure.box, back, size)
    joints = figure.skeleton.joints if figure.skeleton is not None else ()
    here = np.array([(j.x, j.y) for j in joints], dtype=np.float32).reshape(-1, 2)
    points = rotate_points(figure_to_drawing(here, figure.box), back, size).tolist()
    return FigureRecord(
        box=(box.x1, box.y1, box.x2, box.y2),
        score=round(figure.score, 4),
        joints={
            j.name: (round(x, 1), round(y, 1)) for j, (x, y) in zip(joints, points, strict=True)
        },
        joint_scores={j.name: round(j.score, 4) for j in joints},
        mask=_spread(figure.box, mask, annotation),
    )


def _spread(box: Box, mask: RunLengths, annotation: Annotation) -> RunLengths:
    """A figure's mask over the whole picture as stored."""
    whole = np.zeros((annotation.height, annotation.width), dtype=np.bool_)
    x, y = int(box.x1), int(box.y1)
    height, width = mask.size
    whole[y : y + height, x : x + width] = mask_from_run_lengths(mask).data
    return run_lengths_from_mask(Mask(rotate_image(whole, undo(annotation.rotation))))
