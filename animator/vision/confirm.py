"""Found figures, looked at closely: what is none after all is dropped."""

from collections.abc import Sequence

from animator.vision.detect import FoundFigure

__all__ = ("confirm",)

_LEAST_BELIEF = 0.5
"""Of made-up figures that no training saw the pose model gives one in a hundred less than this."""


def confirm(found: Sequence[FoundFigure]) -> tuple[FoundFigure, ...]:
    """The figures that the pose model does not take for something else.

    The detector sees the whole page in few pixels; the pose model sees one figure in as many.

    found: what `look_closely` gives. A figure stays when nobody has looked, or when the model does
        not say whether it saw one.
    """
    return tuple(one for one in found if _is_believed(one))


def _is_believed(one: FoundFigure) -> bool:
    belief = None if one.view is None else one.view.figure
    return belief is None or belief >= _LEAST_BELIEF
