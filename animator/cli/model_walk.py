"""The product's own walk over annotated drawings: what `animator annotate` answers, as figures."""

import errno
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from animator.cli.drawings import LocalModels, read_drawing
from animator.cli.records import Record, failed_record, record_of
from animator.core.annotation import Annotation
from animator.core.drawing import Drawing
from animator.core.errors import AnimatorError, ModelUnavailable
from animator.core.geometry import Box
from animator.core.mask import mask_from_run_lengths
from animator.core.rotation import ROTATIONS, Rotation, rotate_drawing
from animator.pipeline import annotate, say_nothing
from animator.vision import Predictor

if TYPE_CHECKING:
    from models.training.annotated import AnnotatedDrawing
    from models.training.scoring import FoundFigure

__all__ = ("ProductWalk", "walk_with")


@dataclass(frozen=True, slots=True, eq=False)
class ProductWalk:
    """Looks at drawings as the product does.

    Attributes:
        predictor: runs the models.
        least_score: figures below this do not count, [0, 1].
        records: what was answered, by the picture's file.
    """

    predictor: Predictor
    least_score: float = 0.0
    records: dict[Path, Record] = field(default_factory=dict)

    def look(self, drawing: "AnnotatedDrawing") -> "list[FoundFigure]":
        """The figures of a picture, best first; none when the product refuses it.

        Raises:
            FileNotFoundError: when the picture is not there.
            ModelUnavailable: when a model is missing, or fails.
        """
        # The package `models` is loaded by commands that ask for it only.
        from models.training.scoring import FoundFigure

        if not drawing.file.is_file():
            raise FileNotFoundError(errno.ENOENT, "no such picture", str(drawing.file))
        record = self._record(drawing.file)
        self.records[drawing.file] = record
        return [
            FoundFigure(Box(*figure.box), figure.score, figure.joints)
            for figure in record.figures
            if figure.score >= self.least_score
        ]

    def masks_of(self, file: Path) -> list[NDArray[np.bool_]]:
        """The masks (H, W) of a picture's figures, in its own pixels."""
        if file not in self.records:
            self.records[file] = self._record(file)
        return [mask_from_run_lengths(figure.mask).data for figure in self.records[file].figures]

    def turns_of(self, drawing: "AnnotatedDrawing") -> list[bool]:
        """For each quarter turn of a picture, whether it is turned back; [] when nobody can tell.

        The picture as it is must have been looked at before.
        """
        from models.training.turns import true_rotation

        found = (true_rotation(f) for f in drawing.figures if f.joints)
        upright = next((turn for turn in found if turn is not None), None)
        if upright is None or self.records[drawing.file].error is not None:
            return []
        image = read_drawing(drawing.file)
        answers = [self.records[drawing.file].rotation]
        answers += [self._annotate(rotate_drawing(image, turn)).rotation for turn in ROTATIONS[1:]]
        return [
            answer == _less(upright, turn) for turn, answer in zip(ROTATIONS, answers, strict=True)
        ]

    def _record(self, file: Path) -> Record:
        try:
            return record_of(str(file), self._annotate(read_drawing(file)))
        except ModelUnavailable:
            raise
        except AnimatorError as error:
            return failed_record(str(file), error)

    def _annotate(self, drawing: Drawing) -> Annotation:
        return annotate(drawing, self.predictor, say_nothing)


def walk_with(models: Path, least_score: float = 0.0) -> ProductWalk:
    """A walk over the models in a folder."""
    return ProductWalk(LocalModels(models), least_score)


def _less(upright: Rotation, turn: Rotation) -> Rotation:
    """What is left to turn of a picture that was turned already."""
    return ROTATIONS[(upright - turn) % 360 // 90]
