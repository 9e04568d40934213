"""Annotation: the one document about a drawing that people correct; all else is derived."""

from typing import Literal

import msgspec

from animator.core.geometry import Box
from animator.core.mask import RunLengths
from animator.core.rotation import Rotation
from animator.core.skeleton import Skeleton

__all__ = ("Annotation", "Depth", "FigureAnnotation")

Depth = Literal["front", "back"]
"""Whether a limb is drawn before all others, or behind all."""


class FigureAnnotation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is known of one figure; what is absent is yet to be done.

    Attributes:
        id: unique in its annotation.
        box: drawing space, whole pixels; figure space begins at its corner.
        score: the detector's confidence in [0, 1]; 1 where a person drew the box.
        mask: figure space, the size of the box.
        skeleton: figure space.
        limbs: draw order of limbs by the joint at which each begins; the others go by how near the
            motion brings them.
        hidden: whether it stays on the paper and keeps still.
    """

    id: str
    box: Box
    score: float = 1.0
    mask: RunLengths | None = None
    skeleton: Skeleton | None = None
    limbs: dict[str, Depth] = {}
    hidden: bool = False

    @property
    def is_pending(self) -> bool:
        """Whether its mask or its skeleton is yet to be found."""
        return not self.hidden and (self.mask is None or self.skeleton is None)


class Annotation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All figures of a drawing, best first.

    Attributes:
        width: of the upright drawing, pixels.
        height: of the upright drawing, pixels.
        figures: best first; empty when none was found.
        rotation: degrees clockwise by which the picture was turned to be the upright drawing.
        revision: grows by one with each change; writers compare and set.
        job: the job that finds what figures lack; None when they lack nothing.
    """

    width: int
    height: int
    figures: tuple[FigureAnnotation, ...]
    rotation: Rotation = 0
    revision: int = 0
    job: str | None = None

    @property
    def is_pending(self) -> bool:
        """Whether something of a figure is yet to be found."""
        return any(figure.is_pending for figure in self.figures)
